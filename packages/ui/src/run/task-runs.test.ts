import type { TaskRunsRow, TraceRow } from "@centspan/model";
import { expect, it } from "vitest";
import { prepareTaskRuns } from "./prepare-task-runs.ts";

const run = (traceId: string, outcome: TraceRow["outcome"], more: Partial<TraceRow> = {}): TraceRow => ({
  ...{ traceId, runId: "", name: "", title: "", task: "t", taskType: "", key: "", team: "", model: "m" },
  ...{ startedAt: "2026-11-29T18:00:00.000000000Z", durationNs: "6100000000", spans: 9, calls: 12, errors: 0 },
  ...{ costUsd: "0.005", wasteUsd: null, provenance: "measured", outcome, anomalies: [] },
  ...more,
});
const task = (runs: TraceRow[], more: Partial<TaskRunsRow> = {}): TaskRunsRow => ({
  ...{ task: "t", group: "t", team: "core", firstCallAt: "2026-11-29T18:00:00.000000000Z", attempts: runs.length },
  ...{ calls: 1_200, unpricedCalls: 0, costUsd: "0.5", reviewMinutes: "0", reviewUsd: null, status: "passed" },
  ...{ reverted: false, outcomeId: null, source: null, linkedBy: null, confidence: null, decidedAt: null },
  ...{ accountable: null, title: "", failedUsd: "0", runs },
  ...more,
});

it("says of a task what its failed attempts cost, and of each attempt what it took", () => {
  const runs = [
    run("a", "failed"),
    run("b", null, { durationNs: "-1", costUsd: null }),
    run("c", null, { costUsd: null, calls: 0 }),
  ];
  const [shown] = prepareTaskRuns([task(runs, { failedUsd: "0.005", title: "Mend it" })]);
  expect(shown).toMatchObject({ title: "Mend it", cost: "$0.5000", failed: "$0.0050", calls: "1,200", notListed: 0 });
  expect(shown?.runs).toMatchObject([
    { number: "1", duration: "6.1 s", calls: "12", cost: "$0.0050" },
    { number: "2", duration: null, cost: null },
    { number: "3", cost: "–" },
  ]);
});

it("counts attempts from the first, those that are not listed too; one that has no title is called by its task", () => {
  const [shown] = prepareTaskRuns([task([run("y", "failed"), run("z", "passed")], { attempts: 1_001 })]);
  expect(shown).toMatchObject({ title: "t", failed: null, notListed: 999 });
  expect(shown?.runs.map(({ number }) => number)).toEqual(["1,000", "1,001"]);
});

it.each<[what: string, outcomes: TraceRow["outcome"][], two: [string, string] | null]>([
  ["the first that passed with the one before", ["failed", "failed", "passed", "passed"], ["1", "2"]],
  ["the last two where none passed", ["failed", "failed", "pending"], ["1", "2"]],
  ["the last two where the first passed", ["passed", "failed"], ["0", "1"]],
  ["none of one run", ["passed"], null],
  ["none of no run", [], null],
])("compares %s", (_what, outcomes, two) => {
  const runs = outcomes.map((outcome, at) => run(`${at}`, outcome));
  expect(prepareTaskRuns([task(runs)])[0]?.toCompare).toEqual(two);
});
