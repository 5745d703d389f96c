import { defineDialect } from "@centspan/model";

/** The engine names no provider, and its request id is the id of the response that clients see. */
export default defineDialect({
  id: "vllm",
  describe: "vLLM's request spans, engines V0 (latencies in seconds) and V1 (in nanoseconds)",
  precedence: 2,
  defaultProvider: "vllm",
  spans: [
    {
      recognise: { scopes: ["vllm.llm_engine"] },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        input: ["gen_ai.usage.prompt_tokens"],
        output: ["gen_ai.usage.completion_tokens"],
        requestModel: ["gen_ai.request.model"],
        responseModel: ["gen_ai.response.model"],
        responseId: ["gen_ai.response.id", "gen_ai.request.id"],
      },
      firstToken: [{ place: "gen_ai.latency.time_to_first_token", unit: "s" }],
    },
  ],
});
