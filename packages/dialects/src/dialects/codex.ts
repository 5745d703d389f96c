import { defineDialect, type Place } from "@centspan/model";

/** `thread.id` is a conversation on a few spans, and on all others the number of a thread of the operating system. */
const sessionId: Place[] = ["conversation.id", { attribute: "thread.id", matching: /[^\d]/ }];

/**
 * One span per stream event; the last one has the counts, and neither model nor response, which stand further up. Its
 * record of the same event has all but the response. `tool_token_count` is the total, under a misleading name.
 */
export default defineDialect({
  id: "codex",
  describe: "Codex's spans, log events and metrics",
  precedence: 1,
  spans: [
    {
      recognise: { places: ["codex.usage.total_tokens"] },
      requestSpan: "try_run_sampling_request",
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        input: ["gen_ai.usage.input_tokens"],
        output: ["gen_ai.usage.output_tokens"],
        cacheRead: ["gen_ai.usage.cache_read.input_tokens"],
        cacheWrite: ["gen_ai.usage.cache_write.input_tokens"],
        reasoning: ["codex.usage.reasoning_output_tokens"],
        total: ["codex.usage.total_tokens"],
        requestModel: ["model"],
        sessionId,
        effort: ["codex.request.reasoning_effort"],
      },
    },
  ],
  logs: [
    {
      events: [
        { name: "codex.sse_event", marks: [{ attribute: "event.kind", values: ["response.completed"] }] },
        { name: "codex.websocket_event", marks: [{ attribute: "event.kind", values: ["response.completed"] }] },
      ],
      joinsWithinS: 5,
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      fields: {
        input: ["input_token_count"],
        output: ["output_token_count"],
        cacheRead: ["cached_token_count"],
        cacheWrite: ["cache_write_token_count"],
        reasoning: ["reasoning_token_count"],
        total: ["tool_token_count"],
        requestModel: ["model", "slug"],
        sessionId,
      },
      firstToken: [{ place: "ttft_ms", unit: "ms" }],
    },
  ],
  metrics: [
    {
      inputIncludesCached: true,
      outputIncludesReasoning: true,
      tokens: {
        name: "codex.turn.token_usage",
        type: "token_type",
        counts: {
          input: "input",
          cached_input: "cacheRead",
          cache_write_input: "cacheWrite",
          output: "output",
          reasoning_output: "reasoning",
          total: "total",
        },
      },
      fields: { requestModel: ["model"], sessionId },
    },
  ],
});
