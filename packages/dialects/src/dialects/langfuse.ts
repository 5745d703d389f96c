import { defineDialect, type Place } from "@centspan/model";

const usage = (...path: string[]): Place => ({ attribute: "langfuse.observation.usage_details", path });

const facts = {
  requestModel: ["langfuse.observation.model.name"],
  responseId: ["gen_ai.response.id"],
  sessionId: ["session.id", "langfuse.session.id"],
  costUsd: [{ attribute: "langfuse.observation.cost_details", path: ["total"] }],
} as const;

const firstToken = [
  { place: { attribute: "langfuse.observation.completion_start_time", path: [] }, unit: "instant" },
] as const;

/** Usage and cost are JSON in one attribute each. The platform's own keys are disjoint; OpenAI's shape is passed through. */
export default defineDialect({
  id: "langfuse",
  describe: "Langfuse's SDKs: langfuse.observation.* with usage and cost as JSON",
  precedence: 2,
  spans: [
    {
      recognise: { places: [usage("prompt_tokens"), usage("completion_tokens")] },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        ...facts,
        input: [usage("prompt_tokens")],
        output: [usage("completion_tokens")],
        cacheRead: [usage("prompt_tokens_details", "cached_tokens")],
        reasoning: [usage("completion_tokens_details", "reasoning_tokens")],
        total: [usage("total_tokens")],
      },
      firstToken,
    },
    {
      recognise: { scopes: ["langfuse-sdk"], places: ["langfuse.observation.usage_details"] },
      modelSpan: { attribute: "langfuse.observation.type", values: ["generation", "embedding"] },
      agentSpan: { attribute: "langfuse.observation.type", values: ["agent"] },
      inputIncludesCached: false,
      outputIncludesReasoning: false,
      fields: {
        ...facts,
        input: [usage("input")],
        output: [usage("output")],
        cacheRead: [
          usage("cache_read_input_tokens"),
          usage("input_cached_tokens"),
          usage("input_cache_read"),
          usage("cache_read_tokens"),
        ],
        cacheWrite: [
          usage("cache_creation_input_tokens"),
          usage("input_cache_creation"),
          usage("cache_write_input_tokens"),
          usage("input_cache_write"),
        ],
        reasoning: [usage("output_reasoning_tokens"), usage("output_reasoning"), usage("reasoning_tokens")],
        total: [usage("total")],
      },
      firstToken,
    },
  ],
});
