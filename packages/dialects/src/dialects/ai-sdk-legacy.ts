import { defineDialect } from "@centspan/model";

const reading = {
  modelSpan: {
    attribute: "ai.operationId",
    values: [
      "ai.generateText.doGenerate",
      "ai.streamText.doStream",
      "ai.generateObject.doGenerate",
      "ai.streamObject.doStream",
    ],
  },
  outputIncludesReasoning: true,
  fields: {
    input: ["ai.usage.inputTokens", "ai.usage.promptTokens"],
    output: ["ai.usage.outputTokens", "ai.usage.completionTokens"],
    cacheRead: ["ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens"],
    cacheWrite: ["ai.usage.inputTokenDetails.cacheWriteTokens"],
    reasoning: ["ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens"],
    total: ["ai.usage.totalTokens"],
    requestModel: ["ai.model.id", "gen_ai.request.model"],
    responseModel: ["ai.response.model", "gen_ai.response.model"],
    provider: ["ai.model.provider", "gen_ai.system"],
    responseId: ["ai.response.id", "gen_ai.response.id"],
    sessionId: ["ai.telemetry.metadata.sessionId"],
  },
  firstToken: [{ place: "ai.response.msToFirstChunk", unit: "ms" }],
} as const;

const places = ["ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.outputTokens", "ai.operationId"];
const ROLLUPS = ["ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"];
const ANTHROPIC = ["anthropic", "anthropic.messages", "vertex.anthropic.messages", "google.vertex.anthropic.messages"];

/** Releases before 6, which tell no details of the input, pass Anthropic's disjoint count through. */
export default defineDialect({
  id: "ai-sdk-legacy",
  describe: "Vercel AI SDK up to 6 and its compatibility mode: ai.* attributes",
  precedence: 1,
  spans: [
    {
      ...reading,
      recognise: {
        places: ["ai.usage.inputTokenDetails.noCacheTokens", "ai.usage.inputTokenDetails.cacheReadTokens"],
        marks: [{ attribute: "ai.operationId", values: [...ROLLUPS, ...reading.modelSpan.values] }],
      },
      inputIncludesCached: true,
    },
    {
      ...reading,
      recognise: { places, marks: [{ attribute: "ai.model.provider", values: ANTHROPIC }] },
      inputIncludesCached: false,
      inputIsInferred: true,
    },
    { ...reading, recognise: { places }, inputIncludesCached: true },
  ],
});
