import type { SpanRecord } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveCalls, deriveCallsWithNotes } from "./index.ts";
import { chat, hex, span, TRACE } from "./testing/records.ts";

describe("identity", () => {
  const run = span(1, {
    attributes: {
      "centspan.task.id": "fix-it",
      "centspan.task.type": "bug",
      "centspan.role": "plan",
      "gen_ai.conversation.id": "s1",
    },
  });
  const server = span(2, {
    parentSpanId: hex(1),
    trusted: true,
    attributes: { "centspan.key.id": "k1", "centspan.key.name": "ci", "centspan.role": "execute" },
  });
  const call = span(3, {
    parentSpanId: hex(2),
    trusted: true,
    attributes: chat(10, {
      "gen_ai.request.reasoning.level": "high",
      "centspan.provenance": "simulated",
      "openai.response.service_tier": "flex",
    }),
    resourceAttributes: { "team.id": "core", "centspan.repository": "acme/ledger", "centspan.key.name": "other" },
  });

  it("comes from the span, else the nearest ancestor, else the resource", () => {
    expect(deriveCalls({ spans: [call, server, run] })).toMatchObject([
      {
        task: "fix-it",
        taskType: "bug",
        role: "execute",
        sessionId: "s1",
        keyId: "k1",
        key: "ci",
        team: "core",
        repository: "acme/ledger",
        provenance: "simulated",
        source: "gateway",
        effort: "high",
        serviceTier: "flex",
        durationNs: 500n,
        requests: 1,
      },
    ]);
  });

  it("never gives one key another's name", () => {
    const unnamed = { ...server, attributes: { "centspan.key.id": "k1" } };
    expect(deriveCalls({ spans: [run, unnamed, call] })).toMatchObject([{ keyId: "k1", key: "" }]);
  });

  it("falls back from task to session", () => {
    expect(
      deriveCalls({ spans: [span(1, { attributes: chat(1, { "gen_ai.conversation.id": "s9" }) })] }),
    ).toMatchObject([{ task: "s9", sessionId: "s9", provenance: "measured", source: "client" }]);
  });
});

it("an embedding is a call of its own kind of usage: input, and nothing written", () => {
  const attributes = {
    "gen_ai.operation.name": "embeddings",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "text-embedding-3-small",
    "gen_ai.response.model": "text-embedding-3-small",
    "gen_ai.usage.input_tokens": "12",
    "centspan.key.id": "k1",
  };
  const name = "embeddings text-embedding-3-small";
  expect(deriveCalls({ spans: [span(1, { name, trusted: true, attributes })] })).toMatchObject([
    {
      source: "gateway",
      model: "text-embedding-3-small",
      provider: "openai",
      keyId: "k1",
      buckets: { input: 12, cacheRead: 0, outputText: 0, outputReasoning: 0 },
      quarantineReason: "",
    },
  ]);
});

describe("one response, several observers", () => {
  const response = { "gen_ai.response.id": "r1" };
  const client = span(1, {
    attributes: chat(100, { ...response, "gen_ai.conversation.id": "s1", "centspan.task.id": "t1" }),
  });
  const gateway = span(2, {
    traceId: "b".repeat(32),
    trusted: true,
    attributes: chat(100, {
      ...response,
      "gen_ai.usage.cache_read.input_tokens": "64",
      "centspan.key.id": "k1",
      "centspan.key.name": "ci",
    }),
  });

  it("is one call: the gateway's, with the client's session and task", () => {
    const { calls, notes } = deriveCallsWithNotes({ spans: [client, gateway] });
    expect(calls).toMatchObject([
      {
        spanId: hex(2),
        source: "gateway",
        buckets: { input: 36, cacheRead: 64 },
        sessionId: "s1",
        task: "t1",
        keyId: "k1",
      },
    ]);
    expect(notes).toContainEqual({ kind: "not_billed", traceId: TRACE, spanId: hex(1), reason: "same_response" });
  });

  it("is one call where the client names it by its request, as Claude Code does", () => {
    const scopeName = "com.anthropic.claude_code.tracing";
    const attributes = { input_tokens: "36", cache_read_tokens: "64", output_tokens: "1", request_id: "req_a1" };
    const named = { ...gateway.attributes, "centspan.request.id": "req_a1" };
    const spans = [span(1, { scopeName, attributes }), { ...gateway, attributes: named }];
    expect(deriveCalls({ spans })).toMatchObject([{ spanId: hex(2), source: "gateway", responseId: "req_a1" }]);
  });

  it("keeps its id whoever reports it, so that the better report replaces the earlier one", () => {
    const ids = [[client], [gateway], [client, gateway]].map((spans) =>
      deriveCalls({ spans }).map(({ callId }) => callId),
    );
    expect(new Set(ids.flat()).size).toBe(1);
  });

  it("two calls without a response id stay two, equal as they are", () => {
    expect(deriveCalls({ spans: [span(1, { attributes: chat(5) }), span(2, { attributes: chat(5) })] })).toHaveLength(
      2,
    );
  });
});

describe("a usage span that names neither model nor response (Codex)", () => {
  const turn = span(1, { name: "run_turn", attributes: { "conversation.id": "thread" } });
  const counts = { "gen_ai.usage.input_tokens": "100", "gen_ai.usage.output_tokens": "9" };
  /** One request as Codex traces it: the exchange and the reading of its stream are siblings. */
  const trace = (n: number, ...answers: SpanRecord[]): SpanRecord[] => [
    span(n, { name: "try_run_sampling_request", parentSpanId: hex(1), attributes: { model: "gpt-5.5" } }),
    span(n + 1, { name: "stream_request", parentSpanId: hex(n) }),
    ...answers.map((answer) => ({ ...answer, parentSpanId: hex(n + 1) })),
    span(n + 9, { parentSpanId: hex(n), attributes: { ...counts, "codex.usage.total_tokens": "109" } }),
  ];
  const answer = (n: number, attributes: Record<string, string>): SpanRecord =>
    span(n, { trusted: true, attributes: chat(100, attributes) });

  it("has them from the spans above", () => {
    expect(deriveCalls({ spans: [turn, ...trace(10)] })).toMatchObject([
      { spanId: hex(19), provider: "openai", model: "gpt-5.5", sessionId: "thread", task: "thread", source: "client" },
    ]);
  });

  it("is the call that the gateway reported within the same request, and no other", () => {
    const spans = [
      turn,
      ...trace(10, answer(12, { "gen_ai.response.id": "r1" })),
      ...trace(30, answer(32, { "gen_ai.response.id": "r2" })),
      ...trace(50),
    ];
    const { calls, notes } = deriveCallsWithNotes({ spans });
    expect(calls.map(({ spanId, source, responseId, sessionId }) => [spanId, source, responseId, sessionId])).toEqual([
      [hex(12), "gateway", "r1", "thread"],
      [hex(32), "gateway", "r2", "thread"],
      [hex(59), "client", "", "thread"],
    ]);
    const repeated = notes.flatMap((note) => (note.kind === "not_billed" ? [[note.spanId, note.reason]] : []));
    expect(repeated).toEqual([
      [hex(19), "same_response"],
      [hex(39), "same_response"],
    ]);
  });

  it("belongs to the attempt that reported its usage", () => {
    const cut = answer(15, { "gen_ai.response.id": "r1", "centspan.usage.missing": "true" });
    delete cut.attributes["gen_ai.usage.input_tokens"];
    delete cut.attributes["gen_ai.usage.output_tokens"];
    const calls = deriveCalls({ spans: [turn, ...trace(10, answer(12, { "gen_ai.response.id": "r2" }), cut)] });
    expect(calls.map(({ spanId, quarantineReason }) => [spanId, quarantineReason])).toEqual([
      [hex(12), ""],
      [hex(15), "usage_missing"],
    ]);
  });
});

it("a call before anybody sold tokens is set aside: its clock is wrong, whatever it used", () => {
  const at = (startedAtNs: bigint) => ({ startedAtNs, endedAtNs: startedAtNs + 1n, attributes: chat(3) });
  const first = 1_577_836_800_000_000_000n;
  const calls = deriveCalls({ spans: [span(1, at(5n)), span(2, at(first - 1n)), span(3, at(first))] });
  expect(calls.map(({ quarantineReason }) => quarantineReason)).toEqual(["clock_wrong", "clock_wrong", ""]);
});

describe("usage that is not there", () => {
  const silent = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };

  it("makes a call of unknown usage, not a free one", () => {
    const attributes = { ...silent, "centspan.usage.missing": "true" };
    expect(deriveCalls({ spans: [span(1, { attributes, status: "error" })] })).toMatchObject([
      { quarantineReason: "usage_missing" },
    ]);
  });

  it("is a call where only the note is left that one had begun, and else what the call's own span says", () => {
    const missing = { ...silent, "centspan.usage.missing": "true" };
    const note = span(2, { parentSpanId: hex(1), attributes: { ...missing, "centspan.call.pending": "true" } });
    expect(deriveCalls({ spans: [note] })).toMatchObject([{ spanId: hex(2), quarantineReason: "usage_missing" }]);
    const reported = span(1, { attributes: chat(10) });
    expect(deriveCalls({ spans: [reported, note] })).toMatchObject([{ spanId: hex(1), quarantineReason: "" }]);
    const aborted = span(1, { attributes: { ...missing, "gen_ai.response.id": "r1" } });
    expect(deriveCalls({ spans: [aborted, note] })).toMatchObject([{ spanId: hex(1), responseId: "r1" }]);
    const refused = span(1, { attributes: silent, status: "error" });
    expect(deriveCalls({ spans: [refused, note] })).toEqual([]);
  });

  it("is no call where the request failed without an answer", () => {
    expect(deriveCalls({ spans: [span(1, { attributes: silent, status: "error" })] })).toEqual([]);
  });

  it("contradictory usage is quarantined", () => {
    expect(deriveCalls({ spans: [span(1, { attributes: chat(-5) })] })).toMatchObject([
      { quarantineReason: "negative_count" },
    ]);
  });
});

describe("broken trees", () => {
  const ids = (spans: SpanRecord[]) => deriveCalls({ spans }).map(({ spanId }) => spanId);

  it("a span that is its own parent is a call", () => {
    expect(ids([span(1, { parentSpanId: hex(1), attributes: chat(1) })])).toEqual([hex(1)]);
  });

  it("members of a cycle are calls each, since none is above the others; what hangs below one is a call too", () => {
    const cycle = [
      span(1, { parentSpanId: hex(2), attributes: chat(1) }),
      span(2, { parentSpanId: hex(1), attributes: chat(2) }),
    ];
    expect(ids(cycle)).toEqual([hex(1), hex(2)]);
    expect(ids([...cycle, span(3, { parentSpanId: hex(1), attributes: chat(3) })])).toEqual([hex(2), hex(3)]);
  });

  it("a missing parent ends the way up", () => {
    expect(ids([span(1, { parentSpanId: hex(99), attributes: chat(1) })])).toEqual([hex(1)]);
  });

  it("a chain of 20,000 spans is walked", () => {
    const chain = Array.from({ length: 20_000 }, (_, n) =>
      span(n + 1, { parentSpanId: n === 0 ? "" : hex(n), attributes: chat(1) }),
    );
    expect(ids(chain)).toEqual([hex(20_000)]);
  });

  it("an end before the start has no length", () => {
    expect(deriveCalls({ spans: [span(1, { attributes: chat(1), endedAtNs: 0n })] })).toMatchObject([
      { durationNs: 0n },
    ]);
  });

  it("bills what a naive search for usage below finds, in any order of arrival", () => {
    const tree = fc.array(fc.record({ parent: fc.nat(14), usage: fc.boolean() }), { minLength: 1, maxLength: 15 });
    fc.assert(
      fc.property(tree, fc.integer(), (nodes, seed) => {
        // Parents come before their children, so there is no cycle: 0 is a root.
        const spans = nodes.map(({ parent, usage }, n) =>
          span(n + 1, { parentSpanId: n === 0 ? "" : hex((parent % n) + 1), attributes: usage ? chat(n + 1) : {} }),
        );
        const hasUsageBelow = (id: string): boolean =>
          spans.some(
            (each) =>
              each.parentSpanId === id &&
              ("gen_ai.usage.input_tokens" in each.attributes || hasUsageBelow(each.spanId)),
          );
        const expected = spans
          .filter(({ spanId, attributes }) => "gen_ai.usage.input_tokens" in attributes && !hasUsageBelow(spanId))
          .map(({ spanId }) => spanId);
        const shuffled = spans.toSorted(
          (a, b) => ((Number(a.startedAtNs) * seed) % 7919) - ((Number(b.startedAtNs) * seed) % 7919),
        );
        expect(ids(shuffled)).toEqual(expected);
      }),
    );
  });
});
