import { defineDialect } from "@centspan/model";

/**
 * `gen_ai.usage.details.*` (Pydantic AI) breaks the standard counts down and is never added to them. The conventions have
 * no name for how long a cache write lives: our gateway tells it under one of its own. So it does for the id of a request
 * whose client names its calls by that.
 */
const reading = {
  inputIncludesCached: true,
  outputIncludesReasoning: true,
  fields: {
    input: ["gen_ai.usage.input_tokens"],
    output: ["gen_ai.usage.output_tokens"],
    cacheRead: ["gen_ai.usage.cache_read.input_tokens"],
    cacheWrite: ["gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens"],
    cacheWrite1h: ["centspan.usage.cache_creation_1h.input_tokens"],
    reasoning: [
      "gen_ai.usage.reasoning.output_tokens",
      "gen_ai.usage.details.reasoning_tokens",
      "gen_ai.usage.details.thoughts_tokens",
    ],
    total: ["gen_ai.usage.total_tokens"],
    audioInput: ["centspan.usage.audio.input_tokens"],
    audioOutput: ["centspan.usage.audio.output_tokens"],
    webSearches: ["centspan.usage.web_searches"],
    requestModel: ["gen_ai.request.model"],
    responseModel: ["gen_ai.response.model"],
    provider: ["gen_ai.provider.name", "gen_ai.system"],
    responseId: ["centspan.request.id", "gen_ai.response.id"],
    sessionId: ["gen_ai.conversation.id", "session.id"],
    serviceTier: ["openai.response.service_tier", "gen_ai.openai.response.service_tier"],
    region: ["centspan.response.region"],
    serverAddress: ["server.address"],
    effort: ["gen_ai.request.reasoning.level", "gen_ai.request.reasoning_effort"],
    costUsd: ["centspan.provided_cost_usd"],
  },
  firstToken: [{ place: "gen_ai.response.time_to_first_chunk", unit: "s" }],
} as const;

export default defineDialect({
  id: "semconv",
  describe: "OpenTelemetry GenAI semantic conventions, both spellings of the cache write",
  precedence: -1,
  spans: [
    {
      ...reading,
      recognise: { places: ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.operation.name"] },
      modelSpan: {
        attribute: "gen_ai.operation.name",
        values: ["chat", "text_completion", "generate_content", "embeddings"],
      },
      agentSpan: { attribute: "gen_ai.operation.name", values: ["invoke_agent"] },
    },
  ],
  logs: [{ ...reading, events: [{ name: "gen_ai.client.inference.operation.details" }] }],
  metrics: [
    {
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      tokens: {
        name: "gen_ai.client.token.usage",
        type: "gen_ai.token.type",
        counts: { input: "input", output: "output", completion: "output" },
      },
      oneValuePerCall: true,
      fields: {
        requestModel: ["gen_ai.request.model"],
        responseModel: ["gen_ai.response.model"],
        provider: ["gen_ai.provider.name", "gen_ai.system"],
        sessionId: ["gen_ai.conversation.id", "session.id"],
      },
    },
  ],
});
