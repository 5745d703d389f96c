import { defineDialect } from "@centspan/model";

/** Only a request's root span has counts; the spans of its stages below it have none. */
export default defineDialect({
  id: "sglang",
  describe: "SGLang's request traces",
  precedence: 2,
  defaultProvider: "sglang",
  spans: [
    {
      recognise: { scopes: ["sglang server"], places: ["gen_ai.usage.cached_tokens"] },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        input: ["gen_ai.usage.prompt_tokens"],
        output: ["gen_ai.usage.completion_tokens"],
        cacheRead: ["gen_ai.usage.cached_tokens"],
        requestModel: ["gen_ai.request.model"],
        responseModel: ["gen_ai.response.model"],
        responseId: ["gen_ai.response.id", "gen_ai.request.id"],
      },
      firstToken: [{ place: "gen_ai.latency.time_to_first_token", unit: "s" }],
    },
  ],
});
