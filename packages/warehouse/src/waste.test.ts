import { parseDecimal } from "@centspan/base";
import { expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import {
  HOUR_NS,
  makeCall,
  makeOutcome,
  makeSpan,
  makeWasteItem,
  NOON_NS,
  spanId,
  traceId,
} from "./testing/records.ts";

const test = useWarehouse();
let workspaces = 0;
const freshWorkspace = (): string => `w${++workspaces}`;

const show = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_name, part) => (typeof part === "bigint" ? `${part}` : part)));
const names = ["centspan.prefix.kept"];

it("tells of runs with news, whether calls, spans or outcomes, and of what is known of them", async () => {
  const workspace = freshWorkspace();
  const { warehouse } = test;
  const read = async (sinceNs: bigint) => {
    const { asOfNs, runs } = await warehouse.listChangedRuns(sinceNs);
    const own = runs.filter((run) => run.workspace === workspace);
    return { asOfNs, runs: own, facts: await warehouse.readRuns(workspace, own, names) };
  };
  const attributes = { "centspan.prefix.kept": "true", "centspan.run.id": "r", "gen_ai.input.messages": "long" };
  const inLayer = { "centspan.layer": "api" };
  await warehouse.insertSpans(workspace, [
    makeSpan({ name: "chat m", attributes: { ...attributes, ...inLayer } }),
    makeSpan({ spanId: spanId(2), name: "loop.turn", attributes: { "centspan.run.id": "another", ...inLayer } }),
    makeSpan({ spanId: spanId(3), name: "their own" }),
    makeSpan({ traceId: traceId(2), name: "chat m", attributes: { "centspan.run.id": "r", ...inLayer } }),
  ]);
  await warehouse.insertCalls(workspace, [
    makeCall("a", { runId: "r", task: "t" }),
    makeCall("b", { sessionId: "s", spanId: spanId(3), source: "client" }),
  ]);
  const first = await read(0n);
  expect(first.runs.map(({ run, traceIds }) => ({ run, traceIds }))).toEqual([
    { run: "run r", traceIds: [traceId(1)] },
  ]);
  const { calls, spans, outcomes } = first.facts.get("run r") ?? {};
  expect(calls?.map(({ callId }) => callId)).toEqual(["a"]);
  expect(spans?.map(({ name, attributes: said }) => ({ name, said }))).toEqual([
    { name: "chat m", said: { "centspan.prefix.kept": "true" } },
    { name: "their own", said: {} },
  ]);
  expect(outcomes).toEqual(new Map());
  const latest = first.runs[0]?.seenNs ?? 0n;
  expect((await read(latest + 1n)).runs).toEqual([]);

  await warehouse.insertOutcomes(workspace, [makeOutcome("o1", { subject: { task: "t" }, status: "passed" })]);
  const passed = await read(latest + 1n);
  expect(passed.facts.get("run r")?.outcomes.get("a")).toBe("passed");
  const later = makeOutcome("o2", { subject: { runId: "r" }, status: "failed", atNs: NOON_NS + 1n });
  await warehouse.insertOutcomes(workspace, [later]);
  const failed = await read((passed.runs[0]?.seenNs ?? 0n) + 1n);
  expect(failed.facts.get("run r")?.outcomes.get("a")).toBe("failed");

  // Another trace of the run is read with the one that has news.
  await warehouse.insertCalls(workspace, [makeCall("c", { runId: "r", traceId: traceId(2) })]);
  const both = await read((failed.runs[0]?.seenNs ?? 0n) + 1n);
  expect(both.runs.map(({ traceIds }) => traceIds)).toEqual([[traceId(2)]]);
  expect(
    both.facts
      .get("run r")
      ?.calls.map(({ callId }) => callId)
      .sort(),
  ).toEqual(["a", "c"]);
  await warehouse.insertSpans(workspace, [makeSpan({ spanId: spanId(9), name: "late", attributes: inLayer })]);
  const spansCame = await read((both.runs[0]?.seenNs ?? 0n) + 1n);
  expect(spansCame.facts.get("run r")?.spans.map(({ name }) => name)).toContain("late");
});

it("tells of runs whose outcomes are decided on, of the call's own work in its own time", async () => {
  const workspace = freshWorkspace();
  const { warehouse } = test;
  let sinceNs = 0n;
  const readNews = async () => {
    const runs = (await warehouse.listChangedRuns(sinceNs)).runs.filter((run) => run.workspace === workspace);
    for (const { seenNs } of runs) if (seenNs >= sinceNs) sinceNs = seenNs + 1n;
    const facts = await warehouse.readRuns(workspace, runs, names);
    return runs.map(({ run }) => [run, Object.fromEntries(facts.get(run)?.outcomes ?? [])]);
  };
  const decide = (tasks: string[], reason = "") =>
    warehouse.insertOutcomeLinks(workspace, [
      { outcomeId: "red", tasks, linkedBy: reason ? null : "commit", reason, decidedBy: "" },
    ]);
  await warehouse.insertSpans(workspace, [makeSpan(), makeSpan({ traceId: traceId(2) })]);
  await warehouse.insertCalls(workspace, [
    makeCall("early", { sessionId: "s", task: "s", runId: "" }),
    makeCall("late", { sessionId: "s", task: "s", runId: "", traceId: traceId(2), atNs: NOON_NS + HOUR_NS }),
    makeCall("other", { sessionId: "s", task: "t", runId: "", traceId: traceId(2) }),
  ]);
  await warehouse.insertOutcomes(workspace, [
    makeOutcome("red", { subject: { commit: "c".repeat(40) }, status: "failed" }),
    makeOutcome("green", { subject: { task: "t" }, status: "passed" }),
  ]);
  expect(await readNews()).toEqual([["session s", { other: "passed" }]]);
  expect(await readNews()).toEqual([]);
  await decide(["s"]);
  expect(await readNews()).toEqual([["session s", { early: "failed", late: "failed", other: "passed" }]]);
  // The session went on to another piece of work, and that is what failed.
  await warehouse.replaceWorkStretches(workspace, [{ task: "s", fromNs: NOON_NS + 1n, work: "o/r#1" }], new Set());
  expect(await readNews()).toEqual([["session s", { early: "failed", other: "passed" }]]);
  await decide(["o/r#1"]);
  expect(await readNews()).toEqual([["session s", { late: "failed", other: "passed" }]]);
  await decide([], "passed and failed at one instant");
  expect(await readNews()).toEqual([["session s", { other: "passed" }]]);
});

it("knows what failed without spans of it, and says what it did not look at", async () => {
  const workspace = freshWorkspace();
  const { warehouse, connection } = test;
  await warehouse.insertCalls(workspace, [
    makeCall("silent", { runId: "r" }, "1"),
    makeCall("large", { runId: "r", traceId: traceId(2) }, "2"),
    makeCall("client", { source: "client", traceId: traceId(3) }, "4"),
  ]);
  await warehouse.insertOutcomes(workspace, [makeOutcome("red", { subject: { runId: "r" }, status: "failed" })]);
  await connection.insert("traces", [{ workspace, trace_id: traceId(2), spans: 100_001, revision: "1" }]);
  const runs = [{ run: "run r", traceIds: [traceId(1), traceId(2)], seenNs: 0n }];
  const facts = (await warehouse.readRuns(workspace, runs, names)).get("run r");
  expect(facts?.calls.map(({ callId }) => callId)).toEqual(["silent"]);
  expect(facts?.outcomes.get("silent")).toBe("failed");
  expect(show(await warehouse.sumWasteTotals(workspace, {}))).toMatchObject({ spendUsd: "7", notAnalysedUsd: "6" });
  expect([...(await warehouse.sumTraceWaste(workspace, [1, 2, 3].map(traceId))).keys()]).toEqual([traceId(1)]);
});

it("replaces the items of a run, and adds them up by what they are asked by", async () => {
  const workspace = freshWorkspace();
  const { warehouse } = test;
  const dear = makeWasteItem(2, { costUsd: parseDecimal("0.75"), atNs: NOON_NS + 24n * HOUR_NS });
  const slow = { cause: "serial_tools", costUsd: parseDecimal("0"), seconds: 9, evidence: {}, key: "others", team: "" };
  const failed = makeWasteItem(4, { cause: "failed_attempt", kind: "failed", evidence: {}, provenance: "derived" });
  const items = new Map([
    ["run r", [makeWasteItem(1), dear, makeWasteItem(3, slow)]],
    ["run q", [failed]],
  ]);
  await warehouse.replaceWaste(
    workspace,
    new Map([["run r", [makeWasteItem(1, { costUsd: parseDecimal("9") }), makeWasteItem(5)]]]),
  );
  await warehouse.replaceWaste(workspace, items);
  const count = async () =>
    (
      await test.connection.query("SELECT revision FROM waste_items WHERE workspace = {workspace:String}", {
        workspace,
      })
    ).length;
  await test.connection.command("OPTIMIZE TABLE waste_items FINAL");
  const stored = await count();
  await warehouse.replaceWaste(workspace, items);
  expect(await count()).toBe(stored);

  const listed = await warehouse.listWaste(workspace, {}, 10);
  expect(listed.map(({ itemId }) => itemId)).toEqual(["item_2", "item_1", "item_4", "item_3"]);
  expect(listed[1]).toEqual(makeWasteItem(1));
  expect((await warehouse.listWaste(workspace, { cause: "serial_tools" }, 10)).map(({ itemId }) => itemId)).toEqual([
    "item_3",
  ]);
  expect((await warehouse.listWaste(workspace, { traceId: traceId(2) }, 10)).map(({ itemId }) => itemId)).toEqual([
    "item_2",
  ]);

  const sum = (groupBy: "cause" | "key" | "day" | "layer", filter = {}) =>
    warehouse.sumWaste(workspace, { groupBy, filter, timeZone: "UTC" });
  expect(show(await sum("cause"))).toEqual([
    {
      group: "prefix_system",
      layer: "harness",
      kind: "repeated",
      costUsd: "1",
      seconds: 2,
      calls: 2,
      runs: 1,
      topEvidence: { traceId: traceId(2), spanId: spanId(2) },
      byProvenance: { simulated: "1" },
    },
    expect.objectContaining({
      group: "failed_attempt",
      kind: "failed",
      costUsd: "0.25",
      byProvenance: { derived: "0.25" },
    }),
    expect.objectContaining({ group: "serial_tools", costUsd: "0", seconds: 9, byProvenance: {} }),
  ]);
  expect((await sum("day")).map(({ group }) => group)).toEqual(["2026-11-16", "2026-11-15"]);
  const range = { fromNs: NOON_NS, toNs: NOON_NS + 1n };
  expect(
    show(await sum("key", { range })).map(({ group, costUsd }: { group: string; costUsd: string }) => [group, costUsd]),
  ).toEqual([
    ["agents", "0.5"],
    ["others", "0"],
  ]);

  await warehouse.insertCalls(workspace, [makeCall("a", {}, "3"), makeCall("b", { source: "client" }, "2")]);
  expect(show(await warehouse.sumWasteTotals(workspace, {}))).toEqual({
    spendUsd: "5",
    notAnalysedUsd: "2",
    repeatedUsd: "1",
    failedUsd: "0.25",
    seconds: 12,
  });

  const [fix, other, ...rest] = await warehouse.listFixes(workspace, {}, 5);
  expect(rest).toEqual([]);
  expect(show(fix)).toEqual({
    cause: "prefix_system",
    layer: "harness",
    change: "clock",
    section: "system",
    path: "instructions",
    costUsd: "1",
    dailyUsd: ["0.25", "0.75"],
    seconds: 2,
    calls: 2,
    runs: 1,
    firstNs: `${NOON_NS}`,
    watchedFromNs: `${NOON_NS}`,
    keys: ["agents"],
    teams: ["search"],
    byProvenance: { simulated: "1" },
    proof: [{ costUsd: "1", traceId: traceId(2), spanId: spanId(2), task: "task 2" }],
  });
  expect(other).toMatchObject({ cause: "serial_tools", teams: [], keys: ["others"] });
  // Calls went on for another week without it.
  await warehouse.insertCalls(workspace, [makeCall("c", { atNs: NOON_NS + 8n * 24n * HOUR_NS })]);
  expect((await warehouse.listFixes(workspace, {}, 5)).map(({ cause }) => cause)).toEqual(["prefix_system"]);
});
