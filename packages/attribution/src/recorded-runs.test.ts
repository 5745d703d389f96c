/** What the 500 recorded runs cost for each task that they resolved, against the figures of the maintainers. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countToDecimal, formatDecimal, parseDecimal, parseInstant, ratio } from "@centspan/base";
import { type Call, EMPTY_BUCKETS, EMPTY_CALL, type TaskSpend } from "@centspan/model";
import { listPrices, rateCall } from "@centspan/pricing";
import { beforeAll, describe, expect, it } from "vitest";
import { compareTasks, costOfTasks, show, task } from "./testing/tasks.ts";

const OPTIONS = { level: 0.95, seed: 1, resamples: 2000 };

const shared = process.env.CENTSPAN_SHARED;
const path = join(shared ?? "", "data/trajectories/mini-swe-agent-gemini-3-pro/stats_all_500.json");
if (shared && !existsSync(path)) throw new Error(`CENTSPAN_SHARED is set, but ${path} is missing`);

type Stats = {
  instance_id: string;
  resolved: boolean;
  calls: number;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
};

describe.skipIf(!shared)("the 500 recorded runs (set CENTSPAN_SHARED)", () => {
  let tasks: TaskSpend[];
  let found: ReturnType<typeof costOfTasks>;
  beforeAll(() => {
    const stats: Stats[] = JSON.parse(readFileSync(path, "utf8"));
    tasks = stats.map((run) => {
      const { costUsd } = rateCall(toAggregate(run), listPrices, "run");
      return {
        ...task(run.instance_id, "0", run.resolved ? "passed" : "failed"),
        // As `django__django-10999`.
        group: run.instance_id.split("__")[0] ?? "",
        costUsd: costUsd ?? parseDecimal("-1"),
      };
    });
    found = costOfTasks(tasks, OPTIONS);
  });
  const ofGroup = (group: string) => found.rows.find((row) => row.group === group);

  it("cost 0.6211841714 USD per resolved task, a third of it for runs that failed", () => {
    const { total } = found;
    expect(show(total)).toMatchObject({
      spendUsd: "230.4593276",
      tasks: 500,
      passed: 371,
      failed: 129,
      costPerPassUsd: "0.6211841714",
      coverage: "1",
      simulatedShare: "0",
    });
    const failedShare = total.failedSpendUsd.div(total.spendUsd).times(countToDecimal(100)).round(2);
    expect(formatDecimal(failedShare)).toBe("33.84");
    const { lowUsd, highUsd } = show(total).interval;
    expect(Number(lowUsd)).toBeCloseTo(0.567, 2);
    expect(Number(highUsd)).toBeCloseTo(0.68, 2);
  });

  it("would seem to cost 0.411 if only what passed were divided", () => {
    const { spendUsd, failedSpendUsd, passed } = found.total;
    expect(ratio(spendUsd.minus(failedSpendUsd), countToDecimal(passed))?.toFixed(3)).toBe("0.411");
  });

  it("cost by repository what was published", () => {
    const published = { django: "0.550", sympy: "0.698", "sphinx-doc": "0.894", "pylint-dev": "3.559" };
    const computed = Object.keys(published).map((group) => [group, ofGroup(group)?.costPerPassUsd?.toFixed(3)]);
    expect(Object.fromEntries(computed)).toEqual(published);
    expect(ofGroup("pylint-dev")).toMatchObject({ passed: 2, tasks: 10, interval: null });
  });

  it("of mwaskom, without a pass yet, have a bound: a pass costs at least 0.787 USD", () => {
    expect(ofGroup("mwaskom")).toMatchObject({ passed: 0, tasks: 2, costPerPassUsd: null });
    const { lowUsd, highUsd, method } = ofGroup("mwaskom")?.interval ?? {};
    expect([lowUsd?.toFixed(3), highUsd, method]).toEqual(["0.787", null, "zero_pass_bound"]);
  });

  it("let it be said who is cheaper only where the intervals do", () => {
    const compare = (a: string, b: string) =>
      compareTasks(
        tasks.filter(({ group }) => group === a),
        tasks.filter(({ group }) => group === b),
        OPTIONS,
      );
    expect(compare("django", "sphinx-doc").verdict).toBe("b_higher");
    expect(compare("django", "sympy").verdict).toBe("not_shown");
    expect(compare("sympy", "sphinx-doc").verdict).toBe("not_shown");
    // However far apart they seem: of 2 passes, and of none, too little is known.
    expect(compare("django", "pylint-dev").verdict).toBe("no_data");
    expect(compare("django", "mwaskom").verdict).toBe("no_data");
    for (const { group, interval } of found.rows) {
      const { verdict, costPerPass } = compare("django", group);
      const isClaimed = verdict === "b_lower" || verdict === "b_higher";
      if (!isClaimed) continue;
      expect([group, interval !== null]).toEqual([group, true]);
      expect([group, costPerPass?.low?.gt("0") || costPerPass?.high?.lt("0")]).toEqual([group, true]);
    }
  });
});

function toAggregate(run: Stats): Call {
  return {
    ...EMPTY_CALL,
    callId: run.instance_id,
    atNs: parseInstant("2025-11-19") ?? 0n,
    provider: "google",
    model: "gemini-3-pro-preview",
    source: "import",
    requests: run.calls,
    buckets: {
      ...EMPTY_BUCKETS,
      input: run.prompt_tokens - run.cached_tokens,
      cacheRead: run.cached_tokens,
      outputText: run.completion_tokens,
    },
  };
}
