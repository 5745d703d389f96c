/** The worker on real stores: spans go in, rated calls come out, whatever happens in between. */
import { randomBytes } from "node:crypto";
import { deriveId, formatDecimal, parseInstant } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import type { RatedCall, SpanRecord } from "@centspan/model";
import { listPrices, rateCards } from "@centspan/pricing";
import { openGate, waitUntil } from "@centspan/testing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createWorker } from "./create-worker.ts";
import { createRatingState, RATING_JOB, runRatingPass } from "./rating-pass.ts";
import { runRetentionPass } from "./retention.ts";

const RULES = { readPrices: async () => ({ book: listPrices, ratingRunId: "run" }) };

let warehouse: Warehouse;
let control: Control;
let address: URL;

beforeAll(async () => {
  address = new URL(inject("clickhouseUrl"));
  address.pathname = `/worker_${randomBytes(8).toString("hex")}`;
  warehouse = openWarehouse({ url: address.href });
  control = openControl({ url: inject("databaseUrl") });
  await Promise.all([warehouse.migrate(), control.migrate()]);
});
afterAll(() => Promise.all([warehouse.close(), control.close()]));

/** A day after what the tests' spans tell. */
const NOW_NS = parseInstant("2026-11-30T12:00:00Z") ?? 0n;

let names = 0;
const freshWorkspace = (): string => `w${++names}`;
const traceId = (): string => randomBytes(16).toString("hex");
const hex = (n: number): string => n.toString(16).padStart(16, "0");

const makeSpan = (facts: Partial<SpanRecord>): SpanRecord => ({
  traceId: "",
  spanId: hex(1),
  parentSpanId: "",
  name: "chat scripted-strong",
  kind: "client",
  service: "centspan-gateway",
  startedAtNs: parseInstant("2026-11-29T12:00:00Z") ?? 0n,
  endedAtNs: parseInstant("2026-11-29T12:00:01Z") ?? 0n,
  status: "ok",
  statusMessage: "",
  attributes: {},
  resourceAttributes: {},
  scopeName: "",
  trusted: true,
  events: [],
  links: [],
  ...facts,
});
const CLIENT = { service: "app", trusted: false };

const chat = (more: Record<string, string> = {}): Record<string, string> => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "centspan",
  "gen_ai.request.model": "scripted-strong",
  "gen_ai.usage.input_tokens": "3000",
  "gen_ai.usage.cache_read.input_tokens": "2000",
  "gen_ai.usage.output_tokens": "300",
  "centspan.provenance": "simulated",
  ...more,
});

const stores = () => ({ feed: warehouse, ledger: warehouse, jobs: control, policies: control, unrated: control });
const readCalls = async (workspace: string): Promise<RatedCall[]> =>
  (await warehouse.listCalls(workspace, {}, { limit: 100, cursor: null })).data;
const show = (calls: RatedCall[]) =>
  calls.map((call) => `${call.spanId} ${call.costStatus} ${call.costUsd && formatDecimal(call.costUsd)}`);

describe("a pass", () => {
  it("rates what came in, with whose spend it is, and moves the watermark", async () => {
    const [workspace, trace] = [freshWorkspace(), traceId()];
    const root = { "centspan.task.id": "fix-it", "centspan.run.id": "run_1" };
    await warehouse.insertSpans(workspace, [
      makeSpan({ traceId: trace, spanId: hex(1), name: "invoke_agent repair", attributes: root }),
      makeSpan({ traceId: trace, spanId: hex(2), parentSpanId: hex(1), attributes: chat() }),
      makeSpan({
        traceId: trace,
        spanId: hex(3),
        parentSpanId: hex(1),
        attributes: chat({ "gen_ai.request.model": "unheard-of" }),
      }),
    ]);
    const result = await runRatingPass(stores(), createRatingState(), RULES);
    expect(result.faults).toEqual([]);
    const calls = (await readCalls(workspace)).toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1));
    expect(show(calls)).toEqual([`${hex(2)} rated 0.0081`, `${hex(3)} unpriced null`]);
    expect(calls[0]).toMatchObject({ task: "fix-it", runId: "run_1", provenance: "simulated", source: "gateway" });
    expect(calls[0]?.lines).toHaveLength(3);
    expect((await control.readJob(RATING_JOB))?.watermarkNs).toBeGreaterThan(0n);
  });

  it("leaves alone what it has seen, and repeats without a change after a restart", async () => {
    const workspace = freshWorkspace();
    await warehouse.insertSpans(workspace, [makeSpan({ traceId: traceId(), attributes: chat() })]);
    const state = createRatingState();
    await runRatingPass(stores(), state, RULES);
    expect(await runRatingPass(stores(), state, RULES)).toMatchObject({ units: 0, calls: 0 });
    const before = await readCalls(workspace);
    expect((await runRatingPass(stores(), createRatingState(), RULES)).units).toBeGreaterThan(0);
    expect(await readCalls(workspace)).toEqual(before);
  });

  it("moves the booking to a child that comes later", async () => {
    const [workspace, trace, state] = [freshWorkspace(), traceId(), createRatingState()];
    await warehouse.insertSpans(workspace, [
      makeSpan({ traceId: trace, spanId: hex(1), ...CLIENT, attributes: chat() }),
    ]);
    await runRatingPass(stores(), state, RULES);
    expect(show(await readCalls(workspace))).toEqual([`${hex(1)} rated 0.0081`]);
    const child = makeSpan({ traceId: trace, spanId: hex(2), parentSpanId: hex(1), attributes: chat() });
    await warehouse.insertSpans(workspace, [child]);
    await runRatingPass(stores(), state, RULES);
    expect(show(await readCalls(workspace))).toEqual([`${hex(2)} rated 0.0081`]);
  });

  it("takes identity from an ancestor that comes after its calls", async () => {
    const [workspace, trace, state] = [freshWorkspace(), traceId(), createRatingState()];
    await warehouse.insertSpans(workspace, [
      makeSpan({ traceId: trace, spanId: hex(2), parentSpanId: hex(1), attributes: chat() }),
    ]);
    await runRatingPass(stores(), state, RULES);
    expect(await readCalls(workspace)).toMatchObject([{ task: "" }]);
    await warehouse.insertSpans(workspace, [
      makeSpan({ traceId: trace, spanId: hex(1), name: "invoke_agent", attributes: { "centspan.task.id": "late" } }),
    ]);
    await runRatingPass(stores(), state, RULES);
    expect(await readCalls(workspace)).toMatchObject([{ task: "late" }]);
  });

  it("books one response once, though client and gateway tell of it in two traces", async () => {
    const [workspace, state] = [freshWorkspace(), createRatingState()];
    const response = { "gen_ai.response.id": "resp_first" };
    const session = { "gen_ai.conversation.id": "s1" };
    await warehouse.insertSpans(workspace, [makeSpan({ traceId: traceId(), attributes: chat(response) })]);
    await runRatingPass(stores(), state, RULES);
    const client = makeSpan({ traceId: traceId(), ...CLIENT, attributes: chat({ ...response, ...session }) });
    await warehouse.insertSpans(workspace, [client]);
    await runRatingPass(stores(), state, RULES);
    expect(await readCalls(workspace)).toMatchObject([{ source: "gateway", sessionId: "s1" }]);
  });

  it("leaves a response with the gateway's key when the client's trace goes on after a restart", async () => {
    const [workspace, session] = [freshWorkspace(), traceId()];
    const response = { "gen_ai.response.id": "resp_second" };
    const client = (id: number, more: Record<string, string>) =>
      makeSpan({ traceId: session, spanId: hex(id), ...CLIENT, attributes: chat(more) });
    await warehouse.insertSpans(workspace, [client(1, { ...response, "gen_ai.conversation.id": "s1" })]);
    await runRatingPass(stores(), createRatingState(), RULES);
    const gateway = makeSpan({ traceId: traceId(), attributes: chat({ ...response, "centspan.key.name": "ci" }) });
    await warehouse.insertSpans(workspace, [gateway]);
    await runRatingPass(stores(), createRatingState(), RULES);
    await warehouse.insertSpans(workspace, [client(2, {})]);
    // By then the gateway's trace is older than what a worker looks at again.
    const listChangedUsage = async (sinceNs: bigint) => {
      const { asOfNs, changes } = await warehouse.listChangedUsage(sinceNs);
      return { asOfNs, changes: changes.filter(({ unit }) => unit.kind === "trace" && unit.traceId === session) };
    };
    const feed = { ...warehouse, listChangedUsage };
    await runRatingPass({ ...stores(), feed }, createRatingState(), RULES);
    const calls = await readCalls(workspace);
    expect(calls.find(({ responseId }) => responseId === "resp_second")).toMatchObject({
      source: "gateway",
      key: "ci",
      sessionId: "s1",
    });
    expect(calls).toHaveLength(2);
  });

  it("keeps a model call that came without usage: of unknown cost, never free and never absent", async () => {
    const workspace = freshWorkspace();
    const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "scripted-strong" };
    await warehouse.insertSpans(workspace, [makeSpan({ traceId: traceId(), attributes })]);
    await runRatingPass(stores(), createRatingState(), RULES);
    expect(await readCalls(workspace)).toMatchObject([
      { costStatus: "quarantined", quarantineReason: "usage_missing", costUsd: null },
    ]);
  });

  it("leaves alone the calls whose spans are no longer kept, also when their trace goes on", async () => {
    const [workspace, trace] = [freshWorkspace(), traceId()];
    const span = (id: number, at: string) =>
      makeSpan({ traceId: trace, spanId: hex(id), attributes: chat(), startedAtNs: parseInstant(at) ?? 0n });
    await warehouse.insertSpans(workspace, [span(1, "2020-01-01")]);
    await runRatingPass(stores(), createRatingState(), RULES);
    await control.ensureWorkspace("local", { id: workspace, name: workspace });
    await control.setRetention(workspace, "traces", 365, "tests");
    const deleted = await runRetentionPass({ policies: control, store: warehouse }, NOW_NS);
    expect(deleted).toEqual([{ workspace, signal: "traces", rows: 1 }]);
    await warehouse.insertSpans(workspace, [span(2, "2026-11-29T12:00:00Z")]);
    await runRatingPass(stores(), createRatingState(), RULES);
    expect((await readCalls(workspace)).map(({ spanId }) => spanId).sort()).toEqual([hex(1), hex(2)]);
  });

  it("keeps what can't be rated, rates the others, and tries it again after a start", async () => {
    const [workspace, broken, whole] = [freshWorkspace(), traceId(), traceId()];
    // A price list that was not validated: its price is no decimal.
    const [card] = rateCards.filter(({ provider }) => provider === "centspan");
    const cards = [...rateCards];
    if (card) {
      const entries = card.entries.map((entry) => ({
        ...entry,
        id: "bad",
        model: "bad",
        perMillion: { input: "x" },
      }));
      cards.push({ ...card, id: "bad", entries: entries.slice(0, 1) });
    }
    await warehouse.insertSpans(workspace, [
      makeSpan({ traceId: broken, attributes: chat({ "gen_ai.request.model": "bad" }) }),
      makeSpan({ traceId: whole, attributes: chat() }),
    ]);
    const mistyped = { readPrices: async () => ({ book: { ...listPrices, cards }, ratingRunId: "run" }) };
    const state = createRatingState();
    const said: unknown[] = [];
    const { faults } = await runRatingPass(stores(), state, mistyped, (fault) => said.push(fault));
    expect(faults).toMatchObject([{ workspace, unit: { traceId: broken }, error: expect.any(RangeError) }]);
    expect(said).toEqual(faults);
    expect(await readCalls(workspace)).toMatchObject([{ traceId: whole }]);
    const readUnrated = () => control.listUnratedUnits(workspace);
    expect(await readUnrated()).toMatchObject([{ unit: { kind: "trace", traceId: broken }, attempts: 1 }]);
    // It holds up nothing, and is not tried again at once.
    expect(state.ratedThroughNs).toBe(state.watermarkNs);
    expect((await runRatingPass(stores(), state, mistyped)).faults).toEqual([]);

    await runRatingPass(stores(), createRatingState(), mistyped);
    expect(await readUnrated()).toMatchObject([{ attempts: 2, message: expect.stringContaining("decimal") }]);
    await runRatingPass(stores(), createRatingState(), RULES);
    expect(await readUnrated()).toEqual([]);
    expect((await readCalls(workspace)).map((call) => call.traceId).sort()).toEqual([broken, whole].sort());
  });
});

describe("the worker", () => {
  const startWorker = (url: string, said: string[]) => {
    const own = openWarehouse({ url });
    const worker = createWorker({
      warehouse: own,
      control,
      clock: { nowNs: () => NOW_NS },
      cards: rateCards,
      studies: { threads: 1, readAdvice: async () => [] },
      say: (text) => said.push(text),
    });
    const stop = async (): Promise<void> => {
      // A pass that is under way needs the store.
      await worker.stop();
      await own.close();
    };
    return { worker, stop };
  };

  it("rates on its own, and says how far it has come", async () => {
    const workspace = freshWorkspace();
    const said: string[] = [];
    const { worker, stop } = startWorker(address.href, said);
    await warehouse.insertSpans(workspace, [makeSpan({ traceId: traceId(), attributes: chat() })]);
    const [call] = await waitUntil("a call", async () => {
      const calls = await readCalls(workspace);
      return calls.length > 0 && calls;
    });
    const { data: listed } = await waitUntil("a summary", async () => {
      const page = await warehouse.listTraces(workspace, {}, { limit: 10, cursor: null });
      return page.data.length > 0 && page;
    });
    expect(listed).toMatchObject([{ traceId: call?.traceId, spans: 1, calls: 1 }]);
    expect(call?.lines[0]?.ratingRunId).toBe(
      deriveId("rating", JSON.stringify(rateCards), JSON.stringify({ contracts: [], exchangeRates: [] })),
    );
    const health = await worker.app.inject({ url: "/health" });
    expect(health.statusCode).toBe(200);
    expect(health.json()).toEqual({ status: "ok", ratedThrough: expect.stringMatching(/^20\d\d-.*Z$/) });
    await stop();
    expect(said).toEqual([]);
  });

  it("waits out a store that is away, says so once, and loses nothing", async () => {
    const workspace = freshWorkspace();
    const said: string[] = [];
    const gate = await openGate(address.href);
    const { worker, stop } = startWorker(gate.url, said);
    await waitUntil("the first pass", async () => (await worker.app.inject({ url: "/health" })).statusCode === 200);
    await gate.shut();
    // The other loops say the same, each when its turn comes.
    const ofRating = () => said.filter((line) => line.startsWith("rating"));
    await waitUntil("the failure", () => ofRating().length === 1);
    const health = await worker.app.inject({ url: "/health" });
    expect([health.statusCode, health.json()]).toEqual([503, expect.objectContaining({ away: ["clickhouse"] })]);
    await warehouse.insertSpans(workspace, [makeSpan({ traceId: traceId(), attributes: chat() })]);
    await gate.open();
    await waitUntil("a call", async () => (await readCalls(workspace)).length === 1, 20_000);
    await waitUntil("the recovery", () => ofRating().length === 2);
    expect(ofRating()).toEqual([expect.stringMatching(/^rating fails/), "rating works again"]);
    await stop();
    await gate.shut();
  });
});
