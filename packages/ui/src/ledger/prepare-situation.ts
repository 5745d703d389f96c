/**
 * The strip below the key figures: what a finance person asks next. Each figure is what the API says, with how it is known;
 * what is not there is null, never zero. Must not: add up figures of different kinds.
 */
import type {
  AuditRow,
  BudgetRow,
  PeriodRow,
  Provenance,
  Recommendation,
  SeatRow,
  SpendForecastAnswer,
  WasteAnswer,
  WorkAnswer,
} from "@centspan/model";
import { addDecimals, compareDecimals, isZero, negate } from "../format/decimal-text.ts";
import { formatDifference, formatInterval, formatMoney, headlineDecimals } from "../format/format-money.ts";
import { formatShare } from "../format/format-quantity.ts";
import { type Comparison, compareSpend } from "../spend/prepare-spend-figures.ts";

type Figure = { amount: string; share: string | null; provenance: Provenance };

export type Situation = {
  /** Null where nothing is known of the time before. */
  comparison: Comparison | null;
  /** What no team owns. */
  unallocated: Figure;
  paidTwice: Figure;
  /** `notAnalysed`: the share of spend of which nothing but the cost is known. */
  notAnalysed: string | null;
  lost: Figure & { reverted: string; abandoned: string; isNone: boolean };
  /** `month` as YYYY-MM. Null where there is too little history. */
  forecast: { month: string; amount: string; interval: string; budget: BudgetStand | null } | null;
  seats: { period: string; paid: string; list: string; idle: string | null; beyond: string | null } | null;
  invoice: { difference: string; unexplained: string; from: string; to: string } | null;
  savings: { cash: string | null; verified: number; open: number };
};
type BudgetStand = { over: number; all: number };

export type SituationFacts = {
  spendUsd: string;
  beforeUsd: string | null;
  /** How spend is known; what is made of it is known no better. */
  spendProvenance: Provenance | null;
  unallocatedUsd: string;
  waste: WasteAnswer["total"];
  work: WorkAnswer["total"];
  forecast: SpendForecastAnswer;
  budgets: readonly BudgetRow[];
  seats: readonly SeatRow[];
  periods: readonly PeriodRow[];
  /** The newest first. */
  comparisons: readonly AuditRow[];
  recommendations: readonly Recommendation[];
};

const write = (usd: string): string => formatMoney(usd, headlineDecimals(usd));

export function prepareSituation(facts: SituationFacts): Situation {
  const { spendUsd, beforeUsd, waste, work, spendProvenance } = facts;
  const derived = spendProvenance === "estimated" || spendProvenance === "simulated" ? spendProvenance : "derived";
  const figure = (usd: string, provenance: Provenance): Figure => ({
    amount: write(usd),
    share: isZero(spendUsd) ? null : formatShare(usd, spendUsd),
    provenance,
  });
  return {
    comparison: beforeUsd === null || isZero(beforeUsd) ? null : compareSpend(spendUsd, beforeUsd),
    unallocated: figure(facts.unallocatedUsd, spendProvenance ?? "measured"),
    paidTwice: figure(waste.wasteUsd, derived),
    notAnalysed: isZero(waste.notAnalysedUsd) ? null : formatShare(waste.notAnalysedUsd, waste.spendUsd),
    lost: {
      ...figure(addDecimals([work.revertedUsd, work.abandonedUsd]), derived),
      isNone: isZero(work.revertedUsd) && isZero(work.abandonedUsd),
      reverted: write(work.revertedUsd),
      abandoned: write(work.abandonedUsd),
    },
    forecast: describeForecast(facts),
    seats: describeSeats(facts),
    invoice: describeInvoice(facts.comparisons[0]),
    savings: describeSavings(facts.recommendations),
  };
}

function describeForecast({ forecast: { from, total }, budgets }: SituationFacts): Situation["forecast"] {
  const { expectedUsd, lowUsd, highUsd } = total;
  if (expectedUsd === null) return null;
  const decimals = headlineDecimals(expectedUsd);
  const isOver = ({ subjects }: BudgetRow): boolean =>
    subjects.some(({ remainingUsd }) => compareDecimals(remainingUsd, "0") < 0);
  return {
    month: from.slice(0, 7),
    amount: formatMoney(expectedUsd, decimals),
    interval: formatInterval(lowUsd, highUsd, decimals) ?? "",
    budget: budgets.length === 0 ? null : { over: budgets.filter(isOver).length, all: budgets.length },
  };
}

/** Of the newest month that seats were paid for. Beyond them is what its statement has that no commitment covers. */
function describeSeats({ seats, periods }: SituationFacts): Situation["seats"] {
  const [newest] = seats;
  if (newest === undefined) return null;
  const own = seats.filter(({ period }) => period === newest.period);
  const sum = (pick: (seat: SeatRow) => string): string => addDecimals(own.map(pick));
  const days = own.reduce((all, { seatDays }) => all + seatDays, 0);
  const used = own.reduce((all, { usedDays }) => all + usedDays, 0);
  const statement = periods.find(({ period }) => period === newest.period);
  const covered = addDecimals((statement?.commitments ?? []).map(({ costUsd }) => costUsd));
  return {
    period: newest.period,
    paid: write(sum(({ paidUsd }) => paidUsd)),
    list: write(sum(({ listUsd }) => listUsd)),
    idle: days === 0 ? null : formatShare(days - used, days),
    beyond: statement === undefined ? null : write(addDecimals([statement.exactUsd, negate(covered)])),
  };
}

function describeInvoice(newest: AuditRow | undefined): Situation["invoice"] {
  if (newest === undefined) return null;
  const { difference, unexplained, unit, from, to } = newest.details;
  const tell = (amount: string | number | undefined): string =>
    typeof amount !== "string" ? "–" : unit === "usd" ? formatDifference(amount, 2) : amount;
  return { difference: tell(difference), unexplained: tell(unexplained), from: String(from), to: String(to) };
}

/** Realised are the savings of those that were verified on later traffic to do what was foretold, within its interval. */
function describeSavings(all: readonly Recommendation[]): Situation["savings"] {
  const verified = all.filter(({ state, realised }) => state === "verified" && realised?.isWithinInterval === true);
  return {
    cash: verified.length === 0 ? null : write(addDecimals(verified.map(({ savings }) => savings.cashUsdMonth))),
    verified: verified.length,
    open: all.filter(({ state }) => state === "proposed" || state === "accepted").length,
  };
}
