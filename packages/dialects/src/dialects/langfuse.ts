import { COUNT_FIELDS, defineDialect, type Fields, type Place } from "@centspan/model";
import { type ApiShape, apiShapes } from "../api-shapes.ts";

const ATTRIBUTE = "langfuse.observation.usage_details";
const usage = (path: string): Place => ({ attribute: ATTRIBUTE, path: path.split(".") });

const facts = {
  requestModel: ["langfuse.observation.model.name"],
  responseId: ["gen_ai.response.id"],
  sessionId: ["session.id", "langfuse.session.id"],
  costUsd: [{ attribute: "langfuse.observation.cost_details", path: ["total"] }],
} as const;

const firstToken = [
  { place: { attribute: "langfuse.observation.completion_start_time", path: [] }, unit: "instant" },
] as const;

/** What an API said of usage, given on as it is: each count stands where the API has it. */
function passOn({ counts, usage: carrier, inputIncludesCached, outputIncludesReasoning }: ApiShape, more: Fields = {}) {
  const fields: Fields = { ...facts };
  for (const field of COUNT_FIELDS) {
    const own = counts[field]?.flatMap((place) => (typeof place === "string" ? [place] : [])) ?? [];
    const places = [...own.map((path) => usage(path.slice(carrier.length + 1))), ...(more[field] ?? [])];
    if (places.length > 0) fields[field] = places;
  }
  return { inputIncludesCached, outputIncludesReasoning, fields, firstToken };
}

/** Usage and cost are JSON in one attribute each. The platform's own keys are disjoint; shapes of others are passed through. */
export default defineDialect({
  id: "langfuse",
  describe: "Langfuse's SDKs: langfuse.observation.* with usage and cost as JSON",
  precedence: 2,
  spans: [
    {
      ...passOn(apiShapes.chat),
      recognise: { places: [usage("prompt_tokens"), usage("completion_tokens")] },
    },
    {
      // LangChain's counts are like those of Responses, and its details have names of their own.
      ...passOn(apiShapes.responses, {
        cacheRead: [usage("input_token_details.cache_read")],
        cacheWrite: [usage("input_token_details.cache_creation")],
        reasoning: [usage("output_token_details.reasoning")],
      }),
      recognise: {
        places: [
          usage("input_tokens_details.cached_tokens"),
          usage("output_tokens_details.reasoning_tokens"),
          usage("input_token_details.cache_read"),
          usage("output_token_details.reasoning"),
        ],
      },
    },
    {
      // The AI SDK's, which older clients of the platform wrote too.
      recognise: {
        places: [usage("promptTokens"), usage("completionTokens"), usage("inputTokens"), usage("outputTokens")],
      },
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        ...facts,
        input: [usage("promptTokens"), usage("inputTokens")],
        output: [usage("completionTokens"), usage("outputTokens")],
        cacheRead: [usage("inputTokenDetails.cacheReadTokens"), usage("cachedInputTokens")],
        cacheWrite: [usage("inputTokenDetails.cacheWriteTokens")],
        reasoning: [usage("outputTokenDetails.reasoningTokens"), usage("reasoningTokens")],
        total: [usage("totalTokens")],
      },
      firstToken,
    },
    {
      recognise: { scopes: ["langfuse-sdk"], places: [ATTRIBUTE] },
      modelSpan: { attribute: "langfuse.observation.type", values: ["generation", "embedding"] },
      agentSpan: { attribute: "langfuse.observation.type", values: ["agent"] },
      inputIncludesCached: false,
      outputIncludesReasoning: false,
      fields: {
        ...facts,
        // Anthropic's counts are disjoint, too.
        input: [usage("input"), usage("input_tokens")],
        output: [usage("output"), usage("output_tokens")],
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
        cacheWrite1h: [usage("cache_creation.ephemeral_1h_input_tokens")],
        reasoning: [usage("output_reasoning_tokens"), usage("output_reasoning"), usage("reasoning_tokens")],
        total: [usage("total"), usage("total_tokens")],
      },
      firstToken,
    },
  ],
});
