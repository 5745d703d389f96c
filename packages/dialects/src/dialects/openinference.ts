import { defineDialect } from "@centspan/model";

export default defineDialect({
  id: "openinference",
  describe: "OpenInference (Arize Phoenix instrumentations)",
  spans: [
    {
      recognise: { places: ["llm.token_count.prompt", "llm.token_count.completion", "openinference.span.kind"] },
      modelSpan: { attribute: "openinference.span.kind", values: ["LLM"] },
      agentSpan: { attribute: "openinference.span.kind", values: ["AGENT"] },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        input: ["llm.token_count.prompt"],
        output: ["llm.token_count.completion"],
        cacheRead: ["llm.token_count.prompt_details.cache_read"],
        cacheWrite: ["llm.token_count.prompt_details.cache_write"],
        reasoning: ["llm.token_count.completion_details.reasoning"],
        audioInput: ["llm.token_count.prompt_details.audio"],
        audioOutput: ["llm.token_count.completion_details.audio"],
        total: ["llm.token_count.total"],
        requestModel: ["llm.model_name"],
        responseModel: ["llm.response.model"],
        provider: ["llm.provider", "llm.system"],
        responseId: ["gen_ai.response.id", "llm.response.id"],
        sessionId: ["session.id"],
        costUsd: ["llm.cost.total"],
      },
    },
  ],
});
