import { defineDialect } from "@centspan/model";

/** Counts are the standard ones; only the split of the output has a name of its own. */
export default defineDialect({
  id: "ai-sdk",
  describe: "Vercel AI SDK 7: standard names plus ai.usage details",
  spans: [
    {
      recognise: {
        places: ["ai.usage.inputTokenDetails.noCacheTokens", "ai.usage.outputTokenDetails.reasoningTokens"],
      },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        input: ["gen_ai.usage.input_tokens"],
        output: ["gen_ai.usage.output_tokens"],
        cacheRead: ["gen_ai.usage.cache_read.input_tokens"],
        cacheWrite: ["gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens"],
        reasoning: ["gen_ai.usage.reasoning.output_tokens", "ai.usage.outputTokenDetails.reasoningTokens"],
        requestModel: ["gen_ai.request.model"],
        responseModel: ["gen_ai.response.model"],
        provider: ["gen_ai.provider.name", "gen_ai.system"],
        responseId: ["gen_ai.response.id"],
        sessionId: ["gen_ai.conversation.id", "session.id"],
        serviceTier: ["openai.response.service_tier"],
        effort: ["gen_ai.request.reasoning.level"],
      },
      firstToken: [
        { place: "gen_ai.response.time_to_first_chunk", unit: "s" },
        { place: "ai.response.msToFirstChunk", unit: "ms" },
      ],
    },
  ],
});
