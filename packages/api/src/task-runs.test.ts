/** Tasks with their runs, as the route tells them. */
import { parseDecimal, parseInstant } from "@centspan/base";
import type { SpanRecord } from "@centspan/model";
import { beforeAll, expect, it } from "vitest";
import { makeCall, useApi } from "./testing/use-api.ts";

const nowNs = parseInstant("2026-12-01T12:00:00Z") ?? 0n;
const DAY_NS = 86_400_000_000_000n;
const { warehouse, client } = useApi("tasks");
const traceId = (n: number): string => String(n).padStart(32, "0");
const SPAN = "1".padStart(16, "0");

const RUNS = [
  { n: 1, task: "mend", daysAgo: 40, usd: "1", status: "failed" },
  { n: 2, task: "mend", daysAgo: 3, usd: "2", status: "passed" },
  { n: 3, task: "open", daysAgo: 2, usd: "4" },
  { n: 4, task: "lost", daysAgo: 1, usd: "8", status: "failed", team: "other" },
] as const;

const span = (n: number, task: string, atNs: bigint): SpanRecord => ({
  ...{
    traceId: traceId(n),
    spanId: SPAN,
    parentSpanId: "",
    name: "invoke_agent repair",
    kind: "internal",
    service: "s",
  },
  ...{ startedAtNs: atNs, endedAtNs: atNs + 5n, status: "ok", statusMessage: "", resourceAttributes: {} },
  attributes: { "centspan.run.id": `run_${n}`, "centspan.task.id": task, "centspan.task.title": `Title of ${task}` },
  ...{ scopeName: "", trusted: true, events: [], links: [] },
});

beforeAll(async () => {
  for (const { n, task, daysAgo, usd, ...more } of RUNS) {
    const atNs = nowNs - BigInt(daysAgo) * DAY_NS;
    const team = "team" in more ? more.team : "core";
    await warehouse.insertSpans("tasks", [span(n, task, atNs)]);
    await warehouse.insertCalls("tasks", [
      makeCall({
        ...{ callId: `call_${n}`, atNs, traceId: traceId(n), spanId: SPAN, runId: `run_${n}`, task, team },
        ...{ costStatus: "rated", costUsd: parseDecimal(usd) },
      }),
    ]);
    if ("status" in more) {
      const same = { kind: "tests", weight: 1, source: "junit", evidence: {} } as const;
      const subject = { task, runId: `run_${n}` };
      await warehouse.insertOutcomes("tasks", [
        { ...same, status: more.status, outcomeId: `o_${n}`, subject, atNs: atNs + 1n },
      ]);
    }
  }
  await warehouse.refreshTraceSummaries(0n);
});

it("tells each task's attempts in their order, which of them passed, and what the failed ones cost", async () => {
  const { data, total, nextCursor } = await client.taskRuns({});
  expect(
    data.map(({ task, title, status, attempts, failedUsd, costUsd, runs }) => [
      ...[task, title, status, attempts, failedUsd, costUsd],
      runs.map((run) => [run.traceId, run.outcome, run.costUsd]),
    ]),
  ).toEqual([
    ["lost", "Title of lost", "failed", 1, "8", "8", [[traceId(4), "failed", "8"]]],
    ["open", "Title of open", "pending", 1, "0", "4", [[traceId(3), "pending", "4"]]],
    [
      ...["mend", "Title of mend", "passed", 2, "1", "3"],
      [
        [traceId(1), "failed", "1"],
        [traceId(2), "passed", "2"],
      ],
    ],
  ]);
  expect([total, nextCursor]).toEqual([3, null]);
});

it("chooses tasks by their first call, and tells all of their runs all the same", async () => {
  const names = async (query: Record<string, string>) =>
    (await client.taskRuns(query)).data.map(({ task, runs }) => [task, runs.length]);
  expect(await names({ from: "2026-10-01", to: "2026-11-01" })).toEqual([["mend", 2]]);
  expect(await names({ from: "2026-11-20" })).toEqual([
    ["lost", 1],
    ["open", 1],
  ]);
  expect(await names({ team: "other" })).toEqual([["lost", 1]]);
  expect(await names({ status: "pending" })).toEqual([["open", 1]]);
  expect(await names({ task: "nothing" })).toEqual([]);
});

it("comes page by page, and knows nothing that is of runs alone", async () => {
  const first = await client.taskRuns({ limit: "2" });
  const second = await client.taskRuns({ limit: "2", cursor: first.nextCursor ?? "" });
  expect([...first.data, ...second.data].map(({ task }) => task)).toEqual(["lost", "open", "mend"]);
  expect(second.nextCursor).toBeNull();
  await expect(client.taskRuns({ minCostUsd: "1" })).rejects.toMatchObject({ code: "invalid_request" });
});
