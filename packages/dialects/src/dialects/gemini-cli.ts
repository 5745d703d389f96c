import { defineDialect } from "@centspan/model";

/** Thoughts and the prompt tokens of tool results stand beside the two main counts; only the cached ones are inside. */
export default defineDialect({
  id: "gemini-cli",
  describe: "Gemini CLI's log events and metrics",
  defaultProvider: "google",
  logs: [
    {
      events: [{ name: "gemini_cli.api_response" }],
      joinsWithinS: 5,
      inputIncludesCached: true,
      outputIncludesReasoning: false,
      fields: {
        input: ["input_token_count"],
        inputBeside: ["tool_token_count"],
        output: ["output_token_count"],
        cacheRead: ["cached_content_token_count"],
        reasoning: ["thoughts_token_count"],
        total: ["total_token_count"],
        requestModel: ["model"],
        sessionId: ["session.id"],
      },
    },
  ],
  metrics: [
    {
      inputIncludesCached: true,
      outputIncludesReasoning: false,
      tokens: {
        name: "gemini_cli.token.usage",
        type: "type",
        counts: { input: "input", output: "output", cache: "cacheRead", thought: "reasoning", tool: "inputBeside" },
      },
      fields: { requestModel: ["model"], sessionId: ["session.id"] },
    },
  ],
});
