/**
 * Which of several ways to work passes a set of tasks for the least money. The bar was stated before anything was run; a way meets
 * it only if its pass rate and its cost are shown to, and misses it only likewise. What is said is said of this set: repeats make it
 * more certain how a way does at these tasks, and nothing is said before all of them were tried.
 */
import type { Decimal } from "@centspan/base";
import type { EvaluationVerdict, TaskSpend } from "@centspan/model";
import { compareCohorts, compareCostPerPass, isUnderstated } from "./compare-cohorts.ts";
import { type CostPerOutcomeOptions, costPerOutcome, type OutcomeCost, sliceTask } from "./cost-per-outcome.ts";
import { groupBy } from "./group-by.ts";
import { shareInterval } from "./ratio-interval.ts";

type Bar = { tasks: readonly string[]; minPassRate: number; maxCostPerPassUsd: Decimal | null };

/** Its group is the way. */
export type EvaluationRun = TaskSpend & { setTask: string };

export type EvaluatedWay = {
  way: string;
  cost: OutcomeCost;
  verdict: EvaluationVerdict;
  /** At the pass rate found; null where the verdict is reached, or no number would reach it. */
  moreTasks: number | null;
};

/** `cheapest`: of several that meet the bar the one that is shown to cost less than each of the others. */
export function judgeEvaluation(
  runs: readonly EvaluationRun[],
  bar: Bar,
  options: CostPerOutcomeOptions,
): { ways: EvaluatedWay[]; cheapest: string | null } {
  const runsOf = groupBy(runs, ({ group }) => group);
  const listRuns = (way: string): readonly EvaluationRun[] => runsOf.get(way) ?? [];
  const ways = costPerOutcome(runs.map(sliceTask), options)
    .rows.map((cost): EvaluatedWay => {
      return { way: cost.group, cost, ...judgeWay(cost, listRuns(cost.group), bar, options.level) };
    })
    .sort((a, b) => compareCostPerPass(a.cost.costPerPassUsd, b.cost.costPerPassUsd) || (a.way < b.way ? -1 : 1));
  const [first, ...others] = ways.filter(({ verdict }) => verdict === "meets").map(({ way }) => way);
  const listSlices = (way: string) => listRuns(way).map(sliceTask);
  const isShown =
    first !== undefined &&
    others.every((way) => compareCohorts(listSlices(first), listSlices(way), options).verdict === "b_higher");
  return { ways, cheapest: isShown ? first : null };
}

function judgeWay(
  cost: OutcomeCost,
  runs: readonly EvaluationRun[],
  { tasks, minPassRate, maxCostPerPassUsd }: Bar,
  level: number,
): Pick<EvaluatedWay, "verdict" | "moreTasks"> {
  const { rate, tried, untried } = countRounds(runs, tasks);
  if (untried > 0) return { verdict: "not_shown", moreTasks: untried };
  const { low, high } = shareInterval(rate * tried, tried, level);
  const { lowUsd, highUsd } = cost.interval ?? { lowUsd: null, highUsd: null };
  const isDear = maxCostPerPassUsd !== null && lowUsd?.gt(maxCostPerPassUsd);
  if (isDear || high < minPassRate) return { verdict: "misses", moreTasks: null };
  if (low < minPassRate) return { verdict: "not_shown", moreTasks: countMissing(rate, tried, minPassRate, level) };
  const isCheap = maxCostPerPassUsd === null || (highUsd?.lte(maxCostPerPassUsd) && !isUnderstated(cost));
  return { verdict: isCheap ? "meets" : "not_shown", moreTasks: null };
}

/** Each task of the set weighs the same, however often it was run; as many runs of each count as of the one that was run least. */
function countRounds(
  runs: readonly EvaluationRun[],
  tasks: readonly string[],
): { rate: number; tried: number; untried: number } {
  const decidedOf = groupBy(
    runs.filter(({ status }) => status !== null),
    ({ setTask }) => setTask,
  );
  const tries = tasks.map((task) => {
    const decided = decidedOf.get(task) ?? [];
    return { tried: decided.length, passed: decided.filter(({ status }) => status === "passed").length };
  });
  const rate = tries.reduce((sum, { tried, passed }) => sum + passed / tried, 0) / tasks.length;
  const rounds = Math.min(...tries.map(({ tried }) => tried));
  return { rate, tried: rounds * tasks.length, untried: tries.filter(({ tried }) => tried === 0).length };
}

const MOST_TASKS = 1_000_000;

/** Until the interval lies on one side of the bar. */
function countMissing(rate: number, tried: number, bar: number, level: number): number | null {
  for (let tasks = tried + 1; tasks <= MOST_TASKS; tasks = Math.ceil(tasks * 1.02)) {
    const { low, high } = shareInterval(rate * tasks, tasks, level);
    if (low >= bar || high < bar) return tasks - tried;
  }
  return null;
}
