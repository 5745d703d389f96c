/** Outcomes find their work over real stores: through spans, calls, deliveries of code hosts and rules of completion. */
import { randomBytes } from "node:crypto";
import { formatDecimal, parseDecimal } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { EMPTY_CALL, type Outcome, type OutcomeLink, type RatedCall, type SpanRecord } from "@centspan/model";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { runCompletionPass } from "./completion-pass.ts";
import { createLinkState, runLinkPass } from "./link-pass.ts";

const HOUR_NS = 3_600_000_000_000n;
const DAY_NS = 24n * HOUR_NS;
const NOW_NS = BigInt(Date.now()) * 1_000_000n - 24n * HOUR_NS;
const sha = (digit: string): string => digit.repeat(40);
const traceId = (n: number): string => n.toString(16).padStart(32, "0");

let warehouse: Warehouse;
let control: Control;
beforeAll(async () => {
  control = openControl({ url: inject("databaseUrl") });
  const url = new URL(`/passes_${randomBytes(8).toString("hex")}`, inject("clickhouseUrl")).href;
  warehouse = openWarehouse({ url, books: control });
  await Promise.all([warehouse.migrate(), control.migrate()]);
});
afterAll(() => Promise.all([warehouse.close(), control.close()]));

/** A run of an agent: its root span, and a call of a dollar for each dollar. */
type Work = {
  n: number;
  task?: string;
  session: string;
  usd: string;
  daysAgo?: number;
  vcs?: Record<string, string>;
  root?: Partial<SpanRecord>;
};

async function work(
  workspace: string,
  { n, task = "", session, usd, daysAgo = 0, vcs = {}, root = {} }: Work,
): Promise<void> {
  const startedAtNs = NOW_NS + BigInt(n) - BigInt(daysAgo) * DAY_NS;
  const span: SpanRecord = {
    traceId: traceId(n),
    spanId: "00000000000000aa",
    parentSpanId: "",
    name: "invoke_agent a",
    kind: "internal",
    service: "harness",
    startedAtNs,
    endedAtNs: startedAtNs + 5n,
    status: "ok",
    statusMessage: "",
    resourceAttributes: vcs,
    scopeName: "",
    trusted: false,
    events: [],
    links: [],
    ...root,
    attributes: { "gen_ai.conversation.id": session, ...(task && { "centspan.task.id": task }), ...root.attributes },
  };
  await warehouse.insertSpans(workspace, [span]);
  const call: RatedCall = {
    ...EMPTY_CALL,
    callId: `${workspace}-${n}`,
    traceId: traceId(n),
    sessionId: session,
    task: task || session,
    atNs: startedAtNs,
    durationNs: 1n,
    costUsd: parseDecimal(usd),
    costStatus: "rated",
    lines: [],
  };
  await warehouse.insertCalls(workspace, [call]);
}

const say = (workspace: string, outcomeId: string, subject: Outcome["subject"], rest: Partial<Outcome> = {}) =>
  warehouse.insertOutcomes(workspace, [
    {
      ...{ outcomeId, subject, kind: "tests", status: "passed", weight: 1, source: "github", evidence: {} },
      atNs: NOW_NS + HOUR_NS,
      ...rest,
    },
  ]);

const standing = async (workspace: string) => {
  const rows = await warehouse.listTaskSpend(workspace, { groupBy: "team", filter: {}, timeZone: "UTC" });
  return rows.map(({ task, costUsd, status, decision }) => [
    task,
    formatDecimal(costUsd),
    status,
    decision?.linkedBy ?? null,
  ]);
};

const SHOP = { "vcs.repository.url.full": "https://github.com/acme/shop.git" };
const runPass = () => runLinkPass({ links: warehouse, jobs: control }, createLinkState());

it("a commit, then its squash, then its revert: history changes by new rows, and each pass counts once", async () => {
  const own = { ...SHOP, "vcs.ref.head.name": "fix", "vcs.ref.head.revision": sha("a") };
  await work("squash", { n: 1, task: "T1", session: "s1", usd: "2", vcs: own });
  await work("squash", { n: 2, task: "T2", session: "s2", usd: "3" });
  await say("squash", "ci", { commit: sha("a"), repository: "acme/shop" });
  await runPass();
  expect(await standing("squash")).toEqual([
    ["T1", "2", "passed", "commit"],
    ["T2", "3", null, null],
  ]);
  await say(
    "squash",
    "merge",
    { pullRequest: "acme/shop#1", commit: sha("a") },
    { kind: "approved", evidence: { mergeCommit: sha("e"), by: "ada" }, atNs: NOW_NS + 2n * HOUR_NS },
  );
  await say("squash", "ci-main", { commit: sha("e") }, { atNs: NOW_NS + 3n * HOUR_NS });
  await runPass();
  const [merged] = await warehouse.listTaskSpend("squash", {
    groupBy: "team",
    filter: {},
    timeZone: "UTC",
  });
  expect(merged).toMatchObject({
    status: "passed",
    decision: { outcomeId: "ci-main", linkedBy: "squash", accountable: "ada" },
  });

  await say(
    "squash",
    "revert",
    { pullRequest: "acme/shop#1" },
    { kind: "approved", status: "failed", atNs: NOW_NS + 4n * HOUR_NS },
  );
  await runPass();
  const [reverted] = await warehouse.listTaskSpend("squash", {
    groupBy: "team",
    filter: {},
    timeZone: "UTC",
  });
  expect(reverted).toMatchObject({ status: "failed", isReverted: true });
  // What was said before is there still.
  expect((await warehouse.listOutcomes("squash", {})).map(({ outcomeId }) => outcomeId)).toEqual([
    "revert",
    "ci-main",
    "merge",
    "ci",
  ]);
});

it("two sessions on one pull request are one task with one pass; one on two has its spend divided", async () => {
  const on = (change: string) => ({ ...SHOP, "vcs.change.id": change });
  await work("split", { n: 1, session: "s1", usd: "1", vcs: on("1") });
  await work("split", { n: 2, session: "s2", usd: "2", vcs: on("1") });
  await work("split", { n: 3, session: "s2", usd: "4", vcs: on("2") });
  await work("split", { n: 4, session: "s3", usd: "8" });
  await say("split", "o1", { pullRequest: "acme/shop#1" });
  await say("split", "o2", { pullRequest: "acme/shop#2" }, { status: "failed" });
  await runPass();
  expect(await standing("split")).toEqual([
    ["acme/shop#1", "3", "passed", "pull_request"],
    ["acme/shop#2", "4", "failed", "pull_request"],
    ["s3", "8", null, null],
  ]);
  // Again, and with all that is known from the start, it is the same.
  await runPass();
  expect((await standing("split")).map(([task]) => task)).toEqual(["acme/shop#1", "acme/shop#2", "s3"]);
});

it("what is older stays as it was decided in its time, though what it was decided by is not looked at any more", async () => {
  const on = (change: string) => ({ ...SHOP, "vcs.change.id": change });
  await work("old", { n: 1, session: "s1", usd: "1", daysAgo: 100, vcs: on("1") });
  await work("old", { n: 2, session: "s2", usd: "2", daysAgo: 91, vcs: on("2") });
  await work("old", { n: 3, session: "s2", usd: "4", daysAgo: 88, vcs: on("3") });
  const stretches = [
    { task: "s1", fromNs: 0n, work: "acme/shop#1" },
    { task: "s2", fromNs: 0n, work: "acme/shop#2" },
    { task: "s2", fromNs: NOW_NS - 89n * DAY_NS, work: "acme/shop#3" },
  ];
  await warehouse.replaceWorkStretches("old", stretches, new Set());
  for (const [n, daysAgo] of [
    [1, 99n],
    [2, 90n],
    [3, 87n],
  ] as const) {
    const [outcomeId, request] = [`o${n}`, `acme/shop#${n}`];
    await say("old", outcomeId, { pullRequest: request }, { atNs: NOW_NS - daysAgo * DAY_NS });
    const link: OutcomeLink = { outcomeId, tasks: [request], linkedBy: "pull_request", reason: "", decidedBy: "" };
    await warehouse.insertOutcomeLinks("old", [link]);
  }
  const decided = await standing("old");
  expect(decided.map(([task, usd]) => [task, usd])).toEqual([
    ["acme/shop#1", "1"],
    ["acme/shop#2", "2"],
    ["acme/shop#3", "4"],
  ]);
  await say("old", "news", { commit: sha("f") });
  await runPass();
  expect(await standing("old")).toEqual(decided);
});

it("an outcome whose trace is of another task than it names is parked, and counts for neither", async () => {
  await work("parked", { n: 1, task: "T1", session: "s1", usd: "1" });
  await work("parked", { n: 2, task: "T2", session: "s2", usd: "1" });
  await say("parked", "wrong", { task: "T1", traceId: traceId(2) });
  await runPass();
  expect(await standing("parked")).toEqual([
    ["T1", "1", null, null],
    ["T2", "1", null, null],
  ]);
  const { links } = await warehouse.readLinkFacts("parked", 0n);
  expect(links.get("wrong")?.reason).toBe("names task T1, but its trace worked on T2");
});

it("what spans say comes before the calls they are of are rated, or after", async () => {
  await say("late", "early", { commit: sha("c") });
  await runPass();
  await work("late", { n: 1, task: "T1", session: "s", usd: "1", vcs: { ...SHOP, "vcs.ref.head.revision": sha("c") } });
  await runPass();
  expect(await standing("late")).toEqual([["T1", "1", "passed", "commit"]]);
});

it("spans that come late change what a rule says of a run, as a later word", async () => {
  const pass = async () => {
    await warehouse.refreshTraceSummaries(0n);
    await runCompletionPass({ store: warehouse, settings: control, jobs: control });
    await runPass();
    return (await standing("late-spans")).map(([, , status]) => status);
  };
  await control.ensureWorkspace("o", { id: "late-spans", name: "late-spans" });
  const when = [{ fact: "errors", is: "at_most", value: "0" } as const];
  const rule = { name: "clean", status: "passed", otherwise: "failed", when } as const;
  await control.createCompletionRule("late-spans", rule, "tests");
  const late = { name: "tool", parentSpanId: "00000000000000aa", spanId: "00000000000000bb", status: "error" } as const;
  await work("late-spans", { n: 1, task: "T1", session: "s1", usd: "1" });
  expect(await pass()).toEqual(["passed"]);
  await work("late-spans", { n: 1, task: "T1", session: "s1", usd: "1", root: late });
  expect(await pass()).toEqual(["failed"]);
  expect(await pass()).toEqual(["failed"]);
  const said = await warehouse.listOutcomes("late-spans", {});
  expect(said.map(({ status }) => status)).toEqual(["failed", "passed"]);
  expect((await warehouse.readLinkFacts("late-spans", 0n)).links.size).toBe(0);
});

it("a finished run is completed by the rules of its workspace, those that are new included", async () => {
  const pass = async () => {
    await warehouse.refreshTraceSummaries(0n);
    await runCompletionPass({ store: warehouse, settings: control, jobs: control });
  };
  await control.ensureWorkspace("o", { id: "rules", name: "rules" });
  const attributes = (reason: string) => ({ "centspan.task.type": "chat", "gen_ai.response.finish_reasons": reason });
  await work("rules", { n: 1, task: "T1", session: "s1", usd: "1", root: { attributes: attributes('["stop"]') } });
  await work("rules", { n: 2, task: "T2", session: "s2", usd: "1", root: { attributes: attributes('["length"]') } });
  await work("rules", { n: 3, task: "T3", session: "s3", usd: "1", root: { parentSpanId: "00000000000000ff" } });
  await pass();
  expect((await standing("rules")).map(([, , status]) => status)).toEqual([null, null, null]);
  const rule = { name: "answered", taskType: "chat", status: "passed", otherwise: "failed" } as const;
  const when = [{ fact: "finishReason", is: "equal", value: "stop" } as const];
  await control.createCompletionRule("rules", { ...rule, when }, "tests");
  await pass();
  await pass();
  // A run whose root has not come is not finished.
  expect(await standing("rules")).toEqual([
    ["T1", "1", "passed", "task"],
    ["T2", "1", "failed", "task"],
    ["T3", "1", null, null],
  ]);
  const [second] = await warehouse.listOutcomes("rules", { task: "T2" });
  expect(second).toMatchObject({
    kind: "completed",
    source: "rule answered",
    evidence: { unmet: ['finishReason is "length", not equal "stop"'] },
  });
});
