import { defineDialect } from "@centspan/model";

export default defineDialect({
  id: "openinference",
  describe: "OpenInference (Arize Phoenix instrumentations)",
  recognise: { attributes: ["llm.token_count.prompt", "llm.token_count.completion", "openinference.span.kind"] },
  inputIncludesCached: true,
  outputIncludesReasoning: true,
  fields: {
    input: ["llm.token_count.prompt"],
    output: ["llm.token_count.completion"],
    cacheRead: ["llm.token_count.prompt_details.cache_read"],
    cacheWrite: ["llm.token_count.prompt_details.cache_write"],
    reasoning: ["llm.token_count.completion_details.reasoning"],
    total: ["llm.token_count.total"],
    requestModel: ["llm.model_name"],
    responseModel: [],
    provider: ["llm.provider", "llm.system"],
    responseId: ["gen_ai.response.id"],
    sessionId: ["session.id"],
    serviceTier: [],
    effort: [],
    cost: ["llm.cost.total"],
  },
});
