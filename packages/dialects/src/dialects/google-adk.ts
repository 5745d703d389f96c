import { defineDialect } from "@centspan/model";

/** Later releases count thoughts in the output and name them as the conventions do; these passed Gemini's counts on. */
export default defineDialect({
  id: "google-adk",
  describe: "Google's Agent Development Kit while its reasoning tokens were experimental",
  defaultProvider: "google",
  spans: [
    {
      recognise: { places: ["gen_ai.usage.experimental.reasoning_tokens"] },
      inputIncludesCached: true,
      outputIncludesReasoning: false,
      fields: {
        input: ["gen_ai.usage.input_tokens"],
        output: ["gen_ai.usage.output_tokens"],
        cacheRead: ["gen_ai.usage.cache_read.input_tokens"],
        reasoning: ["gen_ai.usage.experimental.reasoning_tokens"],
        requestModel: ["gen_ai.request.model"],
        responseModel: ["gen_ai.response.model"],
        provider: ["gen_ai.provider.name", "gen_ai.system"],
        responseId: ["gen_ai.response.id"],
        sessionId: ["gen_ai.conversation.id", "session.id"],
      },
    },
  ],
});
