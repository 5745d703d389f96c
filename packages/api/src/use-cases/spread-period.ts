/**
 * What commitments come to in a month: of the month's charges and minutes, of what the months before left of credits, and of
 * what is paid. For a closed month that is what was booked, whatever was said of exchange rates since.
 */
import { type Decimal, sumDecimals } from "@centspan/base";
import {
  type BillingPeriod,
  type Charge,
  type ClosedPeriod,
  type Commitment,
  type CommitmentLine,
  findBillingPeriod,
  nextMonth,
  type PeriodBooks,
  type PriceBook,
} from "@centspan/model";
import {
  type CommittedUsage,
  type CreditBalance,
  carryOver,
  coversCharge,
  listBegun,
  rateCards,
  readFee,
  type Spread,
  spreadCommitments,
} from "@centspan/pricing";
import type { ApiDeps, Caller } from "../route.ts";

type Scope = { deps: ApiDeps; caller: Caller };

/** `isSpread`: whether a charge is one of those that it is about, and not billed by the token as it is. */
export type PeriodSpread = Spread & { isSpread(charge: Charge): boolean };

/** What Postgres says that it depends on. */
export type CommitmentBooks = PeriodBooks & { prices: PriceBook };

export async function readCommitmentBooks({
  deps: { control },
  caller: { workspace },
}: Scope): Promise<CommitmentBooks> {
  const [books, terms] = await Promise.all([control.readPeriodBooks(workspace), control.readPriceTerms(workspace)]);
  return { ...books, prices: { cards: rateCards, ...terms } };
}

export async function spreadPeriod(
  scope: Scope,
  period: BillingPeriod,
  { commitments, closed, prices }: CommitmentBooks,
): Promise<PeriodSpread> {
  const begun = listBegun(commitments, period);
  const isSpread = (charge: Charge): boolean => isCovered(begun, charge);
  if (begun.length === 0) return { covered: [], rest: [], lines: [], isSpread };
  let balances: ReadonlyMap<string, CreditBalance> = new Map();
  const spread = async (month: BillingPeriod): Promise<Spread> => {
    const booked = closed.find((one) => one.period === month.period)?.commitments;
    return spreadCommitments(
      commitments,
      { ...(await readUsage(scope, month, listBegun(commitments, month))), balances },
      month,
      (commitment) => (booked === undefined ? readFee(commitment, month, prices) : sumPaid(booked, commitment)),
    );
  };
  const before = closed.filter((month) => month.period < period.period);
  for (const month of before) balances = carryOver(balances, month.commitments);
  for (const name of listMonthsBetween(before[0], period, commitments))
    balances = carryOver(balances, (await spread(findBillingPeriod(period.timeZone, name))).lines);
  return { ...(await spread(period)), isSpread };
}

/** What was paid for it in the month that the lines are of. */
export const sumPaid = (lines: readonly CommitmentLine[], { id }: Commitment): Decimal =>
  sumDecimals(lines.filter(({ commitment }) => commitment === id).map(({ costUsd }) => costUsd));

const isCovered = (commitments: readonly Commitment[], charge: Charge): boolean =>
  commitments.some((commitment) => coversCharge(commitment, charge));

async function readUsage(
  { deps: { warehouse, clock }, caller: { workspace } }: Scope,
  month: BillingPeriod,
  commitments: readonly Commitment[],
): Promise<Omit<CommittedUsage, "balances">> {
  const charges: Charge[] = [];
  const minutes = new Map<string, Awaited<ReturnType<typeof warehouse.listMinuteTokens>>>();
  const firstNs = (await warehouse.readFirstPostedNs(workspace)) ?? clock.nowNs();
  if (month.toNs <= firstNs || month.fromNs > clock.nowNs()) return { charges, minutes };
  for await (const some of warehouse.listCharges(workspace, month, month.timeZone))
    for (const charge of some) if (isCovered(commitments, charge)) charges.push(charge);
  for (const commitment of commitments.filter(({ kind }) => kind === "provisioned")) {
    const covered = charges.filter((charge) => coversCharge(commitment, charge));
    const models = [...new Set(covered.map(({ model }) => model))];
    const filter = { ...commitment, models };
    minutes.set(commitment.id, await warehouse.listMinuteTokens(workspace, month, month.timeZone, filter));
  }
  return { charges, minutes };
}

/** Those that are open, while there are credits: what closed ones left is booked. */
function listMonthsBetween(
  closed: ClosedPeriod | undefined,
  { period }: BillingPeriod,
  commitments: readonly Commitment[],
): string[] {
  const credits = commitments.flatMap((one) => (one.kind === "credits" ? [one] : []));
  const [bought = period] = credits.map(({ from }) => from.slice(0, 7)).sort();
  const expired =
    credits
      .map(({ to }) => to.slice(0, 7))
      .sort()
      .at(-1) ?? period;
  const months: string[] = [];
  const first = closed === undefined ? bought : nextMonth(closed.period);
  for (let month = first; month < period && month <= expired; month = nextMonth(month)) months.push(month);
  return months;
}
