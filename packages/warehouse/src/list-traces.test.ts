import { formatDecimal, parseDecimal } from "@centspan/base";
import type { SpanRecord, TraceFilter, TraceSummary } from "@centspan/model";
import { beforeAll, describe, expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { makeCall, makeOutcome, makeSpan, NOON_NS, spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();
let workspaces = 0;
const freshWorkspace = (): string => `w${++workspaces}`;

/** Whatever a list says of a run, its id alone finds the same. */
const list = async (workspace: string, filter: TraceFilter = {}): Promise<TraceSummary[]> => {
  const { data } = await test.warehouse.listTraces(workspace, filter, { limit: 100, cursor: null });
  const heads = await Promise.all(data.map(({ traceId }) => test.warehouse.readTraceHead(workspace, traceId)));
  expect(heads).toEqual(data);
  return data;
};
const ids = async (workspace: string, filter: TraceFilter = {}) =>
  (await list(workspace, filter)).map((trace) => Number.parseInt(trace.traceId, 16));

const runIdentity = (n: number) => ({ "centspan.run.id": `run_${n}`, "centspan.task.id": `task_${n}` });
const makeRoot = (n: number, span: Partial<SpanRecord> = {}): SpanRecord =>
  makeSpan({ traceId: traceId(n), startedAtNs: NOON_NS + BigInt(n), attributes: runIdentity(n), ...span });
const makeChild = (n: number, id: number, span: Partial<SpanRecord> = {}): SpanRecord =>
  makeSpan({ traceId: traceId(n), spanId: spanId(id), parentSpanId: spanId(1), startedAtNs: NOON_NS + 100n, ...span });

describe("a run", () => {
  it("says what its root, its spans, its calls and its outcome say", async () => {
    const workspace = freshWorkspace();
    const attributes = {
      ...runIdentity(1),
      "centspan.task.title": "Totals are off by a cent",
      "centspan.task.type": "bug",
      "centspan.layer": "harness",
    };
    await test.warehouse.insertSpans(workspace, [
      makeRoot(1, { attributes, endedAtNs: NOON_NS + 500n }),
      makeChild(1, 2, { status: "error", endedAtNs: NOON_NS + 9_000n }),
      makeChild(1, 3),
    ]);
    // An exact retry counts once; so does other content under the ids of a span that is there.
    await test.warehouse.insertSpans(workspace, [makeChild(1, 3), makeChild(1, 2, { name: "late" })]);
    const by = { runId: "run_1", task: "task_1", key: "payments", team: "payments", model: "scripted-strong" };
    await test.warehouse.insertCalls(workspace, [
      makeCall("c1", { ...by, provenance: "simulated" }, "0.1"),
      makeCall("c2", { ...by, atNs: NOON_NS + 1n, model: "scripted-cheap", provenance: "measured" }, "0.9"),
      makeCall("c3", { ...by, atNs: NOON_NS + 2n, costUsd: null, costStatus: "unpriced", lines: [] }),
    ]);
    await test.warehouse.insertOutcomes(workspace, [makeOutcome("o", { subject: { task: "task_1", runId: "run_1" } })]);
    const [run] = await list(workspace);
    expect({ ...run, costUsd: formatDecimal(run?.costUsd ?? parseDecimal("0")) }).toEqual({
      traceId: traceId(1),
      runId: "run_1",
      name: "invoke_agent repair",
      task: "task_1",
      taskType: "bug",
      title: "Totals are off by a cent",
      prompt: "",
      key: "payments",
      team: "payments",
      model: "scripted-strong",
      startedAtNs: NOON_NS + 1n,
      durationNs: 499n,
      spans: 3,
      calls: 3,
      errors: 1,
      costUsd: "1",
      provenance: "simulated",
      outcome: "passed",
    });
  });

  it("has no cost while nothing is priced, and the weakest provenance of at least a tenth", async () => {
    const workspace = freshWorkspace();
    await test.warehouse.insertSpans(workspace, [makeRoot(1), makeRoot(2), makeRoot(3)]);
    await test.warehouse.insertCalls(workspace, [
      makeCall("c1", { costUsd: null, costStatus: "unpriced", lines: [] }),
      makeCall("c2", { traceId: traceId(2), provenance: "simulated" }, "0.0999"),
      makeCall("c3", { traceId: traceId(2), provenance: "derived" }, "0.9001"),
    ]);
    const runs = await list(workspace);
    expect(
      runs.map(({ costUsd, provenance, calls }) => [costUsd && formatDecimal(costUsd), provenance, calls]),
    ).toEqual([
      [null, null, 0],
      ["1", "derived", 2],
      [null, null, 1],
    ]);
  });

  it("is never an engine's replica, and still one while its root is missing", async () => {
    const workspace = freshWorkspace();
    await test.warehouse.insertSpans(workspace, [
      ...["inference.decode.step", "inference.kv.evict"].map((name, i) =>
        makeSpan({ traceId: traceId(50), spanId: spanId(i + 1), name }),
      ),
      makeChild(1, 3, { name: "later", startedAtNs: NOON_NS + 9n, endedAtNs: NOON_NS + 30n }),
      makeChild(1, 2, {
        name: "earlier",
        startedAtNs: NOON_NS + 8n,
        endedAtNs: NOON_NS + 10n,
        attributes: runIdentity(1),
      }),
      makeSpan({ traceId: traceId(2), parentSpanId: spanId(1), name: "its own parent", startedAtNs: NOON_NS }),
    ]);
    expect(await list(workspace)).toMatchObject([
      { traceId: traceId(1), name: "earlier", durationNs: 22n, spans: 2, task: "task_1", outcome: "pending" },
      { traceId: traceId(2), name: "its own parent", outcome: null },
    ]);
    await test.warehouse.insertSpans(workspace, [
      makeRoot(1, { startedAtNs: NOON_NS + 20n, endedAtNs: NOON_NS + 21n }),
    ]);
    expect((await list(workspace))[0]).toMatchObject({ name: "invoke_agent repair", durationNs: 1n, spans: 3 });
  });

  it("is as long as all there is of it where its root only says when it began, as of a recorded history", async () => {
    const workspace = freshWorkspace();
    await test.warehouse.insertSpans(workspace, [
      makeRoot(1, { endedAtNs: NOON_NS + 1n }),
      makeChild(1, 2, { endedAtNs: NOON_NS + 9_000n }),
    ]);
    expect(await list(workspace)).toMatchObject([{ durationNs: 8_999n }]);
  });

  it("takes its identity from its calls where its spans say nothing", async () => {
    const workspace = freshWorkspace();
    await test.warehouse.insertSpans(workspace, [makeRoot(1, { attributes: {} })]);
    const identity = { runId: "r", task: "s", sessionId: "s", taskType: "feature", key: "k", team: "t" };
    await test.warehouse.insertCalls(workspace, [makeCall("c", identity)]);
    expect(await list(workspace)).toMatchObject([{ runId: "r", task: "s", taskType: "feature", key: "k", team: "t" }]);
    await test.warehouse.insertOutcomes(workspace, [makeOutcome("o", { subject: { sessionId: "s" } })]);
    expect(await list(workspace)).toMatchObject([{ outcome: "passed" }]);
  });
});

describe("outcomes", () => {
  const twoAttempts = async () => {
    const workspace = freshWorkspace();
    const attempt = (n: number) =>
      makeRoot(n, { attributes: { "centspan.run.id": `run_${n}`, "centspan.task.id": "shared" } });
    await test.warehouse.insertSpans(workspace, [attempt(1), attempt(2)]);
    return {
      workspace,
      statuses: async () => (await list(workspace)).map(({ outcome }) => outcome),
      post: (...outcomes: Parameters<typeof makeOutcome>[]) =>
        test.warehouse.insertOutcomes(
          workspace,
          outcomes.map((outcome) => makeOutcome(...outcome)),
        ),
    };
  };

  it("of one attempt leave the other pending", async () => {
    const { post, statuses } = await twoAttempts();
    expect(await statuses()).toEqual(["pending", "pending"]);
    await post(["o1", { subject: { task: "shared", runId: "run_1" }, status: "failed" }]);
    expect(await statuses()).toEqual(["pending", "failed"]);
    await post(["o2", { subject: { task: "shared", runId: "run_1" }, atNs: NOON_NS + 1n }]);
    expect(await statuses()).toEqual(["pending", "passed"]);
  });

  it("that name no run count for every run of the task that has none of its own", async () => {
    const { post, statuses } = await twoAttempts();
    await post(["o1", { subject: { task: "shared" }, status: "failed", atNs: NOON_NS + 5n }]);
    expect(await statuses()).toEqual(["failed", "failed"]);
    await post(
      ["o2", { subject: { runId: "run_2" } }],
      ["o3", { subject: { traceId: traceId(1) }, status: "partial" }],
    );
    expect(await statuses()).toEqual(["passed", "partial"]);
  });

  it("of tests count before approvals", async () => {
    const { post, statuses } = await twoAttempts();
    await post(
      ["o1", { subject: { runId: "run_1" }, kind: "approved" }],
      ["o2", { subject: { runId: "run_2" }, kind: "custom" }],
    );
    expect(await statuses()).toEqual(["pending", "passed"]);
    await post(["o3", { subject: { runId: "run_1" }, status: "failed", atNs: NOON_NS - 1n }]);
    expect(await statuses()).toEqual(["pending", "failed"]);
  });

  it("of passing tests don't count for work that was reverted", async () => {
    const { post, statuses } = await twoAttempts();
    await post(
      ["o1", { subject: { runId: "run_1" } }],
      ["o2", { subject: { runId: "run_1" }, kind: "approved", status: "failed", atNs: NOON_NS + 1n }],
      ["o3", { subject: { runId: "run_2" } }],
    );
    expect(await statuses()).toEqual(["passed", "failed"]);
  });
});

describe("filters and pages", () => {
  let workspace: string;
  beforeAll(async () => {
    workspace = freshWorkspace();
    await test.warehouse.insertSpans(
      workspace,
      Array.from({ length: 7 }, (_, i) => makeRoot(i + 1, { startedAtNs: NOON_NS + BigInt(Math.floor(i / 3)) })),
    );
    const call = (n: number, more: Parameters<typeof makeCall>[1], cost: string) =>
      makeCall(`c${n}${more?.key}`, { traceId: traceId(n), runId: `run_${n}`, task: `task_${n}`, ...more }, cost);
    await test.warehouse.insertCalls(workspace, [
      call(1, { key: "a", keyId: "key_a", team: "red", model: "strong" }, "0.1"),
      call(1, { key: "b", keyId: "key_b", team: "red", model: "cheap" }, "0.2"),
      call(2, { key: "a", keyId: "key_a", team: "blue", model: "cheap", taskType: "bug", repository: "acme/a" }, "0.3"),
    ]);
    await test.warehouse.insertOutcomes(workspace, [
      makeOutcome("o1", { subject: { runId: "run_1" } }),
      makeOutcome("o2", { subject: { runId: "run_2" }, status: "failed" }),
    ]);
  });

  it.each<[TraceFilter, number[]]>([
    [{ key: "a" }, [2, 1]],
    [{ keyId: "key_b" }, [1]],
    [{ team: "red" }, [1]],
    [{ model: "cheap" }, [2, 1]],
    // One call must match the whole filter: key a never used the cheap model in run 1.
    [{ key: "a", model: "cheap" }, [2]],
    [{ taskType: "bug" }, [2]],
    [{ repository: "acme/a", key: "a" }, [2]],
    [{ repository: "acme/b" }, []],
    [{ task: "task_5" }, [5]],
    [{ runId: "run_6", task: "task_6" }, [6]],
    [{ tasks: ["task_5", "task_1", "none"] }, [5, 1]],
    [{ tasks: ["task_1", "task_2"], model: "cheap", key: "a" }, [2]],
    [{ tasks: [] }, []],
    [{ task: "task_1", model: "cheap" }, [1]],
    [{ traceId: traceId(3) }, [3]],
    [{ traceId: traceId(9) }, []],
    [{ traceId: traceId(1), status: "passed" }, [1]],
    [{ traceId: traceId(3), key: "a" }, []],
    [{ status: "passed" }, [1]],
    [{ status: "failed", key: "a" }, [2]],
    [{ status: "pending" }, [7, 6, 5, 4, 3]],
    [{ minCostUsd: parseDecimal("0.3") }, [2, 1]],
    [{ minCostUsd: parseDecimal("0.300000000001") }, []],
    [{ range: { fromNs: NOON_NS + 1n, toNs: NOON_NS + 2n } }, [6, 5, 4]],
    [{ range: { fromNs: NOON_NS, toNs: NOON_NS + 1n }, status: "pending" }, [3]],
    [{ key: "nobody" }, []],
  ])("%o", async (filter, expected) => {
    expect(await ids(workspace, filter)).toEqual(expected);
  });

  it("find a run by its session, and by an attribute of any of its spans", async () => {
    const own = freshWorkspace();
    await test.warehouse.insertSpans(own, [
      makeRoot(1, { attributes: { "session.id": "s" } }),
      makeRoot(2),
      makeChild(2, 3, { attributes: { "http.route": "/pay", "session.id": "t", empty: "" } }),
    ]);
    await test.warehouse.insertCalls(own, [makeCall("c", { traceId: traceId(2), sessionId: "s" })]);
    expect(await ids(own, { sessionId: "s" })).toEqual([2, 1]);
    expect(await ids(own, { sessionId: "t" })).toEqual([2]);
    // One span must say all of it: the root says the run, its child the session.
    expect(await ids(own, { sessionId: "t", runId: "run_2" })).toEqual([]);
    expect(await ids(own, { attribute: { key: "http.route", value: "/pay" } })).toEqual([2]);
    expect(await ids(own, { attribute: { key: "empty", value: "" } })).toEqual([2]);
    expect(await ids(own, { attribute: { key: "http.route", value: "/" } })).toEqual([]);
  });

  it("leave out what a client traced of its own housekeeping, when only runs are asked for", async () => {
    const own = freshWorkspace();
    await test.warehouse.insertSpans(own, [
      makeSpan({ traceId: traceId(1), spanId: spanId(1), name: "auth" }),
      makeSpan({ traceId: traceId(2), spanId: spanId(2), name: "session_task.turn" }),
      makeRoot(3),
    ]);
    await test.warehouse.insertCalls(own, [makeCall("c", { traceId: traceId(2) })]);
    expect((await ids(own, { onlyRuns: true })).sort()).toEqual([2, 3]);
    expect((await ids(own, {})).sort()).toEqual([1, 2, 3]);
  });

  it("give each run once, page by page, while newer ones arrive", async () => {
    const own = freshWorkspace();
    await test.warehouse.insertSpans(
      own,
      Array.from({ length: 7 }, (_, i) => makeRoot(i + 1, { startedAtNs: NOON_NS + BigInt(Math.floor(i / 3)) })),
    );
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const page = await test.warehouse.listTraces(own, {}, { limit: 2, cursor });
      seen.push(...page.data.map((trace) => Number.parseInt(trace.traceId, 16)));
      cursor = page.nextCursor;
      await test.warehouse.insertSpans(own, [makeRoot(100 + seen.length)]);
    } while (cursor !== null);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
    await expect(test.warehouse.listTraces(own, {}, { limit: 2, cursor: "x" })).rejects.toMatchObject({
      field: "cursor",
    });
  });

  it("reach past what fits one question", async () => {
    const own = freshWorkspace();
    await test.warehouse.insertSpans(
      own,
      Array.from({ length: 150 }, (_, i) => makeRoot(i + 1)),
    );
    const { data } = await test.warehouse.listTraces(own, {}, { limit: 140, cursor: null });
    expect(data.map(({ task }) => task)).toEqual(Array.from({ length: 140 }, (_, i) => `task_${150 - i}`));
  });
});
