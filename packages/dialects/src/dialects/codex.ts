import { defineDialect } from "@centspan/model";

/** One span per stream event; the last one has the counts, and neither model nor response, which stand further up. */
export default defineDialect({
  id: "codex",
  describe: "Codex's own spans",
  recognise: { attributes: ["codex.usage.total_tokens"] },
  requestSpan: "try_run_sampling_request",
  inputIncludesCached: true,
  outputIncludesReasoning: true,
  fields: {
    input: ["gen_ai.usage.input_tokens"],
    output: ["gen_ai.usage.output_tokens"],
    cacheRead: ["gen_ai.usage.cache_read.input_tokens"],
    cacheWrite: ["gen_ai.usage.cache_write.input_tokens"],
    reasoning: ["codex.usage.reasoning_output_tokens"],
    total: [],
    requestModel: ["model"],
    responseModel: [],
    provider: [],
    responseId: [],
    sessionId: ["conversation.id"],
    serviceTier: [],
    effort: ["codex.request.reasoning_effort"],
  },
});
