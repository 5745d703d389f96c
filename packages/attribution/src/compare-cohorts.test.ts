import { createRandom, formatDecimal, parseDecimal, type Random, ZERO } from "@centspan/base";
import { EMPTY_TASK_SPEND, type OutcomeStatus, type TaskSpend } from "@centspan/model";
import { describe, expect, it } from "vitest";
import {
  type EvaluationRun,
  findAttemptReturns,
  findCheapest,
  findGroupReturns,
  judgeEvaluation,
  sliceTask,
} from "./index.ts";
import { normalQuantile, shareInterval } from "./ratio-interval.ts";
import { compareTasks, costOfTasks } from "./testing/tasks.ts";

const OPTIONS = { level: 0.95, seed: 1, resamples: 2000 };

const task = (
  name: string,
  costUsd: number,
  status: OutcomeStatus | null,
  rest: Partial<TaskSpend> = {},
): TaskSpend => ({
  ...EMPTY_TASK_SPEND,
  task: name,
  group: "g",
  costUsd: parseDecimal(costUsd.toFixed(6)),
  calls: 1,
  status,
  ...rest,
});
/** Costs that differ from task to task around a mean, so many of them passing. */
const cohort = (size: number, meanUsd: number, passed: number): TaskSpend[] =>
  Array.from({ length: size }, (_, n) =>
    task(`t${n}`, meanUsd * (0.5 + ((n * 7919) % 101) / 100), (n * 31) % size < passed ? "passed" : "failed"),
  );

describe("two cohorts", () => {
  it("differ where the interval of the difference says so", () => {
    const found = compareTasks(cohort(200, 1, 150), cohort(200, 2, 150), OPTIONS);
    expect(found).toMatchObject({ verdict: "b_higher", passRateVerdict: "not_shown", moreTasks: 0 });
    expect(found.costPerPass?.low?.gt(parseDecimal("0"))).toBe(true);
    const turned = compareTasks(cohort(200, 2, 150), cohort(200, 1, 150), OPTIONS);
    expect(turned.verdict).toBe("b_lower");
  });

  it("don't where it may be chance, and as many more tasks as are said to would show it", () => {
    const sizes = [60, 60] as const;
    const found = compareTasks(cohort(sizes[0], 1, 40), cohort(sizes[1], 1.1, 40), OPTIONS);
    expect(found.verdict).toBe("not_shown");
    const more = found.moreTasks ?? 0;
    expect(more).toBeGreaterThan(0);
    const times = (sizes[0] + sizes[1] + more) / (sizes[0] + sizes[1]);
    const grown = (mean: number) => cohort(Math.ceil(60 * times), mean, Math.ceil(40 * times));
    expect(compareTasks(grown(1), grown(1.1), OPTIONS).verdict).toBe("b_higher");
  });

  it("of the same tasks never differ, whatever the seed", () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const same = cohort(80, 1, 50);
      expect(compareTasks(same, same, { ...OPTIONS, seed })).toMatchObject({ verdict: "not_shown", moreTasks: null });
    }
  });

  it("one without a pass is held against the other by its bound", () => {
    const none = Array.from({ length: 40 }, (_, n) => task(`n${n}`, 10, "failed"));
    expect(compareTasks(cohort(100, 0.5, 90), none, OPTIONS)).toMatchObject({
      verdict: "b_higher",
      costPerPass: null,
    });
    expect(compareTasks(none, none, OPTIONS).verdict).toBe("not_shown");
    expect(compareTasks(none, [], OPTIONS).verdict).toBe("no_data");
  });

  it("of too few tasks say how many are missing, and nothing else", () => {
    const alike = (size: number, costUsd: number, passed = size) =>
      Array.from({ length: size }, (_, n) => task(`t${n}`, costUsd, n < passed ? "passed" : "failed"));
    const tell = (a: TaskSpend[], b: TaskSpend[]) => {
      const { verdict, costPerPass, moreTasks } = compareTasks(a, b, OPTIONS);
      return { verdict, costPerPass, moreTasks };
    };
    const nothing = { verdict: "no_data", costPerPass: null };
    expect(tell(alike(2, 1), alike(2, 2))).toEqual({ ...nothing, moreTasks: 16 });
    expect(tell(alike(100, 1, 70), alike(2, 9, 0))).toEqual({ ...nothing, moreTasks: 8 });
    expect(tell(alike(100, 1, 70), alike(60, 9, 3))).toEqual({ ...nothing, moreTasks: 2 });
    expect(tell(alike(10, 1, 5), alike(10, 2, 5))).not.toMatchObject(nothing);
  });

  const drawWith = (random: Random) => (size: number) =>
    Array.from({ length: size }, (_, n) => {
      const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
      return task(`t${n}`, Math.exp(normal), random.next() < 0.7 ? "passed" : "failed");
    });

  // Costs as skewed as those of the recorded runs of a large project; percentiles miss in 10 to 14%, 5% are meant.
  it.each([10, 15, 20, 30])("of %i tasks each have intervals that seldom miss", (size) => {
    const draw = drawWith(createRandom(size));
    const truth = Math.exp(0.5) / 0.7;
    const intervals = Array.from({ length: 400 }, () => {
      const options = { ...OPTIONS, resamples: 400 };
      return costOfTasks(draw(size), options).total.interval;
    }).filter((interval) => interval !== null);
    const missed = intervals.filter(
      ({ lowUsd, highUsd }) =>
        Number(lowUsd?.toFixed()) > truth || Number(highUsd?.toFixed() ?? Number.POSITIVE_INFINITY) < truth,
    );
    expect(intervals.length).toBeGreaterThan(350);
    expect(missed.length / intervals.length).toBeLessThan(0.09);
  });

  it("of the same kind of tasks are told apart about as often as the level allows", () => {
    const draw = drawWith(createRandom(7));
    const trials = Array.from({ length: 200 }, () => compareTasks(draw(20), draw(20), { ...OPTIONS, resamples: 400 }));
    const claimed = trials.filter(({ verdict }) => verdict === "b_lower" || verdict === "b_higher");
    expect(claimed.length / trials.length).toBeLessThan(0.1);
  });

  it("are told apart only where what is pending can't change it", () => {
    const passed = cohort(100, 1, 100);
    const since = passed.map((one, n) => (n < 50 ? { ...one, status: null } : one));
    const found = compareTasks(passed, since, OPTIONS);
    expect(found).toMatchObject({ verdict: "not_shown", b: { pending: 50 } });
    expect(found.moreTasks).not.toBe(0);
    expect(found.costPerPass?.low?.lt(ZERO) && found.costPerPass.high?.gt(ZERO)).toBe(true);
    expect(compareTasks(since, passed, OPTIONS).verdict).toBe("not_shown");
    const dear = since.map((one) => ({ ...one, costUsd: one.costUsd.times(parseDecimal("9")) }));
    expect(compareTasks(passed, dear, OPTIONS).verdict).toBe("b_higher");
    // Without a pass they cost 3.40 for one at least; if all that is pending passes, 0.20.
    const none = cohort(100, 0.1, 0).map((one, n) => (n < 50 ? { ...one, status: null } : one));
    expect(compareTasks(passed, none, OPTIONS).verdict).toBe("not_shown");
  });

  it("are never cheaper for what has no price", () => {
    const [dear, cheap] = [cohort(100, 2, 90), cohort(100, 1, 90)];
    const unpriced = (spend: TaskSpend[]) => spend.map((one) => ({ ...one, calls: 100, unpricedCalls: 1 }));
    const unrated = (spend: TaskSpend[]) => spend.map((one) => ({ ...one, reviewMinutes: parseDecimal("30") }));
    for (const leaveOut of [unpriced, unrated]) {
      expect(compareTasks(dear, leaveOut(cheap), OPTIONS)).toMatchObject({
        verdict: "not_shown",
        costPerPass: { high: null },
        moreTasks: null,
      });
      expect(compareTasks(leaveOut(cheap), dear, OPTIONS).verdict).toBe("not_shown");
      expect(compareTasks(cheap, leaveOut(dear), OPTIONS).verdict).toBe("b_higher");
    }
  });
});

describe("the cheapest of several groups", () => {
  const named = (group: string, spend: TaskSpend[]) =>
    spend.map((one) => ({ ...one, group, task: `${group} ${one.task}` }));
  const find = (...spend: TaskSpend[][]) => findCheapest(costOfTasks(spend.flat(), OPTIONS).rows, OPTIONS.level);
  const least = named("least", cohort(100, 1, 70));

  it("is certain only against each of the others, not against the next alone", () => {
    const [next, far] = [named("next", cohort(100, 2, 70)), named("far", cohort(100, 3, 70))];
    expect(find(far, least, next)).toEqual({ group: "least", against: "next", openAgainst: [] });
    // Its passes seem dearer than those of the next, but of so few nothing is shown.
    const few = named("few", cohort(12, 1, 4));
    expect(find(far, least, next, few)).toEqual({ group: "least", against: "few", openAgainst: ["few"] });
    const none = named("none", cohort(3, 9, 0));
    expect(find(least, next, none)).toEqual({ group: "least", against: "none", openAgainst: ["none"] });
    expect(find(least, next, named("without", cohort(60, 9, 0)))).toEqual({
      group: "least",
      against: "next",
      openAgainst: [],
    });
  });

  it("is none of what has no name, nor one whose cost is not all known while there is another", () => {
    const unpriced = named("unpriced", cohort(100, 0.1, 70)).map((one) => ({ ...one, calls: 9, unpricedCalls: 1 }));
    expect(find(unpriced, least)).toEqual({ group: "least", against: "unpriced", openAgainst: ["unpriced"] });
    expect(find(named("", cohort(100, 0.1, 70)), least)).toBeNull();
  });
});

// Wilson: Newcombe 1998, table I (81 of 263). Quantiles: any table of the normal distribution.
it("intervals of shares and quantiles are those of tables", () => {
  const { low, high } = shareInterval(81, 263, 0.95);
  expect([low, high].map((bound) => bound.toFixed(4))).toEqual(["0.2553", "0.3662"]);
  expect(shareInterval(0, 10, 0.95).low).toBe(0);
  expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 6);
  expect(normalQuantile(0.8)).toBeCloseTo(0.841621, 6);
});

it("attempts of one number are added up over all tasks", () => {
  const sum = (tasks: number, passes: number, usd: string) => ({ tasks, passes, costUsd: parseDecimal(usd) });
  const tried = [
    { ...sliceTask(task("a", 6, "passed")), attempts: [sum(1, 1, "1"), sum(1, 0, "5")] },
    { ...sliceTask(task("", 13, "passed")), tasks: 2, attempts: [sum(2, 0, "10"), sum(1, 1, "4")] },
    sliceTask(task("", 7, null)),
  ];
  const brief = findAttemptReturns(tried).map((row) => ({
    ...row,
    spendUsd: formatDecimal(row.spendUsd),
    costPerFurtherPassUsd: row.costPerFurtherPassUsd && formatDecimal(row.costPerFurtherPassUsd),
  }));
  expect(brief).toEqual([
    { attempt: 1, tasks: 3, morePasses: 1, spendUsd: "11", costPerFurtherPassUsd: "11" },
    { attempt: 2, tasks: 2, morePasses: 1, spendUsd: "9", costPerFurtherPassUsd: "9" },
  ]);
});

it("ten times the spend for six points more is shown as such", () => {
  const group = (name: string, costUsd: number, passed: number, tasks = 1000) =>
    Array.from({ length: tasks }, (_, n) => ({
      ...task(`${name}${n}`, costUsd, n < passed ? "passed" : "failed"),
      group: name,
    }));
  const hold = (spend: TaskSpend[]) => findGroupReturns(costOfTasks(spend, OPTIONS).rows, OPTIONS.level);
  const [frugal, lavish] = hold([...group("lavish", 10, 760), ...group("frugal", 1, 700)]);
  expect(frugal).toMatchObject({ group: "frugal", summary: "spends least for a task" });
  expect([
    lavish?.spendTimes?.toFixed(),
    lavish?.passRateGain.toFixed(),
    lavish?.costPerFurtherPassUsd?.toFixed(),
  ]).toEqual(["10", "0.06", "150"]);
  expect(lavish?.summary).toBe(
    "spends 10.0 times as much for a task as frugal, and passes 6.0 points more: 150.00 USD for each further pass",
  );
  const [, single] = hold([...group("lavish", 10, 1, 1), ...group("frugal", 1, 0, 1)]);
  expect(single).toMatchObject({ costPerFurtherPassUsd: null });
  expect(single?.summary).toBe(
    "spends 10.0 times as much for a task as frugal, and passes 100.0 points more, which may be chance",
  );
  const pending = group("lavish", 10, 760).map((one, n) => (n < 500 ? { ...one, status: null } : one));
  const [, half] = hold([...pending, ...group("frugal", 1, 700)]);
  expect(half?.passRateGain.toFixed()).toBe("-0.18");
});

describe("ways that are held against a bar", () => {
  const way = (name: string, tasks: number, passed: number, costUsd: number) =>
    cohort(tasks, costUsd, passed).map((one) => ({
      ...one,
      task: `${name} ${one.task}`,
      group: name,
      setTask: one.task,
    }));
  const judge = (runs: EvaluationRun[], maxCostPerPassUsd: string | null = null) => {
    const tasks = [...new Set(runs.map(({ setTask }) => setTask))];
    const most = maxCostPerPassUsd === null ? null : parseDecimal(maxCostPerPassUsd);
    return judgeEvaluation(runs, { tasks, minPassRate: 0.8, maxCostPerPassUsd: most }, OPTIONS);
  };

  it("the cheapest counts of those that are shown to meet it", () => {
    const { ways, cheapest } = judge([
      ...way("strong", 100, 95, 5),
      ...way("small", 100, 93, 1),
      ...way("tiny", 100, 50, 0.1),
    ]);
    expect(cheapest).toBe("small");
    expect(ways.map(({ way: name, verdict }) => [name, verdict])).toEqual([
      ["tiny", "misses"],
      ["small", "meets"],
      ["strong", "meets"],
    ]);
    expect(judge(way("strong", 100, 95, 5), "1").cheapest).toBeNull();
  });

  it("nothing is claimed of a few, and as many more as are said decide it", () => {
    const [few] = judge(way("small", 10, 9, 1)).ways;
    expect(few).toMatchObject({ verdict: "not_shown" });
    const tasks = 10 + (few?.moreTasks ?? 0);
    expect(judge(way("small", tasks, Math.ceil(tasks * 0.9), 1)).cheapest).toBe("small");
  });

  it("what a pass may cost is missed, or met, only where its interval says so", () => {
    const verdictAt = (most: string) => judge(way("small", 100, 95, 1), most).ways[0]?.verdict;
    expect(["0.5", "1.05", "2"].map(verdictAt)).toEqual(["misses", "not_shown", "meets"]);
    const pending = way("more", 600, 0, 1).map((run) => ({ ...run, group: "small", status: null, setTask: "t1" }));
    expect(judge([...way("small", 100, 95, 1), ...pending], "2").ways[0]?.verdict).toBe("not_shown");
    const unpriced = way("small", 100, 95, 1).map((run, n) => (n === 0 ? { ...run, calls: 2, unpricedCalls: 1 } : run));
    expect(judge(unpriced, "2").ways[0]?.verdict).toBe("not_shown");
  });

  it("none is the cheapest of those that cost about the same", () => {
    const found = judge([...way("p", 60, 58, 5), ...way("q", 60, 58, 5.1)]);
    expect(found.ways.map(({ verdict }) => verdict)).toEqual(["meets", "meets"]);
    expect(found.cheapest).toBeNull();
  });

  it("nothing is shown before all tasks were tried, and each weighs the same", () => {
    const half = way("small", 100, 100, 1).map((run, n) => ({ ...run, setTask: n < 99 ? "easy" : "hard" }));
    const bar = { minPassRate: 0.8, maxCostPerPassUsd: null };
    const judgeSet = (runs: EvaluationRun[], tasks: string[]) => judgeEvaluation(runs, { ...bar, tasks }, OPTIONS).ways;
    expect(judgeSet(half, ["easy", "hard", "other"])).toMatchObject([{ verdict: "not_shown", moreTasks: 1 }]);
    // One round of both is two runs, whatever the easy one was run.
    expect(judgeSet(half, ["easy", "hard"])).toMatchObject([{ verdict: "not_shown" }]);
    const even = half.map((run, n) => ({ ...run, setTask: n % 2 ? "easy" : "hard" }));
    expect(judgeSet(even, ["easy", "hard"])).toMatchObject([{ verdict: "meets" }]);
  });
});
