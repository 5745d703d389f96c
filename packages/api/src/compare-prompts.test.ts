/** A call's prompt against that of the call before it, as the route tells it, and to whom. */
import { parseDecimal, parseInstant } from "@centspan/base";
import { EMPTY_BUCKETS, type Principal, type SpanRecord, type WasteItem } from "@centspan/model";
import { beforeAll, expect, it } from "vitest";
import { createApiClient, createTraceApi } from "./index.ts";
import { makeCall, useApi } from "./testing/use-api.ts";

const atNs = parseInstant("2026-12-01T12:00:00Z") ?? 0n;
const SECOND_NS = 1_000_000_000n;
const { warehouse, control, client } = useApi("prompts");
const traceId = (n: number): string => String(n).padStart(32, "0");
const spanId = (n: number): string => String(n).padStart(16, "0");

const call = (n: number, trace = 1) =>
  makeCall({
    ...{ callId: `call_${n}`, atNs: atNs + BigInt(n * 10) * SECOND_NS, durationNs: SECOND_NS },
    ...{ traceId: traceId(trace), spanId: spanId(n), source: "gateway", runId: "r" },
    buckets: { ...EMPTY_BUCKETS, input: 5_000, cacheRead: 100 * n },
  });
const messages = (...texts: string[]) => ({
  "gen_ai.input.messages": JSON.stringify(texts.map((content) => ({ role: "user", parts: [{ content }] }))),
});
const span = (n: number, attributes: SpanRecord["attributes"], trace = 1): SpanRecord => ({
  ...{
    traceId: traceId(trace),
    spanId: spanId(n),
    parentSpanId: "",
    name: "chat m",
    kind: "client",
    service: "gateway",
  },
  ...{ startedAtNs: atNs + BigInt(n * 10) * SECOND_NS, endedAtNs: atNs + BigInt(n * 10 + 1) * SECOND_NS },
  ...{ status: "ok", statusMessage: "", resourceAttributes: {}, scopeName: "", trusted: true, events: [], links: [] },
  attributes,
});
const item: WasteItem = {
  ...{ itemId: "i", cause: "prefix_history", layer: "harness", kind: "repeated", callId: "call_3", runId: "r" },
  ...{ traceId: traceId(1), spanId: spanId(3), atNs, keyId: "", key: "", team: "", task: "", taskType: "" },
  ...{ repository: "", provider: "openai", model: "m", costUsd: parseDecimal("0.25"), seconds: 1.5 },
  ...{ confidence: "certain", provenance: "derived" },
  evidence: { knownTokens: 4_096, cachedTokens: 300, repeatedTokens: 3_796 },
};
const BROKEN = {
  ...{ "centspan.prefix.kept": "false", "centspan.prefix.diverged_section": "history" },
  ...{ "centspan.prefix.diverged_path": "input[1]", "centspan.prefix.change": "item_changed" },
  ...{ "centspan.prefix.shared_pieces": "7", "centspan.prefix.before_span_id": spanId(1) },
  "centspan.cache.miss_reasons": '["input_changed"]',
};

beforeAll(async () => {
  await warehouse.insertCalls("prompts", [call(1), call(2), call(3), call(4), call(9, 2)]);
  await warehouse.insertSpans("prompts", [
    span(1, messages("find it", "the month's 12%")),
    span(2, { "centspan.prefix.kept": "true" }),
    span(3, { ...BROKEN, ...messages("find it", "the month's 13%", "more") }),
    span(4, { "centspan.prefix.before_span_id": spanId(9) }),
    span(9, {}, 2),
    span(5, {}),
  ]);
  await warehouse.replaceWaste("prompts", new Map([["run r", [item, { ...item, itemId: "f", evidence: {} }]]]));
});

it("tells where the two part, what that cost, and what stands there", async () => {
  expect(await client.comparePrompt(traceId(1), spanId(3))).toMatchObject({
    call: { spanId: spanId(3), model: "m", costUsd: null, buckets: { cacheRead: 300 } },
    // The one that the gateway compared it with, which is not the one right before it.
    before: { spanId: spanId(1), traceId: traceId(1) },
    ...{ kept: false, section: "history", path: "input[1]", change: "item_changed", reasons: ["input_changed"] },
    ...{ sharedPieces: 7, knownTokens: 4_096, repeatedTokens: 3_796, idleSeconds: 19, costUsd: "0.25", seconds: 1.5 },
    causes: [{ cause: "prefix_history", costUsd: "0.25", confidence: "certain" }],
    text: {
      ...{ state: "shown", path: "messages[1].parts[0].content", common: "the month's 1" },
      ...{ before: "2%", after: "3%" },
    },
  });
});

it("knows the call before by the trace where no gateway names it, and one of another trace where it does", async () => {
  const second = await client.comparePrompt(traceId(1), spanId(2));
  expect(second).toMatchObject({
    ...{ before: { spanId: spanId(1) }, kept: true, section: "", path: "", reasons: [], sharedPieces: null },
    ...{ knownTokens: null, repeatedTokens: 0, costUsd: "0", causes: [], text: { state: "not_recorded" } },
  });
  const first = await client.comparePrompt(traceId(1), spanId(1));
  expect(first).toMatchObject({ before: null, kept: null, idleSeconds: null, text: { state: "not_recorded" } });
  const fourth = await client.comparePrompt(traceId(1), spanId(4));
  // It began later, by whatever clock.
  expect(fourth).toMatchObject({ before: { traceId: traceId(2) }, idleSeconds: 0 });
});

it("shows the text to nobody who may not read content", async () => {
  const scopes: Principal["scopes"] = ["figures.read"];
  const viewer = { keyId: "v", keyName: "v", kind: "api", workspace: "prompts", org: "o", orgWide: false } as const;
  const clock = { nowNs: () => atNs };
  const api = createTraceApi({ warehouse, control, clock });
  const asViewer = createApiClient((path, init) =>
    api.handle(new Request(new URL(path, "http://api.test"), init), { ...viewer, scopes, team: null, rules: {} }),
  );
  const { text, path } = await asViewer.comparePrompt(traceId(1), spanId(3));
  expect(text).toEqual({ state: "hidden", path: "", common: "", before: "", after: "" });
  expect(path).toBe("input[1]");
});

it("is of model calls alone, and of this workspace", async () => {
  await expect(client.comparePrompt(traceId(1), spanId(5))).rejects.toMatchObject({ code: "not_found" });
  await expect(client.comparePrompt(traceId(7), spanId(3))).rejects.toMatchObject({ code: "not_found" });
});
