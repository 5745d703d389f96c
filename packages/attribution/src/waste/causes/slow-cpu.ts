import { defineWasteCause } from "@centspan/model";
import { readNumber, secondsOf } from "../attributes.ts";
import { findRepeatedTokens } from "../repeated-tokens.ts";

const LEAST_SHARE = 0.1;

export default defineWasteCause({
  id: "slow_cpu",
  title: "Slow CPU",
  describe:
    "The API layer's work was done on a generation of processor on which a call costs more than on the best one there is.",
  remedy: "Give gateways on older processors less of the traffic (agent check), or retire them.",
  layer: "api",
  kind: "repeated",
  rank: 130,
  *find({ calls }) {
    for (const at of calls) {
      const weight = readNumber(at.attributes, "centspan.cpu.weight");
      const lost = weight === null ? 0 : 1 - weight / 100;
      if (lost < LEAST_SHARE) continue;
      const work = ["api.parse", "api.validate", "api.tokenize", "api.route"].flatMap((name) => at.stages(name));
      // What need not have been done at all is not slow.
      const needless = findRepeatedTokens(at)?.seconds ?? 0;
      const seconds = lost * (work.reduce((sum, span) => sum + secondsOf(span), 0) - needless);
      yield { at, seconds, confidence: "likely", evidence: { spanIds: work.map(({ spanId }) => spanId) } };
    }
  },
});
