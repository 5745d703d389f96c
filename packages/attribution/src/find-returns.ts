/** What spending more bought: attempt after attempt at tasks, and from group to group. Pure. */
import { countToDecimal, type Decimal, ratio, sumDecimals, ZERO } from "@centspan/base";
import type { TaskSlice } from "@centspan/model";
import { compareShares, countDecided, type Difference, type Share } from "./compare-cohorts.ts";
import type { OutcomeCost } from "./cost-per-outcome.ts";

export type AttemptReturn = {
  attempt: number;
  tasks: number;
  morePasses: number;
  spendUsd: Decimal;
  costPerFurtherPassUsd: Decimal | null;
};

export function findAttemptReturns(slices: readonly TaskSlice[]): AttemptReturn[] {
  const most = slices.reduce((so, { attempts }) => Math.max(so, attempts.length), 0);
  return Array.from({ length: most }, (_, index) => {
    const sums = slices.flatMap(({ attempts }) => attempts[index] ?? []);
    const morePasses = sums.reduce((sum, { passes }) => sum + passes, 0);
    const spendUsd = sumDecimals(sums.map(({ costUsd }) => costUsd));
    return {
      attempt: index + 1,
      tasks: sums.reduce((sum, { tasks }) => sum + tasks, 0),
      morePasses,
      spendUsd,
      costPerFurtherPassUsd: ratio(spendUsd, countToDecimal(morePasses)),
    };
  });
}

export type GroupReturn = {
  group: string;
  tasks: number;
  passed: number;
  spendUsd: Decimal;
  spendPerTaskUsd: Decimal;
  /** Of tasks whose outcome is known. */
  passRate: Decimal;
  costPerPassUsd: Decimal | null;
  /** As a multiple of the group that spends least for a task; null where that spends nothing. */
  spendTimes: Decimal | null;
  /** In shares of tasks above that group. */
  passRateGain: Decimal;
  /** Null where more is spent for no more passes that are shown. */
  costPerFurtherPassUsd: Decimal | null;
  summary: string;
};

/** Groups by what they spend for a task, least first; each is held against the first. */
export function findGroupReturns(rows: readonly OutcomeCost[], level: number): GroupReturn[] {
  const groups = rows
    .flatMap((row) => {
      const spendPerTaskUsd = ratio(row.spendUsd, countToDecimal(row.tasks));
      const passRate = ratio(countToDecimal(row.passed), countToDecimal(countDecided(row)));
      return spendPerTaskUsd === null || passRate === null ? [] : [{ row, spendPerTaskUsd, passRate }];
    })
    .sort((a, b) => a.spendPerTaskUsd.cmp(b.spendPerTaskUsd) || (a.row.group < b.row.group ? -1 : 1));
  const [least] = groups;
  return groups.flatMap((one) => (least === undefined ? [] : [holdAgainst(one, least, level)]));
}

type Held = { row: OutcomeCost; spendPerTaskUsd: Decimal; passRate: Decimal };

function holdAgainst({ row, spendPerTaskUsd, passRate }: Held, least: Held, level: number): GroupReturn {
  const { group, tasks, passed, spendUsd, costPerPassUsd } = row;
  const spendTimes = ratio(spendPerTaskUsd, least.spendPerTaskUsd);
  const passRateGain = passRate.minus(least.passRate);
  const gain = compareShares(shareOf(least.row), shareOf(row), level);
  const costPerFurtherPassUsd = gain?.low?.gt(ZERO)
    ? ratio(spendPerTaskUsd.minus(least.spendPerTaskUsd), passRateGain)
    : null;
  const facts = { group, tasks, passed, spendUsd, spendPerTaskUsd, passRate, costPerPassUsd };
  const own = { ...facts, spendTimes, passRateGain, costPerFurtherPassUsd };
  return { ...own, summary: row === least.row ? "spends least for a task" : describe(own, gain, least.row.group) };
}

const shareOf = (row: OutcomeCost): Share => [row.passed, countDecided(row)];

function describe(
  { spendTimes, passRateGain, costPerFurtherPassUsd }: Omit<GroupReturn, "summary">,
  gain: Difference | null,
  than: string,
): string {
  const points = `${passRateGain.abs().times(countToDecimal(100)).toFixed(1)} points ${passRateGain.gte(ZERO) ? "more" : "fewer"}`;
  const times = spendTimes === null ? "more" : `${spendTimes.toFixed(1)} times as much`;
  const price = costPerFurtherPassUsd === null ? "" : `: ${costPerFurtherPassUsd.toFixed(2)} USD for each further pass`;
  const doubt = gain?.low?.gt(ZERO) || gain?.high?.lt(ZERO) ? "" : ", which may be chance";
  return `spends ${times} for a task as ${than || "(none)"}, and passes ${points}${price}${doubt}`;
}
