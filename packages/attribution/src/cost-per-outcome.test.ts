import { countToDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import type { OutcomeStatus, TaskSpend } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSums } from "./cost-per-outcome.ts";
import { sliceTask } from "./index.ts";
import { bootstrapRatio, estimateRatio, toFloat } from "./ratio-interval.ts";
import { costOfTasks, show, task } from "./testing/tasks.ts";

const OPTIONS = { level: 0.95, seed: 1, resamples: 2000 };

const toSample = (tasks: readonly TaskSpend[]) => ({
  costsUsd: Float64Array.from(tasks, ({ costUsd }) => toFloat(costUsd)),
  passes: Uint8Array.from(tasks, ({ status }) => Number(status === "passed")),
});

const amount = (pico: bigint): string => `${pico / 10n ** 12n}.${(pico % 10n ** 12n).toString().padStart(12, "0")}`;

describe("cost per passing outcome", () => {
  it("is not known where no call has a price, rather than zero", () => {
    const unpriced = { calls: 2, unpricedCalls: 2 };
    const without = [task("a", "0", "passed", unpriced), task("b", "0", null, unpriced)];
    const nothing = { passed: 1, costPerPassUsd: null, interval: null, pendingBounds: null };
    expect(costOfTasks(without, OPTIONS).total).toMatchObject(nothing);
    expect(costOfTasks([task("a", "0", "passed")], OPTIONS).total.costPerPassUsd?.toFixed()).toBe("0");
    expect(costOfTasks([...without, task("c", "1", "passed")], OPTIONS).total.costPerPassUsd?.toFixed()).toBe("0.5");
  });

  it("the worked case with review: 10 × 6 minutes at 90 USD an hour make 1.40 into 16.40", () => {
    const reviewed = Array.from({ length: 10 }, (_, n) => ({
      ...task(`t${n}`, "0.84", n < 6 ? "passed" : "failed"),
      team: n < 9 ? "payments" : "",
      reviewMinutes: parseDecimal("6"),
    }));
    const hourlyUsd = new Map(["payments", ""].map((team) => [team, parseDecimal("90")]));
    const priced = costOfTasks(reviewed, { ...OPTIONS, hourlyUsd }).total;
    expect(show(priced)).toMatchObject({ spendUsd: "98.4", reviewUsd: "90", costPerPassUsd: "16.4", coverage: "1" });
    expect(show(costOfTasks(reviewed, OPTIONS).total)).toMatchObject({
      reviewUsd: "0",
      unpricedReviewMinutes: "60",
      costPerPassUsd: "1.4",
    });
  });

  it("tells those that failed after they had passed", () => {
    const { total } = costOfTasks(
      [task("a", "1", "failed", { isReverted: true }), task("b", "1", "failed"), task("c", "1", "passed")],
      OPTIONS,
    );
    expect(total).toMatchObject({ failed: 2, reverted: 1 });
  });

  it("the straight line says of many tasks what resampling says", () => {
    const many = Array.from({ length: 2500 }, (_, n) =>
      task(`t${n}`, `${1 + ((n * 7919) % 97) / 10}`, n % 3 ? "passed" : "failed"),
    );
    const { interval } = costOfTasks(many, OPTIONS).total;
    const resampled = bootstrapRatio(toSample(many), OPTIONS);
    expect(interval?.method).toBe("linearised");
    expect(Number(interval?.lowUsd?.toFixed())).toBeCloseTo(Number(resampled.lowUsd?.toFixed()), 1);
    expect(Number(interval?.highUsd?.toFixed())).toBeCloseTo(Number(resampled.highUsd?.toFixed()), 1);
  });

  it("charges failed attempts to those that passed", () => {
    const { total } = costOfTasks(
      [task("a", "1", "passed"), task("b", "2", "failed"), task("c", "4", "passed")],
      OPTIONS,
    );
    expect(show(total)).toMatchObject({
      spendUsd: "7",
      failedSpendUsd: "2",
      tasks: 3,
      passed: 2,
      failed: 1,
      costPerPassUsd: "3.5",
      pendingBounds: null,
      coverage: "1",
      simulatedShare: "0",
    });
  });

  it("the worked case: 8.40 USD of attempts, 6 accepted of 10", () => {
    const attempts = Array.from({ length: 10 }, (_, n) => task(`t${n}`, "0.84", n < 6 ? "passed" : "failed"));
    expect(show(costOfTasks(attempts, OPTIONS).total).costPerPassUsd).toBe("1.4");
  });

  it("does not take partial or unknown for a pass", () => {
    const { total } = costOfTasks(
      [task("a", "1", "partial"), task("b", "1", "unknown"), task("c", "1", "passed")],
      OPTIONS,
    );
    expect(show(total)).toMatchObject({ passed: 1, failed: 1, unknown: 1, failedSpendUsd: "2", costPerPassUsd: "3" });
  });

  it("shows what pending tasks can still make of it", () => {
    const { total } = costOfTasks([task("a", "3", "passed"), task("b", "3", null), task("c", "3", null)], OPTIONS);
    expect(show(total)).toMatchObject({
      pending: 2,
      costPerPassUsd: "9",
      pendingBounds: { allPassUsd: "3", allFailUsd: "9" },
      coverage: "0.3333333333",
    });
  });

  it("keeps spend without a task out of the cost and in the coverage", () => {
    const { total } = costOfTasks(
      [task("a", "3", "passed"), task("", "1", null, { simulatedUsd: parseDecimal("1") })],
      OPTIONS,
    );
    expect(show(total)).toMatchObject({
      spendUsd: "3",
      allSpendUsd: "4",
      tasks: 1,
      pending: 0,
      costPerPassUsd: "3",
      coverage: "0.75",
      simulatedShare: "0.25",
    });
  });

  it("says nothing where nothing is known", () => {
    expect(show(costOfTasks([], OPTIONS).total)).toEqual({
      group: "total",
      spendUsd: "0",
      allSpendUsd: "0",
      failedSpendUsd: "0",
      tasks: 0,
      passed: 0,
      reviewUsd: "0",
      unpricedReviewMinutes: "0",
      unpricedCalls: 0,
      reverted: 0,
      failed: 0,
      unknown: 0,
      pending: 0,
      costPerPassUsd: null,
      interval: null,
      pendingBounds: null,
      coverage: null,
      simulatedShare: null,
    });
    expect(costOfTasks([task("a", "1", null)], OPTIONS).total).toMatchObject({
      costPerPassUsd: null,
      interval: null,
    });
  });

  it("groups, orders by spend, and totals over all tasks rather than over ratios", () => {
    const { rows, total } = costOfTasks(
      [
        task("a", "1", "passed", { group: "x" }),
        task("b", "9", "passed", { group: "y" }),
        task("c", "2", "failed", { group: "x" }),
      ],
      OPTIONS,
    );
    expect(rows.map((row) => [row.group, show(row).costPerPassUsd])).toEqual([
      ["y", "9"],
      ["x", "3"],
    ]);
    expect(show(total)).toMatchObject({ group: "total", spendUsd: "12", costPerPassUsd: "6" });
  });

  it("a third is a third with ten decimals", () => {
    const tasks = [task("a", "1", "passed"), task("b", "0", "passed"), task("c", "0", "passed")];
    expect(show(costOfTasks(tasks, OPTIONS).total).costPerPassUsd).toBe("0.3333333333");
  });

  it("adds up exactly, whatever the split into groups", () => {
    const statuses = fc.constantFrom<OutcomeStatus | null>("passed", "failed", "partial", "unknown", null);
    const drawn = fc.record({
      pico: fc.bigInt(0n, 10n ** 15n),
      status: statuses,
      group: fc.constantFrom("x", "y", "z"),
    });
    fc.assert(
      fc.property(fc.array(drawn, { maxLength: 30 }), (list) => {
        const tasks = list.map(({ pico, status, group }, n) => {
          return task(`t${n}`, amount(pico), status, { group });
        });
        const { rows, total } = costOfTasks(tasks, { ...OPTIONS, resamples: 20 });
        const pico = list.reduce((sum, each) => sum + each.pico, 0n);
        expect(total.spendUsd.times(countToDecimal(10n ** 12n)).toFixed()).toBe(pico.toString());
        expect(sumDecimals(rows.map((row) => row.spendUsd)).eq(total.spendUsd)).toBe(true);
        for (const row of [...rows, total]) expect(row.passed + row.failed + row.unknown + row.pending).toBe(row.tasks);
        expect(rows.reduce((sum, row) => sum + row.passed, 0)).toBe(total.passed);
      }),
      { numRuns: 50 },
    );
  });
});

describe("intervals", () => {
  const many = Array.from({ length: 60 }, (_, n) =>
    task(`t${n}`, `${(n % 7) + 1}.5`, n % 3 === 0 ? "failed" : "passed"),
  );

  it("hold the point estimate, and repeat with the seed in any order of the tasks", () => {
    const { total } = costOfTasks(many, OPTIONS);
    const { interval, costPerPassUsd } = show(total);
    expect(Number(interval.lowUsd)).toBeLessThan(Number(costPerPassUsd));
    expect(Number(interval.highUsd)).toBeGreaterThan(Number(costPerPassUsd));
    expect(interval).toMatchObject({ level: 0.95, method: "bootstrap" });
    expect(show(costOfTasks(many.toReversed(), OPTIONS).total)).toEqual(show(total));
    expect(show(costOfTasks(many, { ...OPTIONS, seed: 2 }).total).interval).not.toEqual(interval);
  });

  it("narrow with the level", () => {
    const width = (level: number): number => {
      const { interval } = show(costOfTasks(many, { ...OPTIONS, level }).total);
      return Number(interval.highUsd) - Number(interval.lowUsd);
    };
    expect(width(0.8)).toBeLessThan(width(0.95));
  });

  it("are a point where all tasks are alike", () => {
    const alike = Array.from({ length: 10 }, (_, n) => task(`t${n}`, "0.25", "passed"));
    expect(show(costOfTasks(alike, OPTIONS).total).interval).toMatchObject({ lowUsd: "0.25", highUsd: "0.25" });
  });

  const some = (size: number, passed: number, pending = 0): TaskSpend[] =>
    Array.from({ length: size + pending }, (_, n) =>
      task(`t${n}`, `${1 + (n % 5)}`, n >= size ? null : n < passed ? "passed" : "failed"),
    );
  const intervalOf = (tasks: TaskSpend[]) => costOfTasks(tasks, OPTIONS).total.interval;

  it("need ten tasks whose outcome is known, and five passes", () => {
    expect(intervalOf(some(9, 9))).toBeNull();
    expect(intervalOf(some(9, 9, 5))).toBeNull();
    expect(intervalOf(some(40, 4))).toBeNull();
    expect(intervalOf(some(10, 5))).not.toBeNull();
  });

  it("reach from where all that is pending passes to where it all fails", () => {
    const ifAll = (status: OutcomeStatus) =>
      intervalOf(some(40, 30, 20).map((task) => ({ ...task, status: task.status ?? status })));
    const { lowUsd, highUsd } = intervalOf(some(40, 30, 20)) ?? {};
    expect([lowUsd, highUsd]).toEqual([ifAll("passed")?.lowUsd, ifAll("failed")?.highUsd]);
    expect(lowUsd?.lt(ifAll("failed")?.lowUsd ?? parseDecimal("0"))).toBe(true);
  });

  it("have no upper bound, and no negative one, where few of many tasks passed", () => {
    const rare = (passes: number) =>
      Array.from({ length: 150 }, (_, n) => task(`t${n}`, "1", n < passes ? "passed" : "failed"));
    const single = estimateRatio(toSums(rare(1).map(sliceTask), OPTIONS), 0.95);
    expect(Number(single.lowUsd?.toFixed())).toBeGreaterThan(0);
    expect(single.highUsd).toBeNull();
    // Of 5 in 150 the exact binomial bounds are 1.09% and 7.61%: 13.1 and 91.7 tries of a dollar for a pass.
    const few = bootstrapRatio(toSample(rare(5)), OPTIONS);
    expect(Number(few.lowUsd?.toFixed())).toBeGreaterThan(10);
    expect(Number(few.highUsd?.toFixed())).toBeLessThanOrEqual(150);
  });

  it("without a pass: at least the mean cost ÷ (1 − 0.05^(1/n)), n being tasks whose outcome is known", () => {
    const none = Array.from({ length: 10 }, (_, n) => task(`t${n}`, "2", "failed"));
    const expected = 2 / (1 - 0.05 ** (1 / 10));
    const { total } = costOfTasks([...none, task("p", "50", null)], OPTIONS);
    expect(show(total)).toMatchObject({
      costPerPassUsd: null,
      interval: {
        lowUsd: expected.toFixed(10).replace(/0+$/, ""),
        highUsd: null,
        method: "zero_pass_bound",
        level: 0.95,
      },
      pendingBounds: { allPassUsd: "70", allFailUsd: null },
    });
  });
});
