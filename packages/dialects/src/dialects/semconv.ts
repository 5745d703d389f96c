import { defineDialect } from "@centspan/model";

/** `gen_ai.usage.details.*` (Pydantic AI) breaks the standard counts down and is never added to them. */
export default defineDialect({
  id: "semconv",
  describe: "OpenTelemetry GenAI semantic conventions, both spellings of the cache write",
  recognise: {
    attributes: ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.operation.name"],
    precedence: -1,
  },
  inputIncludesCached: true,
  outputIncludesReasoning: true,
  fields: {
    input: ["gen_ai.usage.input_tokens"],
    output: ["gen_ai.usage.output_tokens"],
    cacheRead: ["gen_ai.usage.cache_read.input_tokens"],
    cacheWrite: ["gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens"],
    reasoning: [
      "gen_ai.usage.reasoning.output_tokens",
      "gen_ai.usage.details.reasoning_tokens",
      "gen_ai.usage.details.thoughts_tokens",
    ],
    total: ["gen_ai.usage.total_tokens"],
    requestModel: ["gen_ai.request.model"],
    responseModel: ["gen_ai.response.model"],
    provider: ["gen_ai.provider.name", "gen_ai.system"],
    responseId: ["gen_ai.response.id"],
    sessionId: ["gen_ai.conversation.id", "session.id"],
    serviceTier: ["openai.response.service_tier", "gen_ai.openai.response.service_tier"],
    effort: ["gen_ai.request.reasoning.level", "gen_ai.request.reasoning_effort"],
    cost: ["centspan.provided_cost_usd"],
  },
});
