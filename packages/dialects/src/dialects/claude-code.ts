import { defineDialect } from "@centspan/model";

/** Its counts are flat and disjoint, without any prefix; the scope is what tells them from other people's names. */
export default defineDialect({
  id: "claude-code",
  describe: "Claude Code's beta tracing spans",
  recognise: { scopes: ["com.anthropic.claude_code.tracing", "com.anthropic.claude_code"], precedence: 2 },
  inputIncludesCached: false,
  outputIncludesReasoning: true,
  defaultProvider: "anthropic",
  fields: {
    input: ["input_tokens"],
    output: ["output_tokens"],
    cacheRead: ["cache_read_tokens"],
    cacheWrite: ["cache_creation_tokens"],
    reasoning: [],
    total: [],
    requestModel: ["gen_ai.request.model", "model"],
    responseModel: ["gen_ai.response.model"],
    provider: ["gen_ai.system"],
    responseId: ["gen_ai.response.id", "request_id"],
    sessionId: ["session.id"],
    serviceTier: [],
    effort: [],
    cost: ["cost_usd"],
  },
});
