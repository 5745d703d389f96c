import fc from "fast-check";
import { expect, it } from "vitest";
import { FEWEST_TASKS, type TaskWaste, verifyAdvice } from "./verify-advice.ts";

const tasksOf = (count: number, wasted: number): TaskWaste[] =>
  Array.from({ length: count }, (_, at) => ({ spentUsd: 1 + (at % 3), wastedUsd: (1 + (at % 3)) * wasted }));

it("is what the same work costs without the cause, and nothing where nothing changed", () => {
  // Of a dollar that was spent 80 cents were the work: without the rest it costs a fifth less.
  const { effect, refusals } = verifyAdvice(tasksOf(30, 0.2), tasksOf(18, 0));
  expect(effect?.share).toBeCloseTo(-0.2, 10);
  expect(refusals).toEqual([]);
  expect(verifyAdvice(tasksOf(12, 0.2), tasksOf(40, 0.2)).effect?.share).toBeCloseTo(0, 10);
});

it("has an interval around it, wide where tasks differ", () => {
  const uneven = Array.from({ length: 24 }, (_, at) => ({ spentUsd: 1, wastedUsd: at % 2 === 0 ? 0.4 : 0 }));
  const { effect } = verifyAdvice(uneven, tasksOf(24, 0));
  expect(effect?.low).toBeLessThan(effect?.share ?? 0);
  expect(effect?.high).toBeGreaterThan(effect?.share ?? 0);
});

it("says what of all tasks is true, however they are dealt into blocks", () => {
  const cents = fc.integer({ min: 1, max: 10_000 });
  const task = fc.tuple(cents, fc.double({ min: 0, max: 0.9, noNaN: true }));
  const tasks = fc
    .array(task, { minLength: FEWEST_TASKS, maxLength: 60 })
    .map((list) => list.map(([spent, part]) => ({ spentUsd: spent / 100, wastedUsd: (spent / 100) * part })));
  const costOf = (list: TaskWaste[]): number => {
    const spent = list.reduce((sum, { spentUsd }) => sum + spentUsd, 0);
    return spent / list.reduce((sum, { spentUsd, wastedUsd }) => sum + spentUsd - wastedUsd, 0);
  };
  fc.assert(
    fc.property(tasks, tasks, (before, since) => {
      expect(verifyAdvice(before, since).effect?.share).toBeCloseTo(costOf(since) / costOf(before) - 1, 6);
    }),
  );
});

it("refuses what is too little to tell", () => {
  expect(verifyAdvice(tasksOf(FEWEST_TASKS - 1, 0.2), tasksOf(30, 0))).toMatchObject({
    effect: null,
    refusals: [{ reason: "traffic_too_short", message: expect.stringContaining("5 tasks before") }],
  });
  const free = tasksOf(8, 1);
  expect(verifyAdvice(tasksOf(8, 0.1), free).refusals).toMatchObject([{ reason: "traffic_too_short" }]);
});
