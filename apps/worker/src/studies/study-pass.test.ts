/** Studies of recorded calls on real stores, with real threads. */
import { randomBytes } from "node:crypto";
import { openControl } from "@centspan/control";
import { EMPTY_BUCKETS, EMPTY_CALL, type RatedCall, type StudyInput, studyInputSchema } from "@centspan/model";
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
