import { defineWasteCause } from "@centspan/model";
import { findRepeatedTokens } from "../repeated-tokens.ts";

export default defineWasteCause({
  id: "retokenized",
  title: "Re-tokenization",
  describe: "A gateway tokenized text again that had been tokenized in the conversation before.",
  remedy: "Keep a conversation at one gateway, and give it enough memory for the conversations that are under way.",
  layer: "api",
  kind: "repeated",
  rank: 110,
  *find({ calls }) {
    for (const at of calls) {
      const repeated = findRepeatedTokens(at);
      if (repeated === null || at.before === null) continue;
      const { span, tokens, seconds } = repeated;
      yield {
        at,
        seconds,
        confidence: "certain",
        evidence: { repeatedTokens: tokens, spanIds: [span.spanId], previousSpanId: at.before.call.spanId },
      };
    }
  },
});
