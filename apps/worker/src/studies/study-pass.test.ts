/** Studies of recorded calls on real stores, with real threads. */
import { randomBytes } from "node:crypto";
import { parseDecimal } from "@centspan/base";
import { openControl } from "@centspan/control";
import {
  EMPTY_BUCKETS,
  EMPTY_CALL,
  type RatedCall,
  recommendationInputSchema,
  type StudyInput,
  studyInputSchema,
  type WasteItem,
} from "@centspan/model";
import { openWarehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { createStudyPass } from "./study-pass.ts";

const control = openControl({ url: inject("databaseUrl") });
const warehouse = openWarehouse({
  url: new URL(`/studies_${randomBytes(8).toString("hex")}`, inject("clickhouseUrl")).href,
});
const WORKSPACE = `studies-${process.pid}`;
const NOON_NS = 1_794_744_000_000_000_000n;

const callAt = (at: number): RatedCall => ({
  ...EMPTY_CALL,
  ...{ callId: `study-${at}`, atNs: NOON_NS + BigInt(at) * 150_000_000n, durationNs: 1_000_000_000n },
  ...{ sessionId: `s${at % 40}`, provider: "openai", model: "m", dialect: "semconv" },
  ...{ costStatus: "unpriced" as const, costUsd: null, lines: [] },
  buckets: { ...EMPTY_BUCKETS, input: 400 + (at % 7) * 90, cacheRead: at < 40 ? 0 : 1_024, outputText: 60 + (at % 50) },
});

beforeAll(async () => {
  await Promise.all([control.migrate(), warehouse.migrate()]);
  await control.ensureWorkspace("o", { id: WORKSPACE, name: WORKSPACE });
  await warehouse.insertCalls(
    WORKSPACE,
    Array.from({ length: 900 }, (_, at) => callAt(at)),
  );
});
afterAll(() => Promise.all([control.close(), warehouse.close()]));

const passOf = () =>
  createStudyPass({ queue: control, stores: { warehouse, control, readAdvice: async () => [] }, threads: 1 });

async function study(asked: object) {
  const { id } = await control.insertStudy(WORKSPACE, studyInputSchema.parse(asked) satisfies StudyInput, "tests (k)");
  await passOf().run();
  return control.readStudy(WORKSPACE, id);
}

const SMALL = {
  ...{ kind: "search", candidates: 8, beyondSupport: true },
  config: { engine: { maxSequences: 1, capacityBlocks: 4_000 } },
  space: { maxSequences: [16], tokenBudget: [4_096] },
};

it("finds what is planted in recorded calls, with a record that can be filed", async () => {
  const { state, result, progress } = await study(SMALL);
  expect([state, progress]).toEqual(["done", expect.stringContaining("sequences in a batch: 1 → 16")]);
  expect(result?.recommendations[0]).toMatchObject({ kind: "serving", provenance: "simulated" });
  expect(result?.details.searched).toMatchObject({ wasCut: false });
});

it("refuses with what to collect: too little traffic, an engine that nobody heard of, nothing applied", async () => {
  const few = await study({ ...SMALL, traffic: { to: new Date(Number(NOON_NS / 1_000_000n) + 3_000).toISOString() } });
  expect(few).toMatchObject({ state: "refused", result: { refused: [{ reason: "traffic_too_short" }] } });
  const nobody = await study({ kind: "search", service: "nobody's" });
  expect(nobody.result?.refused).toMatchObject([{ reason: "calibration_failed", collect: expect.stringMatching(/./) }]);
  const unknown = await study({ kind: "verification", recommendation: "recommendation_0" });
  expect(unknown).toMatchObject({ state: "failed", progress: expect.stringContaining("recommendation_0") });
  const odd = await study({ ...SMALL, config: { gpus: 3 } });
  expect(odd).toMatchObject({ state: "failed", progress: expect.stringContaining("gpus") });
});

it("is given up while it runs, and what a worker leaves is the next one's", async () => {
  const asked = studyInputSchema.parse({ ...SMALL, candidates: 10_000, space: undefined, seconds: 600 });
  const { id } = await control.insertStudy(WORKSPACE, asked, "tests (k)");
  const pass = passOf();
  const running = pass.run();
  await expect
    .poll(async () => (await control.readStudy(WORKSPACE, id)).progress, { timeout: 30_000 })
    .toMatch(/search/);
  pass.stop();
  await running;
  expect((await control.readStudy(WORKSPACE, id)).state).toBe("running");
  expect((await control.claimStudy("next", 0))?.id).toBe(id);
  await control.cancelStudy(WORKSPACE, id, "tests (k)");
  expect(await control.reportStudy("next", id, "")).toBe(false);
  await control.endStudy("next", id, { state: "cancelled", progress: "", result: null });

  const other = await control.insertStudy(WORKSPACE, asked, "tests (k)");
  const cancelled = passOf().run();
  await expect
    .poll(async () => (await control.readStudy(WORKSPACE, other.id)).state, { timeout: 30_000 })
    .toBe("running");
  await control.cancelStudy(WORKSPACE, other.id, "tests (k)");
  await cancelled;
  expect((await control.readStudy(WORKSPACE, other.id)).state).toBe("cancelled");
});

const ADVISED = {
  ...{ kind: "spend", subject: "search-agent", title: "Prefix broken: system text", effect: null, metric: "usd" },
  changes: [{ knob: "systemText", now: "changes within threads", proposed: "fixed for a thread", effect: null }],
  savings: { capacityUsdMonth: "0", cashUsdMonth: "40" },
  provenance: "measured",
  evidence: {
    ...{ chosenOn: "", judgedOn: "", traceIds: [] },
    verdict: { waste: { cause: "prefix_system", keys: ["search-agent"] } },
  },
  ...{ risks: [], apply: [] },
} as const;

/** Tasks of a key: each a call of 10 dollars, of which so many went to the cause, and one to another. */
async function spendOn(name: string, tasks: number, wastedUsd: string, atNs: bigint): Promise<void> {
  const calls: RatedCall[] = Array.from({ length: tasks }, (_, at) => ({
    ...callAt(at),
    ...{ callId: `${name}-${at}`, runId: `${name}-${at}`, task: `${name}-${at}`, key: "search-agent", atNs },
    ...{ costStatus: "rated", costUsd: parseDecimal("10") },
  }));
  await warehouse.insertCalls(WORKSPACE, calls);
  const itemOf = (call: RatedCall, cause: string, costUsd: string): WasteItem => ({
    ...call,
    ...{ itemId: `${call.callId} ${cause}`, cause, layer: "harness", kind: "repeated", costUsd: parseDecimal(costUsd) },
    ...{ seconds: 0, confidence: "certain", evidence: {}, provenance: "measured" },
  });
  const items = calls.map((call): [string, WasteItem[]] => [
    call.runId,
    [itemOf(call, "prefix_system", wastedUsd), itemOf(call, "unused_tools", "1")],
  ]);
  await warehouse.replaceWaste(WORKSPACE, new Map(items));
}

it("holds advice that was followed against the waste ledger: the same tasks' work, before and since", async () => {
  const { id } = await control.proposeRecommendation(WORKSPACE, recommendationInputSchema.parse(ADVISED), "tests (k)");
  const verification = { kind: "verification", recommendation: id };
  expect((await study(verification)).result?.refused).toMatchObject([{ reason: "not_applied" }]);
  await spendOn("before", 20, "4", NOON_NS);
  const said = { by: "Ada", note: "", actor: "tests (k)" };
  await control.stepRecommendation(WORKSPACE, id, { step: "accept", ...said });
  await control.stepRecommendation(WORKSPACE, id, { step: "applied", ...said });
  expect((await study(verification)).result?.refused).toMatchObject([
    { reason: "traffic_too_short", message: expect.stringMatching(/^20 tasks before .* and 0 since/) },
  ]);
  await spendOn("since", 8, "0", BigInt(Date.now()) * 1_000_000n);
  expect((await study(verification)).state).toBe("done");
  // Six dollars of ten were the work and what else was wasted; now ten are.
  const { state, realised } = await control.readRecommendation(WORKSPACE, id);
  expect([state, realised?.requests]).toEqual(["verified", 8]);
  expect(realised?.effect.share).toBeCloseTo(-0.4, 6);
});
