/** Two cohorts side by side: what a pass cost in each, on one axis, and every difference with its interval. */
import type { CohortRow, Comparison, OutcomeCostRow } from "@centspan/model";
import { isNegative, negate } from "../format/decimal-text.ts";
import { columnDecimals, formatDifference, formatMoney } from "../format/format-money.ts";
import { formatPoints, formatRatio } from "../format/format-quantity.ts";
import { describePerPass, type PerPass } from "../ledger/prepare-outcome-table.ts";
import { chooseMoneyAxis, type MoneyAxis, prepareWhisker, type Whisker } from "../ledger/prepare-whisker.ts";

/** `value` is B − A; `interval` runs from one signed end to the other, open where it has none. */
export type Difference = { value: string; isLess: boolean; size: string; low: string | null; high: string | null };

export type Cohort = {
  group: string;
  perPass: PerPass;
  whisker: Whisker;
  passed: number;
  tasks: number;
  passRate: string | null;
  passRateInterval: string | null;
  reverted: number;
  pending: number;
  spend: string;
};

export type ComparisonView = {
  a: Cohort;
  b: Cohort;
  axis: MoneyAxis;
  costPerPass: Difference | null;
  /** In points. */
  passRate: Difference | null;
  reverted: Difference | null;
};

type Named = NonNullable<Comparison["costPerPass"]>;

function describeDifference({ value, low, high }: Named, write: (value: string) => string): Difference {
  const isLess = isNegative(value);
  return {
    value: write(value),
    isLess,
    size: write(isLess ? negate(value) : value).replace("+", ""),
    low: low === null ? null : write(low),
    high: high === null ? null : write(high),
  };
}

function formatShares({ passRateInterval }: CohortRow): string | null {
  if (passRateInterval?.low == null || passRateInterval.high == null) return null;
  return `${formatRatio(passRateInterval.low).replace("%", "")}–${formatRatio(passRateInterval.high)}`;
}

export function prepareComparison(comparison: Comparison): ComparisonView {
  const { a, b, costPerPass, passRate, reverted } = comparison;
  const axis = chooseMoneyAxis([a, b]);
  const decimals = columnDecimals([a, b].map((row) => row.costPerPassUsd ?? row.interval?.lowUsd ?? null));
  const spendDecimals = columnDecimals([a.spendUsd, b.spendUsd]);
  const describe = (row: CohortRow): Cohort => ({
    group: row.group,
    perPass: describePerPass(row, decimals),
    whisker: prepareWhisker(row, axis),
    passed: row.passed,
    tasks: row.tasks,
    passRate: row.passRate === null ? null : formatRatio(row.passRate),
    passRateInterval: formatShares(row),
    reverted: row.reverted,
    pending: row.pending,
    spend: formatMoney(row.spendUsd, spendDecimals),
  });
  return {
    a: describe(a),
    b: describe(b),
    axis,
    costPerPass: costPerPass && describeDifference(costPerPass, (usd) => formatDifference(usd, decimals)),
    passRate: passRate && describeDifference(passRate, formatPoints),
    reverted: reverted && describeDifference(reverted, formatPoints),
  };
}

type Unpriced = Pick<OutcomeCostRow, "unpricedCalls" | "unpricedReviewMinutes">;

/** Whether something that was spent is in no amount. */
export const isUnderstated = ({ unpricedCalls, unpricedReviewMinutes }: Unpriced): boolean =>
  unpricedCalls > 0 || unpricedReviewMinutes !== "0";
