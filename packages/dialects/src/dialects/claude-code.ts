import { defineDialect } from "@centspan/model";

/**
 * Counts are flat and disjoint, without any prefix; the scope tells its spans from other people's names. Older versions
 * write numbers as text. Records stand in the context of the interaction, not of the request: the request id joins them.
 */
const reading = {
  inputIncludesCached: false,
  outputIncludesReasoning: true,
  fields: {
    input: ["input_tokens"],
    output: ["output_tokens"],
    cacheRead: ["cache_read_tokens"],
    cacheWrite: ["cache_creation_tokens"],
    requestModel: ["gen_ai.request.model", "model"],
    responseModel: ["gen_ai.response.model"],
    provider: ["gen_ai.system"],
    responseId: ["gen_ai.response.id", "request_id"],
    requestId: ["request_id"],
    sessionId: ["session.id"],
    effort: ["effort"],
    costUsd: ["cost_usd"],
  },
  firstToken: [{ place: "ttft_ms", unit: "ms" }],
} as const;

export default defineDialect({
  id: "claude-code",
  describe: "Claude Code's spans, log events and metrics",
  precedence: 2,
  defaultProvider: "anthropic",
  spans: [{ ...reading, recognise: { scopes: ["com.anthropic.claude_code.tracing", "com.anthropic.claude_code"] } }],
  logs: [{ ...reading, events: [{ name: "api_request" }, { name: "claude_code.api_request" }] }],
  metrics: [
    {
      inputIncludesCached: false,
      outputIncludesReasoning: true,
      tokens: {
        name: "claude_code.token.usage",
        type: "type",
        counts: { input: "input", output: "output", cacheRead: "cacheRead", cacheCreation: "cacheWrite" },
      },
      costUsd: ["claude_code.cost.usage"],
      fields: { requestModel: ["model"], sessionId: ["session.id"] },
    },
  ],
});
