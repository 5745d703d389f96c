/**
 * Usage that the upstream did not report, or of which it reported the beginning alone (Anthropic's streams begin with one
 * output token): as the gateway counted it, which makes an estimate, or else of unknown amount.
 */
import { type Attributes, splitCounts, type UsageReading } from "@centspan/dialects";
import { type Counting, EMPTY_BUCKETS } from "@centspan/model";

export const USAGE_MISSING = "centspan.usage.missing";
const USAGE_PARTIAL = "centspan.usage.partial";
const COUNTED_INPUT = "centspan.usage.counted_input_tokens";
const COUNTED_OUTPUT = "centspan.usage.counted_output_tokens";

export const countingAttributes: readonly string[] = [USAGE_MISSING, USAGE_PARTIAL, COUNTED_INPUT, COUNTED_OUTPUT];

type Completed = { reading: UsageReading | null; isCounted: boolean };

export function completeUsage(attributes: Attributes, reading: UsageReading | null, counting: Counting): Completed {
  const isPartial = attributes[USAGE_PARTIAL] === "true";
  const isMissing = attributes[USAGE_MISSING] === "true" && reading === null;
  const [input, output] = [readCount(attributes[COUNTED_INPUT]), readCount(attributes[COUNTED_OUTPUT])];
  if (isMissing && input !== null && output !== null) {
    return { reading: splitCounts({ input, output }, counting), isCounted: true };
  }
  if (!isPartial || reading === null || reading.quarantineReason !== "") return { reading, isCounted: false };
  const { buckets } = reading;
  if (output === null) {
    return { reading: { ...reading, buckets: EMPTY_BUCKETS, quarantineReason: "usage_partial" }, isCounted: false };
  }
  const outputText = Math.max(buckets.outputText, output - buckets.outputReasoning);
  return { reading: { ...reading, buckets: { ...buckets, outputText } }, isCounted: true };
}

const readCount = (text: string | undefined): number | null => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : null);
