import { defineDialect } from "@centspan/model";

/** The engine names no provider, and its request id is the id of the response that clients see. */
export default defineDialect({
  id: "vllm",
  describe: "vLLM's own request spans",
  recognise: { scopes: ["vllm.llm_engine"], precedence: 2 },
  inputIncludesCached: true,
  outputIncludesReasoning: true,
  defaultProvider: "vllm",
  fields: {
    input: ["gen_ai.usage.prompt_tokens"],
    output: ["gen_ai.usage.completion_tokens"],
    cacheRead: [],
    cacheWrite: [],
    reasoning: [],
    total: [],
    requestModel: ["gen_ai.request.model"],
    responseModel: ["gen_ai.response.model"],
    provider: [],
    responseId: ["gen_ai.response.id", "gen_ai.request.id"],
    sessionId: [],
    serviceTier: [],
    effort: [],
  },
});
