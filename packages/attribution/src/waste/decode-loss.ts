/** Time that an answer's decoding took longer, as the engine adds it up over the steps that served it. */
import type { WasteFinding, WatchedRun } from "@centspan/model";
import { readNumber, secondsOf, type WasteAttribute } from "./attributes.ts";

/** Of the decoding; less is how steps differ anyway. */
const LEAST_SHARE = 0.05;

export function* findDecodeLoss({ calls }: WatchedRun, attribute: WasteAttribute): Generator<WasteFinding> {
  for (const at of calls) {
    const [decode] = at.stages("inference.decode");
    const lostMs = decode && readNumber(decode.attributes, attribute);
    if (decode === undefined || lostMs === undefined || lostMs === null) continue;
    const seconds = (lostMs / 1e3) * (readNumber(decode.attributes, "centspan.time_scale") ?? 1);
    if (seconds < LEAST_SHARE * secondsOf(decode)) continue;
    yield { at, seconds, confidence: "certain", evidence: { spanIds: [decode.spanId] } };
  }
}
