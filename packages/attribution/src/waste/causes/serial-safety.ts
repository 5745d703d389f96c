import { defineWasteCause, type SpanRecord } from "@centspan/model";
import { readText } from "../attributes.ts";

const LEAST_SECONDS = 0.02;

export default defineWasteCause({
  id: "serial_safety",
  title: "Serial safety wait",
  describe: "An answer that was there waited for a safety check to end.",
  remedy: "Let the check run beside inference (policy beside), or give it a faster model.",
  layer: "api",
  kind: "repeated",
  rank: 120,
  *find({ calls }) {
    for (const at of calls) {
      const checks = at.stages("api.safety").filter(isHolding);
      // The engine does not wait, so its answer ends when the call would have.
      const [decode] = at.stages("inference.decode");
      const last = checks.reduce<SpanRecord | null>((a, b) => (a !== null && a.endedAtNs > b.endedAtNs ? a : b), null);
      if (last === null || decode === undefined) continue;
      const seconds = Number(last.endedAtNs - decode.endedAtNs) / 1e9;
      if (seconds >= LEAST_SECONDS) yield { at, seconds, confidence: "certain", evidence: { spanIds: [last.spanId] } };
    }
  },
});

const isHolding = ({ attributes }: SpanRecord): boolean => readText(attributes, "centspan.safety.policy") === "hold";
