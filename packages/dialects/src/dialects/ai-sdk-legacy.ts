import { defineDialect } from "@centspan/model";

/** Releases before 6 passed Anthropic's disjoint input count through; the numbers show it where it matters. */
export default defineDialect({
  id: "ai-sdk-legacy",
  describe: "Vercel AI SDK up to 6 and its compatibility mode: ai.* attributes",
  precedence: 1,
  spans: [
    {
      recognise: {
        places: ["ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.outputTokens", "ai.operationId"],
      },
      modelSpan: {
        attribute: "ai.operationId",
        values: [
          "ai.generateText.doGenerate",
          "ai.streamText.doStream",
          "ai.generateObject.doGenerate",
          "ai.streamObject.doStream",
        ],
      },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        input: ["ai.usage.inputTokens", "ai.usage.promptTokens"],
        output: ["ai.usage.outputTokens", "ai.usage.completionTokens"],
        cacheRead: ["ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens"],
        cacheWrite: ["ai.usage.inputTokenDetails.cacheWriteTokens"],
        reasoning: ["ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens"],
        total: ["ai.usage.totalTokens"],
        requestModel: ["ai.model.id", "gen_ai.request.model"],
        responseModel: ["ai.response.model", "gen_ai.response.model"],
        provider: ["ai.model.provider", "gen_ai.system"],
        responseId: ["ai.response.id", "gen_ai.response.id"],
        sessionId: ["ai.telemetry.metadata.sessionId"],
      },
      firstToken: [{ place: "ai.response.msToFirstChunk", unit: "ms" }],
    },
  ],
});
