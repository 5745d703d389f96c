/**
 * What a passing outcome cost: all spend of a cohort's tasks ÷ its passing tasks, as a ratio of sums (DESIGN 4.4).
 * Point estimates are exact; interval bounds come from resampling tasks with the given seed and are rounded to 10
 * decimals. Nothing is said where there is nothing to say: null, not zero.
 */
import { countToDecimal, type Decimal, ratio, sumDecimals } from "@centspan/base";
import type { TaskSpend } from "@centspan/model";
import { bootstrapRatio, zeroPassBound } from "./ratio-interval.ts";

type CostPerOutcomeOptions = {
  /** Of the interval, such as 0.95. */
  level: number;
  seed: number;
  resamples: number;
};

type OutcomeInterval = {
  lowUsd: Decimal | null;
  highUsd: Decimal | null;
  level: number;
  method: "bootstrap" | "zero_pass_bound";
};

/** A row of `/outcomes/cost` before formatting. */
export type OutcomeCost = {
  group: string;
  spendUsd: Decimal;
  /** With the spend that belongs to no task. */
  allSpendUsd: Decimal;
  failedSpendUsd: Decimal;
  tasks: number;
  passed: number;
  /** Partial outcomes count here: they are not passes. */
  failed: number;
  unknown: number;
  pending: number;
  costPerPassUsd: Decimal | null;
  interval: OutcomeInterval | null;
  pendingBounds: { allPassUsd: Decimal | null; allFailUsd: Decimal | null } | null;
  coverage: Decimal | null;
  simulatedShare: Decimal | null;
};

type CostPerOutcome = { rows: OutcomeCost[]; total: OutcomeCost };

/** Rows in order of spend, largest first. `total` is over all groups, not over the rows' ratios. */
export function costPerOutcome(spend: readonly TaskSpend[], options: CostPerOutcomeOptions): CostPerOutcome {
  const groups = new Map<string, TaskSpend[]>();
  for (const row of spend) {
    const members = groups.get(row.group);
    if (members) members.push(row);
    else groups.set(row.group, [row]);
  }
  const rows = [...groups].map(([group, members]) => summarise(group, members, options));
  rows.sort((a, b) => b.spendUsd.cmp(a.spendUsd) || (a.group < b.group ? -1 : 1));
  return { rows, total: summarise("total", spend, options) };
}

/** Spend that belongs to no task has no part in the cost of an outcome; it lowers the coverage instead. */
function summarise(group: string, members: readonly TaskSpend[], options: CostPerOutcomeOptions): OutcomeCost {
  // A fixed order, so that the seed alone decides the resamples.
  const tasks = members.filter(({ task }) => task !== "").sort((a, b) => (a.task < b.task ? -1 : 1));
  const count = (...statuses: TaskSpend["status"][]): number =>
    tasks.filter(({ status }) => statuses.includes(status)).length;
  const spendUsd = sumCosts(tasks);
  const allSpendUsd = sumCosts(members);
  const decided = tasks.filter(({ status }) => status !== null);
  // Spend without any known price is not zero: nothing is known about what a pass cost.
  const known = tasks.some(({ calls, unpricedCalls }) => calls > unpricedCalls);
  const [passed, pending] = [count("passed"), count(null)];
  return {
    group,
    spendUsd,
    allSpendUsd,
    failedSpendUsd: sumCosts(decided.filter(({ status }) => status !== "passed")),
    tasks: tasks.length,
    passed,
    failed: count("failed", "partial"),
    unknown: count("unknown"),
    pending,
    costPerPassUsd: known ? ratio(spendUsd, countToDecimal(passed)) : null,
    interval: !known ? null : passed > 0 ? bootstrapInterval(tasks, options) : boundWithoutPass(decided, options),
    pendingBounds:
      pending === 0 || !known
        ? null
        : {
            allPassUsd: ratio(spendUsd, countToDecimal(passed + pending)),
            allFailUsd: ratio(spendUsd, countToDecimal(passed)),
          },
    coverage: ratio(sumCosts(decided), allSpendUsd),
    simulatedShare: ratio(sumDecimals(members.map(({ simulatedUsd }) => simulatedUsd)), allSpendUsd),
  };
}

const sumCosts = (rows: readonly TaskSpend[]): Decimal => sumDecimals(rows.map(({ costUsd }) => costUsd));

/** One task alone says nothing about how tasks differ. */
function bootstrapInterval(tasks: readonly TaskSpend[], options: CostPerOutcomeOptions): OutcomeInterval | null {
  if (tasks.length < 2) return null;
  const bounds = bootstrapRatio(
    tasks.map(({ costUsd, status }) => ({ costUsd, passed: status === "passed" })),
    options,
  );
  return { ...bounds, level: options.level, method: "bootstrap" };
}

/** Only tasks whose outcome is known are evidence that none passes. */
function boundWithoutPass(decided: readonly TaskSpend[], { level }: CostPerOutcomeOptions): OutcomeInterval | null {
  if (decided.length === 0) return null;
  const lowUsd = zeroPassBound(sumCosts(decided), decided.length, level);
  return { lowUsd, highUsd: null, level, method: "zero_pass_bound" };
}
