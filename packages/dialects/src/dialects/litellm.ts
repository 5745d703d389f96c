import { defineDialect } from "@centspan/model";

const facts = {
  requestModel: ["gen_ai.request.model"],
  responseModel: ["gen_ai.response.model"],
  provider: ["gen_ai.provider.name", "gen_ai.system"],
  responseId: ["gen_ai.response.id"],
  sessionId: ["gen_ai.conversation.id", "session.id"],
} as const;

/**
 * Its request is one span among several: `raw_gen_ai_request` below it dumps the provider's reply as text, under names
 * that no count is read from. Version 2 writes the former names of the counts beside the present ones, and where it
 * also feeds Langfuse, Langfuse's.
 */
export default defineDialect({
  id: "litellm",
  describe: "LiteLLM's proxy and SDK, versions 1 and 2 of its OpenTelemetry integration, with metrics",
  precedence: 3,
  spans: [
    {
      recognise: { places: ["litellm.call_id", "litellm.cost.total", "litellm.call_type"] },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        ...facts,
        input: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
        output: ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
        cacheRead: ["gen_ai.usage.cache_read.input_tokens"],
        cacheWrite: ["gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens"],
        reasoning: ["gen_ai.usage.reasoning.output_tokens"],
        total: ["gen_ai.usage.total_tokens"],
        keyId: ["litellm.api_key.hash"],
        costUsd: ["litellm.cost.total"],
      },
      firstToken: [{ place: "gen_ai.response.time_to_first_chunk", unit: "s" }],
    },
    {
      recognise: { scopes: ["litellm"], places: ["gen_ai.cost.total_cost"] },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        ...facts,
        input: ["gen_ai.usage.prompt_tokens", "gen_ai.usage.input_tokens"],
        output: ["gen_ai.usage.completion_tokens", "gen_ai.usage.output_tokens"],
        total: ["gen_ai.usage.total_tokens"],
        keyId: ["metadata.user_api_key_hash"],
        key: ["metadata.user_api_key_alias"],
        team: ["metadata.user_api_key_team_alias", "metadata.user_api_key_team_id"],
        costUsd: ["gen_ai.cost.total_cost"],
      },
    },
  ],
  metrics: [
    {
      scopes: ["litellm"],
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      tokens: {
        name: "gen_ai.client.token.usage",
        type: "gen_ai.token.type",
        counts: { input: "input", output: "output" },
      },
      oneValuePerCall: true,
      costUsd: ["gen_ai.client.token.cost", "gen_ai.usage.cost"],
      fields: {
        requestModel: ["gen_ai.request.model"],
        responseModel: ["gen_ai.response.model"],
        provider: ["gen_ai.provider.name", "gen_ai.system"],
        sessionId: ["gen_ai.conversation.id", "session.id"],
      },
    },
  ],
});
