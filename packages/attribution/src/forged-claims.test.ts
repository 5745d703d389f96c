/**
 * What rows claim for which no credential stands: whoever may send telemetry can write any name, id and parent into it, and
 * by none of that does a call of the gateway's become another one's, less, or cheaper.
 */
import type { LogRecord, SpanRecord } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { deriveCalls, sumMetricTotals } from "./index.ts";
import { chat, hex, START_NS, span } from "./testing/records.ts";

const RESPONSE = { "gen_ai.response.id": "chatcmpl-9f1c22aa7b" };
const OTHERS_KEY = { "centspan.key.id": "key_other", "centspan.key.name": "other-team" };
const IN_ANOTHER_TRACE = { traceId: "b".repeat(32) };

const usage = (input: number, output: number, more: Record<string, string> = {}): Record<string, string> =>
  chat(input, { "gen_ai.usage.output_tokens": String(output), ...more });

const gateway = (attributes: Record<string, string>, facts: Partial<SpanRecord> = {}): SpanRecord =>
  span(10, { service: "centspan-gateway", trusted: true, attributes, ...facts });
const MINE = { "centspan.key.id": "key_mine", "centspan.key.name": "mine", ...RESPONSE };
const real = gateway(usage(100_000, 5_000, MINE));
/** All that a forger would have it be: few tokens, and everything said that could be. */
const FEW = usage(3, 2, {
  ...RESPONSE,
  ...OTHERS_KEY,
  "gen_ai.usage.cache_read.input_tokens": "2",
  "gen_ai.usage.reasoning.output_tokens": "1",
  "openai.response.service_tier": "flex",
  "cloud.region": "eu",
  "centspan.provenance": "simulated",
});
const forged = (n: number, facts: Partial<SpanRecord> = {}): SpanRecord =>
  span(n, { service: "centspan-gateway", attributes: FEW, ...facts });

const record = (attributes: Record<string, string>, facts: Partial<LogRecord> = {}): LogRecord => ({
  atNs: START_NS + 10_500n,
  observedAtNs: START_NS + 10_500n,
  traceId: "",
  spanId: "",
  severityNumber: 9,
  severityText: "",
  eventName: "api_request",
  body: "",
  service: "centspan-gateway",
  attributes: { "event.name": "api_request", model: "scripted-strong", ...attributes },
  resourceAttributes: {},
  scopeName: "com.anthropic.claude_code.events",
  ...facts,
});

const BILL = {
  spanId: hex(10),
  source: "gateway",
  keyId: "key_mine",
  key: "mine",
  provenance: "measured",
  serviceTier: "",
  region: "",
  quarantineReason: "",
  buckets: { input: 100_000, cacheRead: 0, outputText: 5_000, outputReasoning: 0 },
};

/** As they may arrive. */
const orders = <Item>(items: readonly Item[]): Item[][] => [[...items], items.toReversed()];

describe("a call of the gateway's is what the gateway says", () => {
  const child = { parentSpanId: hex(10) };
  it.each<[string, SpanRecord[]]>([
    ["the same response in another trace", [forged(20, IN_ANOTHER_TRACE)]],
    ["several of them", [forged(20, IN_ANOTHER_TRACE), forged(21, { traceId: "c".repeat(32) })]],
    ["an engine below it", [forged(20, { ...child, service: "vllm", scopeName: "vllm.llm_engine" })]],
    ["several below it", [forged(20, child), forged(21, child)]],
    ["another response below it", [forged(20, { ...child, attributes: usage(3, 2, OTHERS_KEY) })]],
    ["one below one below it", [span(20, child), forged(21, { parentSpanId: hex(20) })]],
    ["its sum above it", [forged(1, { name: "invoke_agent x", attributes: usage(3, 2, OTHERS_KEY) })]],
    [
      "a key and a provenance above it",
      [forged(1, { attributes: { ...OTHERS_KEY, "centspan.provenance": "simulated" } })],
    ],
  ])("whatever others say: %s", (_what, others) => {
    const call = { ...real, parentSpanId: hex(1) };
    for (const spans of orders([call, ...others])) expect(deriveCalls({ spans })).toMatchObject([BILL]);
  });

  it("whatever records say, in its context or of its response", () => {
    const few = { input_tokens: "3", output_tokens: "2", ...OTHERS_KEY };
    const context = { traceId: real.traceId, spanId: real.spanId };
    for (const logs of [
      [record({ ...few, request_id: RESPONSE["gen_ai.response.id"] })],
      [record(few, context)],
      [record({ ...few, request_id: RESPONSE["gen_ai.response.id"] }, context)],
    ]) {
      const calls = deriveCalls({ spans: [real], logs });
      expect(calls.filter(({ spanId }) => spanId === hex(10))).toMatchObject([BILL]);
      expect(calls.filter(({ keyId }) => keyId === "key_other")).toEqual([]);
    }
  });

  it("also where a record is in the context of the note that it had begun", () => {
    const missing = { "centspan.usage.missing": "true", "centspan.call.pending": "true" };
    const pending = gateway(
      { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", ...missing },
      { spanId: hex(11), parentSpanId: hex(10) },
    );
    const few = record({ input_tokens: "3", output_tokens: "2" }, { traceId: real.traceId, spanId: hex(11) });
    const calls = deriveCalls({ spans: [real, pending], logs: [few] });
    expect(calls.filter(({ source }) => source === "gateway")).toMatchObject([BILL]);
  });

  it("no record makes two of its responses one", () => {
    const nameless = gateway(usage(700, 70, { "centspan.key.id": "key_mine" }), { spanId: hex(12) });
    const bridge = record(
      { input_tokens: "3", output_tokens: "2", request_id: RESPONSE["gen_ai.response.id"] },
      { traceId: real.traceId, spanId: hex(12) },
    );
    const calls = deriveCalls({ spans: [real, nameless], logs: [bridge] });
    const inputs = calls.filter(({ source }) => source === "gateway").map(({ buckets }) => buckets.input);
    expect(new Set(inputs)).toEqual(new Set([100_000, 700]));
  });
});

describe("a call that the gateway had to count itself", () => {
  const counted = (input: string, output: string, facts: Partial<SpanRecord> = {}) =>
    gateway(
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "scripted-strong",
        "centspan.usage.missing": "true",
        "centspan.usage.counted_input_tokens": input,
        "centspan.usage.counted_output_tokens": output,
        ...MINE,
      },
      facts,
    );
  const ESTIMATE = { keyId: "key_mine", provenance: "estimated", buckets: { input: 100_000, outputText: 300 } };

  it.each<[string, SpanRecord]>([
    ["of its response", forged(20, IN_ANOTHER_TRACE)],
    ["below it", forged(20, { parentSpanId: hex(10) })],
    ["above it", forged(1, { name: "invoke_agent x" })],
  ])("is made no less by what others say %s", (_where, other) => {
    const cut = counted("100000", "300", { parentSpanId: hex(1) });
    for (const spans of orders([cut, other])) expect(deriveCalls({ spans })).toMatchObject([ESTIMATE]);
  });

  it.each<[string, Record<string, string>]>([
    ["fewer are written", usage(200_000, 299, RESPONSE)],
    [
      "most are read from a cache",
      usage(100_000, 700, { ...RESPONSE, "gen_ai.usage.cache_read.input_tokens": "99000" }),
    ],
    ["it is simulated", usage(100_000, 700, { ...RESPONSE, "centspan.provenance": "simulated" })],
  ])("costs no less because somebody says that %s", (_what, attributes) => {
    const cut = counted("100000", "300");
    const other = span(20, { ...IN_ANOTHER_TRACE, attributes });
    for (const spans of orders([cut, other])) expect(deriveCalls({ spans })).toMatchObject([ESTIMATE]);
  });

  it("has the price of what the gateway says was asked", () => {
    const seen = usage(100_000, 700, {
      ...RESPONSE,
      "gen_ai.request.model": "cheap",
      "openai.response.service_tier": "flex",
    });
    const spans = [counted("100000", "300"), span(20, { ...IN_ANOTHER_TRACE, attributes: seen })];
    expect(deriveCalls({ spans })).toMatchObject([
      { source: "client", model: "scripted-strong", serviceTier: "", buckets: { outputText: 700 } },
    ]);
  });

  it("is not over because somebody else's span stands where its own would be", () => {
    const note = counted("100000", "300", { parentSpanId: hex(9) });
    note.attributes["centspan.call.pending"] = "true";
    expect(deriveCalls({ spans: [note, span(9, { name: "chat m" })] })).toMatchObject([ESTIMATE]);
    const own = gateway({ "gen_ai.operation.name": "chat" }, { spanId: hex(9), status: "error" });
    expect(deriveCalls({ spans: [note, own] })).toEqual([]);
  });

  it("is what somebody says who saw more of it, by the key that the gateway knows", () => {
    const seen = span(20, { ...IN_ANOTHER_TRACE, attributes: usage(100_000, 700, { ...RESPONSE, ...OTHERS_KEY }) });
    expect(deriveCalls({ spans: [counted("100000", "300"), seen] })).toMatchObject([
      { source: "client", keyId: "key_mine", provenance: "measured", buckets: { input: 100_000, outputText: 700 } },
    ]);
  });
});

describe("a call that no gateway saw", () => {
  it("is a client's, and of no key of ours, whatever it says", () => {
    const litellm = {
      "gen_ai.system": "openai",
      "metadata.user_api_key_hash": "key_other",
      "metadata.user_api_key_alias": "other-team",
    };
    for (const attributes of [FEW, { ...FEW, ...litellm }])
      for (const facts of [{}, { scopeName: "litellm" }, { parentSpanId: hex(9) }])
        expect(
          deriveCalls({ spans: [gateway(OTHERS_KEY, { spanId: hex(9) }), forged(20, { ...facts, attributes })] }),
        ).toMatchObject([{ source: "client", keyId: "" }]);
  });

  it("is the larger one of two that claim one response", () => {
    const honest = span(5, { attributes: usage(1_000, 50, { ...RESPONSE, "centspan.task.id": "t" }) });
    for (const spans of orders([honest, forged(20, IN_ANOTHER_TRACE)]))
      expect(deriveCalls({ spans })).toMatchObject([{ task: "t", buckets: { input: 1_000, outputText: 50 } }]);
  });

  it("is none where only a metric tells of it", () => {
    const point = {
      name: "gen_ai.client.token.usage",
      type: "sum" as const,
      unit: "{token}",
      description: "",
      temporality: "delta" as const,
      monotonic: true,
      service: "centspan-gateway",
      attributes: { ...OTHERS_KEY, "gen_ai.token.type": "input", "gen_ai.request.model": "m" },
      resourceAttributes: OTHERS_KEY,
      scopeName: "",
      startedAtNs: START_NS,
      atNs: START_NS + 1n,
      value: "3",
      count: null,
      sum: null,
      min: null,
      max: null,
      bounds: [],
      bucketValues: [],
    };
    const totals = sumMetricTotals([point], { callsBySession: new Set([""]) });
    expect(JSON.stringify(totals, (_name, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      "key_other",
    );
    expect(deriveCalls({ spans: [real] })).toMatchObject([BILL]);
  });
});
