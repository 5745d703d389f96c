import { EMPTY_BUCKETS } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { createReader, readUsage, recogniseSpan } from "../index.ts";

function read(usage: object) {
  const attributes = { "langfuse.observation.usage_details": JSON.stringify(usage) };
  const spoken = recogniseSpan({ attributes, scopeName: "langfuse-sdk" });
  return spoken && readUsage(createReader(attributes), spoken.layout);
}

describe("usage", () => {
  it.each<[string, object, object]>([
    [
      "Responses'",
      {
        input_tokens: 1200,
        input_tokens_details: { cached_tokens: 1000 },
        output_tokens: 300,
        output_tokens_details: { reasoning_tokens: 100 },
        total_tokens: 1500,
      },
      { input: 200, cacheRead: 1000, outputText: 200, outputReasoning: 100 },
    ],
    [
      "Responses' without a total",
      { input_tokens: 1200, input_tokens_details: { cached_tokens: 1000 }, output_tokens: 300 },
      { input: 200, cacheRead: 1000, outputText: 300 },
    ],
    [
      "Chat Completions' with writes",
      { prompt_tokens: 50, prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 10 }, completion_tokens: 5 },
      { input: 20, cacheRead: 20, cacheWrite5m: 10, outputText: 5 },
    ],
    [
      "LangChain's",
      {
        input_tokens: 50,
        output_tokens: 9,
        total_tokens: 59,
        input_token_details: { cache_read: 20, cache_creation: 10 },
        output_token_details: { reasoning: 4 },
      },
      { input: 20, cacheRead: 20, cacheWrite5m: 10, outputText: 5, outputReasoning: 4 },
    ],
    ["the older SDKs'", { promptTokens: 50, completionTokens: 9, totalTokens: 59 }, { input: 50, outputText: 9 }],
    [
      "the AI SDK's",
      { inputTokens: 50, cachedInputTokens: 20, outputTokens: 9, reasoningTokens: 4, totalTokens: 59 },
      { input: 30, cacheRead: 20, outputText: 5, outputReasoning: 4 },
    ],
    [
      "Anthropic's",
      {
        input_tokens: 30,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 60,
        cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 40 },
        output_tokens: 25,
        output_tokens_details: { thinking_tokens: 5 },
      },
      { input: 30, cacheRead: 100, cacheWrite5m: 20, cacheWrite1h: 40, outputText: 25 },
    ],
  ])("of %s shape are read as that API counts", (_whose, usage, buckets) => {
    expect(read(usage)).toEqual(
      expect.objectContaining({ quarantineReason: "", buckets: { ...EMPTY_BUCKETS, ...buckets } }),
    );
  });
});
