import { describe, expect, it } from "vitest";
import { deriveCalls, deriveCallsWithNotes } from "./index.ts";
import { chat, hex, span } from "./testing/records.ts";

const gateway = (more: Record<string, string> = {}) =>
  span(1, {
    trusted: true,
    attributes: chat(1000, {
      "gen_ai.usage.output_tokens": "50",
      "gen_ai.usage.cache_read.input_tokens": "800",
      "gen_ai.usage.reasoning.output_tokens": "20",
      "gen_ai.response.id": "chatcmpl-abc",
      "centspan.key.id": "k1",
      ...more,
    }),
  });
const server = (n: number, id: string, output = "50") =>
  span(n, {
    parentSpanId: hex(1),
    service: "vllm",
    scopeName: "vllm.llm_engine",
    name: "llm_request",
    attributes: {
      "gen_ai.usage.prompt_tokens": "1000",
      "gen_ai.usage.completion_tokens": output,
      "gen_ai.request.id": id,
      "gen_ai.response.model": "qwen",
    },
  });

const WHOLE = {
  spanId: hex(1),
  source: "gateway",
  keyId: "k1",
  buckets: { input: 200, cacheRead: 800, outputText: 30, outputReasoning: 20 },
};

describe("a server's span below the gateway's", () => {
  it.each([
    ["names the same response", "chatcmpl-abc", "50"],
    ["names the same response and counts otherwise", "chatcmpl-abc", "49"],
    ["has an id of its own and the same counts", "chatcmpl-abc-0", "50"],
  ])("is the call that the gateway tells of where it %s", (_how, id, output) => {
    const { calls, notes } = deriveCallsWithNotes({ spans: [gateway(), server(2, id, output)] });
    expect(calls).toMatchObject([WHOLE]);
    expect(notes).toContainEqual(expect.objectContaining({ kind: "not_billed", spanId: hex(2) }));
  });

  it("is the same call in a trace of its own, and so counts the same", () => {
    const apart = { ...server(2, "chatcmpl-abc"), traceId: "b".repeat(32), parentSpanId: "" };
    expect(deriveCalls({ spans: [gateway(), apart] })).toMatchObject([WHOLE]);
  });

  it("takes nothing from it where it is one of several, or tells of something else", () => {
    const several = [gateway(), server(2, "chatcmpl-abc"), server(3, "chatcmpl-def")];
    expect(deriveCalls({ spans: several })).toMatchObject([WHOLE]);
    expect(deriveCalls({ spans: [gateway(), server(2, "chatcmpl-def", "7")] })).toMatchObject([WHOLE]);
  });

  it("is a call of its own where it is trusted too, and one of several, or tells of something else", () => {
    const own = (n: number, id: string, output?: string) => ({ ...server(n, id, output), trusted: true });
    const several = [gateway(), own(2, "chatcmpl-abc"), own(3, "chatcmpl-def")];
    expect(deriveCalls({ spans: several }).map(({ spanId }) => spanId)).toEqual([hex(2), hex(3)]);
    expect(deriveCalls({ spans: [gateway(), own(2, "chatcmpl-def", "7")] })).toMatchObject([{ spanId: hex(2) }]);
    expect(deriveCalls({ spans: [gateway(), own(2, "chatcmpl-abc-0")] })).toMatchObject([WHOLE]);
    const below = { ...server(4, "engine-1"), parentSpanId: hex(2) };
    expect(deriveCalls({ spans: [gateway(), own(2, "chatcmpl-abc-0"), below] })).toMatchObject([WHOLE]);
  });
});

it("one id for all answers of a server tells none of them", () => {
  for (const id of [
    "chatcmpl-1",
    "chatcmpl-default",
    "cmpl-local",
    "msg_1",
    "chatcmpl-unknown",
    "None",
    "0",
    "chatcmpl-",
  ]) {
    const call = (n: number, input: number) =>
      span(n, { traceId: String(n).repeat(32), attributes: chat(input, { "gen_ai.response.id": id }) });
    expect(deriveCalls({ spans: [call(1, 500), call(2, 900)] }), id).toHaveLength(2);
  }
});
