import { defineDialect } from "@centspan/model";

/** The flat cache attributes came from both kinds of sender. */
export default defineDialect({
  id: "openllmetry",
  describe: "OpenLLMetry (Traceloop): the former names of the GenAI conventions",
  spans: [
    {
      recognise: {
        places: [
          "gen_ai.usage.prompt_tokens",
          "gen_ai.usage.completion_tokens",
          "gen_ai.usage.cache_read_input_tokens",
          "gen_ai.usage.cache_creation_input_tokens",
          "llm.request.type",
        ],
      },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      ambiguousCached: ["gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.cache_creation_input_tokens"],
      fields: {
        input: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
        output: ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
        cacheRead: ["gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"],
        cacheWrite: [
          "gen_ai.usage.cache_creation.input_tokens",
          "gen_ai.usage.cache_write.input_tokens",
          "gen_ai.usage.cache_creation_input_tokens",
        ],
        reasoning: ["gen_ai.usage.reasoning_tokens", "gen_ai.usage.reasoning.output_tokens"],
        total: ["llm.usage.total_tokens", "gen_ai.usage.total_tokens"],
        requestModel: ["gen_ai.request.model"],
        responseModel: ["gen_ai.response.model"],
        provider: ["gen_ai.provider.name", "gen_ai.system"],
        responseId: ["gen_ai.response.id"],
        sessionId: ["gen_ai.conversation.id", "traceloop.association.properties.session_id", "session.id"],
        serviceTier: ["openai.response.service_tier", "gen_ai.openai.response.service_tier"],
        effort: ["gen_ai.request.reasoning.level", "gen_ai.request.reasoning_effort"],
      },
      firstToken: [{ place: "gen_ai.response.time_to_first_chunk", unit: "s" }],
    },
  ],
});
