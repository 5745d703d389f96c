/** Which calls are the same request again. */
import type { WatchedCall } from "@centspan/model";
import { readFlag, readText } from "./attributes.ts";
import { isOfHistory } from "./recorded-misses.ts";

/**
 * The same prompt to the same model, after the earlier one was over: several at once are samples, and wanted. Who left may ask
 * again before anybody has noticed.
 */
export function isRetryOf(later: WatchedCall, earlier: WatchedCall): boolean {
  const prompt = readText(later.attributes, "centspan.prefix.fingerprint");
  if (prompt === null || prompt !== readText(earlier.attributes, "centspan.prefix.fingerprint")) return false;
  // A history knows what was answered, not what was sent: what grew in between is no repetition.
  if (isOfHistory(later) && later.promptTokens !== earlier.promptTokens) return false;
  const { call: now } = later;
  const { call: before } = earlier;
  const overNs = isAborted(earlier) ? before.atNs : before.atNs + before.durationNs;
  return now.model === before.model && now.effort === before.effort && now.atNs >= overNs;
}

export const isAborted = ({ attributes }: WatchedCall): boolean => readFlag(attributes, "centspan.stream.aborted");

/**
 * Nobody reported what it used, so what is known of it is a count, and nothing of what a cache served. Of such a call and
 * the one that repeats it all of the first is lost.
 */
export const isCounted = ({ attributes }: WatchedCall): boolean => readFlag(attributes, "centspan.usage.missing");
