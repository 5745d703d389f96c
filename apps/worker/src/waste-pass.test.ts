import { randomBytes } from "node:crypto";
import { formatDecimal, parseInstant } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { EMPTY_BUCKETS, EMPTY_CALL, type Outcome, type SpanRecord } from "@centspan/model";
import { listPrices, rateCall } from "@centspan/pricing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { createWasteState, runWastePass } from "./waste-pass.ts";

let warehouse: Warehouse;
let control: Control;

beforeAll(async () => {
  warehouse = openWarehouse({ url: new URL(`/waste_${randomBytes(8).toString("hex")}`, inject("clickhouseUrl")).href });
  control = openControl({ url: inject("databaseUrl") });
  await Promise.all([warehouse.migrate(), control.migrate()]);
});
afterAll(() => Promise.all([warehouse.close(), control.close()]));

const AT_NS = parseInstant("2026-11-29T12:00:00Z") ?? 0n;
const TRACE = "a".repeat(32);
const spanId = (n: number): string => n.toString(16).padStart(16, "0");

const makeSpan = (n: number, attributes: Record<string, string>): SpanRecord => ({
  traceId: TRACE,
  spanId: spanId(n),
  parentSpanId: "",
  name: "chat scripted-strong",
  kind: "client",
  service: "centspan-gateway",
  startedAtNs: AT_NS + BigInt(n) * 1_000_000_000n,
  endedAtNs: AT_NS + BigInt(n) * 1_000_000_000n + 500_000_000n,
  status: "ok",
  statusMessage: "",
  attributes: { "centspan.layer": "api", "centspan.run.id": "run", ...attributes },
  resourceAttributes: {},
  scopeName: "",
  trusted: true,
  events: [],
  links: [],
});

const makeCall = (n: number, input: number) =>
  rateCall(
    {
      ...EMPTY_CALL,
      callId: `call_${n}`,
      traceId: TRACE,
      spanId: spanId(n),
      atNs: AT_NS + BigInt(n) * 1_000_000_000n,
      durationNs: 500_000_000n,
      runId: "run",
      provider: "centspan",
      model: "scripted-strong",
      source: "gateway",
      buckets: { ...EMPTY_BUCKETS, input },
    },
    listPrices,
    "rating",
  );

const broken = {
  "centspan.prefix.kept": "false",
  "centspan.prefix.diverged_section": "system",
  "centspan.prefix.known_tokens": "12800",
  "centspan.prefix.before_span_id": spanId(1),
};

const createStores = () => ({
  waste: warehouse,
  jobs: control,
  readPrices: async () => ({ book: listPrices, ratingRunId: "rating" }),
});

it("finds waste again whenever calls, spans or an outcome come, and nothing else changes it", async () => {
  const workspace = "w";
  const stores = createStores();
  const state = createWasteState();
  const list = async () =>
    (await warehouse.listWaste(workspace, {}, 10)).map(({ cause, callId, costUsd }) => [
      cause,
      callId,
      formatDecimal(costUsd),
    ]);

  await warehouse.insertCalls(workspace, [makeCall(1, 12_800), makeCall(2, 13_000)]);
  await warehouse.insertSpans(workspace, [makeSpan(1, {})]);
  expect(await runWastePass(stores, state)).toBe(1);
  expect(await list()).toEqual([]);
  expect(await runWastePass(stores, state)).toBe(0);

  await warehouse.insertSpans(workspace, [makeSpan(2, broken)]);
  expect(await runWastePass(stores, state)).toBe(1);
  const found = [["prefix_system", "call_2", "0.03456"]];
  expect(await list()).toEqual(found);
  // After a restart all that is recent is looked at again, and comes out the same.
  await runWastePass(stores, createWasteState());
  expect(await list()).toEqual(found);

  const outcome: Outcome = {
    outcomeId: "o",
    subject: { runId: "run" },
    kind: "tests",
    status: "failed",
    weight: 1,
    source: "junit",
    evidence: {},
    atNs: AT_NS,
  };
  await warehouse.insertOutcomes(workspace, [outcome]);
  expect(await runWastePass(stores, state)).toBe(1);
  expect(await list()).toEqual([
    ["failed_attempt", "call_1", "0.0384"],
    ["prefix_system", "call_2", "0.03456"],
    ["failed_attempt", "call_2", "0.00444"],
  ]);
  await warehouse.insertOutcomes(workspace, [{ ...outcome, outcomeId: "o2", status: "passed", atNs: AT_NS + 1n }]);
  await runWastePass(stores, state);
  expect(await list()).toEqual(found);

  await warehouse.withdrawCalls(workspace, ["call_2"]);
  expect(await runWastePass(stores, state)).toBe(1);
  expect(await list()).toEqual([]);
});

it("takes away what was found at calls that are gone, known from elsewhere or of another run now", async () => {
  const workspace = "moved";
  const stores = createStores();
  const state = createWasteState();
  const list = async () =>
    (await warehouse.listWaste(workspace, { cause: "failed_attempt" }, 10)).map(({ callId, runId }) => [callId, runId]);
  const call = makeCall(1, 1000);
  const failed: Outcome = {
    outcomeId: "failed",
    subject: { traceId: TRACE },
    kind: "tests",
    status: "failed",
    weight: 1,
    source: "junit",
    evidence: {},
    atNs: AT_NS,
  };
  await warehouse.insertSpans(workspace, [makeSpan(1, {})]);
  await warehouse.insertOutcomes(workspace, [failed]);
  await warehouse.insertCalls(workspace, [{ ...call, runId: "", sessionId: "s" }]);
  await runWastePass(stores, state);
  expect(await list()).toEqual([["call_1", ""]]);

  await warehouse.insertCalls(workspace, [call]);
  expect(await runWastePass(stores, state)).toBe(2);
  expect(await list()).toEqual([["call_1", "run"]]);

  await warehouse.insertCalls(workspace, [{ ...call, source: "provider" }]);
  await runWastePass(stores, state);
  expect(await list()).toEqual([]);
});
