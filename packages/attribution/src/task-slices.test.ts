/** What is said of tasks that are added up is what is said of them one by one. */
import { parseDecimal } from "@centspan/base";
import { EMPTY_TASK_SPEND, type OutcomeStatus, type TaskSlice, type TaskSpend } from "@centspan/model";
import fc from "fast-check";
import { expect, it } from "vitest";
import { toSums } from "./cost-per-outcome.ts";
import { costPerOutcome, type OutcomeCost, sliceTask } from "./index.ts";
import { describeSums, type RatioSums, toFloat } from "./ratio-interval.ts";
import { costOfTasks } from "./testing/tasks.ts";

/** Decimals as text, for comparison. */
const show = (row: OutcomeCost | RatioSums | undefined) => JSON.parse(JSON.stringify(row));

const drawn = fc.record({
  pico: fc.bigInt(0n, 10n ** 14n),
  status: fc.constantFrom<OutcomeStatus | null>("passed", "passed", "failed", "partial", "unknown", null),
  group: fc.constantFrom("x", "y"),
  team: fc.constantFrom("payments", "search"),
  minutes: fc.constantFrom("0", "0", "7", "12.5"),
  isReverted: fc.boolean(),
  ofNone: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer D> ? D : never;
const toTask = ({ pico, minutes, ofNone, ...rest }: Drawn, n: number): TaskSpend => {
  const reviewMinutes = parseDecimal(minutes);
  const costUsd = parseDecimal(`${pico / 10n ** 12n}.${(pico % 10n ** 12n).toString().padStart(12, "0")}`);
  return ofNone
    ? { ...EMPTY_TASK_SPEND, group: rest.group, team: rest.team, costUsd, calls: 1 }
    : { ...EMPTY_TASK_SPEND, ...rest, task: `t${n}`, costUsd, calls: 1, unpricedCalls: n % 2, reviewMinutes };
};
/** As the store adds them up. */
const addUp = (tasks: readonly TaskSpend[]): TaskSlice[] => {
  const slices = new Map<string, TaskSlice>();
  for (const one of tasks.map(sliceTask)) {
    const { group, team, status, isReverted, reviewMinutes, tasks: count } = one;
    const key = JSON.stringify([group, team, status, isReverted, reviewMinutes, count]);
    const sum = slices.get(key);
    if (sum === undefined) {
      slices.set(key, { ...one, task: "" });
      continue;
    }
    sum.tasks += count;
    sum.costUsd = sum.costUsd.plus(one.costUsd);
    sum.squaredUsd = sum.squaredUsd.plus(one.squaredUsd);
    sum.calls += one.calls;
    sum.unpricedCalls += one.unpricedCalls;
  }
  return [...slices.values()];
};
const options = { level: 0.95, seed: 1, resamples: 2000, hourlyUsd: new Map([["payments", parseDecimal("70")]]) };

it("come to the same to the last digit, and deviate as they do one by one", () => {
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 60 }), (list) => {
      const tasks = list.map(toTask);
      const plain = { ...options, resamples: 0 };
      expect(show(costPerOutcome(addUp(tasks), plain).total)).toEqual(show(costOfTasks(tasks, plain).total));
      expect(costPerOutcome(addUp(tasks), plain).rows.map(show)).toEqual(costOfTasks(tasks, plain).rows.map(show));
      const [one, many] = [tasks.map(sliceTask), addUp(tasks)].map((slices) =>
        toSums(
          slices.filter((slice) => slice.tasks > 0),
          options,
        ),
      );
      expect(show(many)).toEqual(show(one));
      if (one === undefined || one.passed === 0 || one.tasks < 2) return;
      const costs = tasks.filter(({ task }) => task !== "").map((one) => sliceTask(one));
      const value = toFloat(one.costUsd) / one.passed;
      const squares = costs.reduce((sum, slice) => {
        const own = toSums([slice], options);
        return sum + (toFloat(own.costUsd) - value * own.passed) ** 2;
      }, 0);
      const expected = Math.sqrt((squares * one.tasks) / (one.tasks - 1)) / one.passed;
      expect(describeSums(one).deviation).toBeCloseTo(expected, 9);
    }),
    { numRuns: 100 },
  );
});

it("of many tasks have the interval that these have one by one", () => {
  const list = fc.sample(drawn, { numRuns: 2600, seed: 7 });
  const tasks = list.map(toTask);
  const summed = addUp(tasks);
  expect(summed.length).toBeLessThan(150);
  expect(show(costPerOutcome(summed, options).total)).toEqual(show(costOfTasks(tasks, options).total));
  expect(show(costOfTasks(tasks, options).total).interval.method).toBe("linearised");
});
