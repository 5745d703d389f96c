import { defineDialect } from "@centspan/model";

const recognise = { scopes: ["envoyproxy/ai-gateway"] };

const standard = {
  outputIncludesReasoning: true,
  fields: {
    input: ["gen_ai.usage.input_tokens"],
    output: ["gen_ai.usage.output_tokens"],
    cacheRead: ["gen_ai.usage.cache_read.input_tokens"],
    cacheWrite: ["gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens"],
    reasoning: ["gen_ai.usage.reasoning.output_tokens"],
    requestModel: ["gen_ai.request.model"],
    responseModel: ["gen_ai.response.model"],
    provider: ["gen_ai.provider.name", "gen_ai.system"],
    responseId: ["gen_ai.response.id"],
    sessionId: ["gen_ai.conversation.id", "session.id"],
  },
  firstToken: [{ place: "gen_ai.response.time_to_first_chunk", unit: "s" }],
} as const;

/** In its gen_ai mode what Anthropic counted goes through as it came, and Anthropic counts cached tokens apart. */
export default defineDialect({
  id: "envoy-ai-gateway",
  describe: "Envoy AI Gateway, in its gen_ai and its OpenInference mode",
  precedence: 2,
  spans: [
    ...["gen_ai.provider.name", "gen_ai.system"].map((attribute) => ({
      ...standard,
      recognise: { ...recognise, marks: [{ attribute, values: ["anthropic"] }] },
      inputIncludesCached: false,
    })),
    {
      recognise: { ...recognise, marks: [{ attribute: "openinference.span.kind", values: ["LLM", "EMBEDDING"] }] },
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
        provider: ["llm.provider", "llm.system"],
        sessionId: ["session.id"],
      },
    },
    { ...standard, recognise, inputIncludesCached: true },
  ],
});
