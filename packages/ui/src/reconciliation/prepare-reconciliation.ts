/** What lies between a provider's file and the ledger, as texts to draw; amounts are USD, or counts where the file has no costs. */
import type { ReconciliationRow } from "@centspan/model";
import { addDecimals, isNegative, isZero, toGeometry } from "../format/decimal-text.ts";
import { formatDate, formatDay, type Language } from "../format/format-instant.ts";
import { formatDifference, formatMoney } from "../format/format-money.ts";
import { formatCount, formatShare } from "../format/format-quantity.ts";

export type DifferenceView = {
  key: string;
  cause: string;
  /** Provider, project, key, model, meter, as far as the file tells them apart; "" where it doesn't. */
  provider: string;
  project: string;
  apiKey: string;
  model: string;
  meter: string;
  days: string;
  invoiced: string;
  rated: string;
  difference: string;
  evidence: string;
  /** Where it stands in the file. */
  rows: string;
};

/** All differences of one cause. Its bar begins where the one before it ended. */
export type CauseView = { cause: string; difference: string; isLess: boolean; leftPct: number; widthPct: number };

export type ReconciliationView = {
  file: string;
  format: string;
  unit: ReconciliationRow["unit"];
  period: string;
  invoiced: string;
  rated: string;
  difference: string;
  /** Of what is rated; null where that is nothing. */
  share: string | null;
  unexplained: string;
  isExplained: boolean;
  matched: string;
  compared: readonly string[];
  strange: readonly string[];
  causes: CauseView[];
  differences: DifferenceView[];
};

const MOST_ROWS = 3;

/** Figures of counts have no decimals that are of use; of money, cents. */
const writeAmount = (unit: ReconciliationRow["unit"]) => (amount: string) =>
  unit === "usd" ? formatMoney(amount, 2) : formatCount(BigInt(amount.split(".")[0] ?? "0"));
const writeDifference = (unit: ReconciliationRow["unit"]) => (amount: string) =>
  unit === "usd"
    ? formatDifference(amount, 2)
    : `${isNegative(amount) || isZero(amount) ? "" : "+"}${writeAmount(unit)(amount)}`;

export function prepareReconciliation(row: ReconciliationRow, language: Language): ReconciliationView {
  const write = writeAmount(row.unit);
  const sign = writeDifference(row.unit);
  return {
    ...{ file: row.file, format: row.format, unit: row.unit, compared: row.compared, strange: row.strange },
    period: formatDays([row.from, row.to], language),
    invoiced: write(row.invoiced),
    rated: write(row.rated),
    difference: sign(row.difference),
    share: formatShare(row.difference.replace("-", ""), row.rated),
    unexplained: write(row.unexplained),
    isExplained: row.differences.every(({ cause }) => cause !== "unexplained"),
    matched: formatCount(row.matched),
    causes: prepareCauses(row),
    differences: row.differences.map((one, index) => ({
      key: String(index),
      cause: one.cause,
      provider: one.provider,
      project: one.project,
      apiKey: one.key,
      model: one.model,
      meter: one.meter,
      days: formatDays(one.days, language),
      invoiced: write(one.invoiced),
      rated: write(one.rated),
      difference: sign(one.difference),
      evidence: one.evidence,
      rows: one.rows.length > MOST_ROWS ? `${one.rows.slice(0, MOST_ROWS).join(", ")} …` : one.rows.join(", "),
    })),
  };
}

/** "3 Oct 2026", "3 – 18 Oct 2026" of first and last, however many lie between. */
function formatDays(days: readonly string[], language: Language): string {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return "–";
  const toNs = (day: string): bigint => BigInt(Date.parse(day)) * 1_000_000n;
  const end = formatDate(toNs(last), language);
  return first === last ? end : `${formatDay(toNs(first), language)} – ${end}`;
}

/** From what is rated here to what is invoiced, cause by cause. */
function prepareCauses({ differences, unit }: ReconciliationRow): CauseView[] {
  const sums = new Map<string, string>();
  for (const { cause, difference } of differences) sums.set(cause, addDecimals([sums.get(cause) ?? "0", difference]));
  const steps = [...sums].map(([cause, amount]) => ({ cause, amount, size: toGeometry(amount) }));
  let reached = 0;
  const placed = steps.map((step) => {
    const from = reached;
    reached += step.size;
    return { ...step, low: Math.min(from, reached), high: Math.max(from, reached) };
  });
  const low = Math.min(0, ...placed.map((step) => step.low));
  const span = Math.max(0, ...placed.map((step) => step.high)) - low;
  return placed.map((step) => ({
    cause: step.cause,
    difference: writeDifference(unit)(step.amount),
    isLess: isNegative(step.amount),
    leftPct: span === 0 ? 0 : (100 * (step.low - low)) / span,
    widthPct: span === 0 ? 0 : (100 * (step.high - step.low)) / span,
  }));
}
