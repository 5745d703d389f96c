/**
 * Token counts as an emitter gave them → disjoint buckets. Evidence in the numbers beats the dialect's default: more
 * cached than input tokens, or a total that only adds up that way, proves that the input count excludes the cached
 * ones, and such a total that the output excludes reasoning. Never clamps: counts that contradict each other, or that no meter has
 * a price for, give a quarantine reason and no buckets.
 */
import { type Buckets, type CountField, type Counting, EMPTY_BUCKETS } from "@centspan/model";

type QuarantineReason =
  | "invalid_count"
  | "negative_count"
  | "reasoning_exceeds_output"
  | "input_parts_mismatch"
  | "cache_write_parts_mismatch"
  | "hour_writes_exceed_writes"
  | "total_mismatch"
  | "audio_tokens_unmetered"
  | "absurd_count"
  | "usage_partial";
type UsageFlag = "explicit_zero_usage" | "input_semantics_exclusive_inferred";

export type UsageReading = {
  /** Empty when quarantined. For an ambiguous reading: the inclusive one. */
  buckets: Buckets;
  inputSemantics: "inclusive" | "exclusive" | "ambiguous";
  /** The exclusive reading of an ambiguous record. */
  alternativeBuckets: Buckets | null;
  flags: UsageFlag[];
  quarantineReason: QuarantineReason | "";
};

/** NaN stands for what was no whole number. */
export type Counts = Partial<Record<CountField, number>>;

export function splitCounts(counts: Counts, counting: Counting, ambiguousCached = false): UsageReading {
  const given = Object.values(counts);
  if (given.some((value) => Number.isNaN(value))) return quarantine(counting, "invalid_count");
  if (given.some((value) => value < 0)) return quarantine(counting, "negative_count");
  const { input = 0, inputBeside = 0, output = 0, cacheRead = 0, cacheMiss, reasoning = 0, total } = counts;
  const { cacheWrite = 0, cacheWrite5m, cacheWrite1h = 0, webSearches = 0, audioInput = 0, audioOutput = 0 } = counts;
  if (cacheMiss !== undefined && cacheMiss + cacheRead !== input) return quarantine(counting, "input_parts_mismatch");
  if (cacheWrite5m !== undefined && cacheWrite5m + cacheWrite1h !== cacheWrite)
    return quarantine(counting, "cache_write_parts_mismatch");
  if (cacheWrite1h > cacheWrite) return quarantine(counting, "hour_writes_exceed_writes");

  const cached = cacheRead + cacheWrite;
  const visible = input + inputBeside + output;
  const addsUp = (sum: number): boolean => sum === visible || sum === visible + cached;
  // Some that speak another's API count reasoning beside the output.
  const besideProven = total !== undefined && reasoning > 0 && !addsUp(total) && addsUp(total - reasoning);
  const reasoningInside = counting.outputIncludesReasoning && !besideProven;
  if (reasoningInside && reasoning > output) return quarantine(counting, "reasoning_exceeds_output");
  const allOutput = output + (reasoningInside ? 0 : reasoning);
  const inclusiveTotal = input + inputBeside + allOutput;
  const exclusiveTotal = inclusiveTotal + cached;
  const proven = counting.inputIncludesCached && (cached > input || (cached > 0 && total === exclusiveTotal));
  const exclusive = proven || !counting.inputIncludesCached;
  const sums = [inclusiveTotal, ...(exclusive || ambiguousCached ? [exclusiveTotal] : [])];
  if (total !== undefined && !sums.includes(total)) return quarantine(counting, "total_mismatch");
  if (audioInput + audioOutput > 0) return quarantine(counting, "audio_tokens_unmetered");

  const rest = {
    outputText: allOutput - reasoning,
    outputReasoning: reasoning,
    cacheRead,
    cacheWrite5m: cacheWrite - cacheWrite1h,
    cacheWrite1h,
    webSearches,
  };
  const asExclusive: Buckets = { input: input + inputBeside, ...rest };
  const asInclusive: Buckets = { input: input + inputBeside - cached, ...rest };
  const ambiguous = !exclusive && ambiguousCached && cached > 0;
  const flags: UsageFlag[] = [];
  if (proven || (counting.inputIsInferred === true && cached > 0)) flags.push("input_semantics_exclusive_inferred");
  if (exclusiveTotal === 0) flags.push("explicit_zero_usage");
  return {
    buckets: exclusive ? asExclusive : asInclusive,
    inputSemantics: exclusive ? "exclusive" : ambiguous ? "ambiguous" : "inclusive",
    alternativeBuckets: ambiguous ? asExclusive : null,
    flags,
    quarantineReason: "",
  };
}

/** A thousand times what any model takes in one request. */
const MOST_TOKENS = 1_000_000_000;

/** Those of a single call, which can't be just any. */
export const splitCall: typeof splitCounts = (counts, counting, ambiguousCached) =>
  Object.values(counts).some((value) => value > MOST_TOKENS)
    ? quarantine(counting, "absurd_count")
    : splitCounts(counts, counting, ambiguousCached);

const quarantine = (counting: Counting, quarantineReason: QuarantineReason): UsageReading => ({
  buckets: EMPTY_BUCKETS,
  inputSemantics: counting.inputIncludesCached ? "inclusive" : "exclusive",
  alternativeBuckets: null,
  flags: [],
  quarantineReason,
});
