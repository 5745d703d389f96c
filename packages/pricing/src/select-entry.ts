/**
 * Which price entry is in force for one call. Order of precedence: the most exact model pattern, then the most
 * selectors, then the latest `from`. Two entries that differ only in which selectors hold are a tie: no entry wins.
 * The rule follows the price list semantics of DESIGN 4.3: served tier, whole-request context tiers, dated entries.
 */

import { parseInstant } from "@centspan/base";
import type { Call, PriceEntry, PriceSelectors, RateCard } from "@centspan/model";

/** A call, with the facts of the request that some price lists ask for where they are known. */
export type RateableCall = Call & { region?: string; batch?: boolean };

/** The entry that prices the call, or null when there is none or more than one has an equal claim. */
export function selectEntry(call: RateableCall, cards: readonly RateCard[]): PriceEntry | null {
  const candidates = cards
    .filter((card) => card.provider === call.provider)
    .flatMap((card) => card.entries)
    .map((entry) => ({ entry, exactness: matchModel(entry.model, modelName(call)) }))
    .filter(({ entry, exactness }) => exactness > 0 && isInForce(entry, call.atNs) && selectorsHold(entry.when, call))
    .map(({ entry, exactness }) => ({ entry, exactness, selectors: countSelectors(entry.when) }))
    .sort((a, b) => b.exactness - a.exactness || b.selectors - a.selectors || compareFrom(b.entry, a.entry));
  const [first] = candidates;
  if (!first) return null;
  const rival = candidates.find(
    ({ entry, exactness, selectors }) =>
      exactness === first.exactness &&
      selectors === first.selectors &&
      selectorKey(entry.when) !== selectorKey(first.entry.when),
  );
  return rival ? null : first.entry;
}

/** Routers report `google/gemini-3-pro-preview` for what the provider itself calls `gemini-3-pro-preview`. */
const modelName = (call: Call): string =>
  call.model.startsWith(`${call.provider}/`) ? call.model.slice(call.provider.length + 1) : call.model;

/** 0: no match; the longer the part that had to be equal, the higher; a name without `*` is above all patterns. */
function matchModel(pattern: string, model: string): number {
  if (!pattern.endsWith("*")) return pattern === model ? Number.POSITIVE_INFINITY : 0;
  const prefix = pattern.slice(0, -1);
  return model.startsWith(prefix) ? prefix.length : 0;
}

/** `from` is inclusive, `to` exclusive. */
function isInForce(entry: PriceEntry, atNs: bigint): boolean {
  return fromNs(entry) <= atNs && (entry.to === undefined || atNs < readDate(entry.to));
}

export const fromNs = (entry: PriceEntry): bigint => readDate(entry.from);

function readDate(text: string): bigint {
  const ns = parseInstant(text);
  if (ns === null) throw new RangeError(`not a date: ${text}`);
  return ns;
}

const compareFrom = (a: PriceEntry, b: PriceEntry): number => {
  const difference = fromNs(a) - fromNs(b);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
};

function selectorsHold(when: PriceSelectors | undefined, call: RateableCall): boolean {
  if (!when) return true;
  if (when.serviceTier !== undefined && when.serviceTier !== call.serviceTier) return false;
  if (when.region !== undefined && when.region !== call.region) return false;
  // Providers that report the tier they served name batch as one.
  if (when.batch !== undefined && when.batch !== (call.batch ?? call.serviceTier === "batch")) return false;
  return when.context === undefined || contextHolds(when.context, call);
}

/**
 * An aggregate of n requests is judged by its average: total against n × threshold, without dividing. That is exact
 * for one request and an approximation for n, since the single contexts are not known.
 */
function contextHolds(tier: NonNullable<PriceSelectors["context"]>, call: Call): boolean {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = call.buckets;
  const total = input + cacheRead + cacheWrite5m + cacheWrite1h;
  const threshold = tier.tokens * call.requests;
  return tier.comparator === ">" ? total > threshold : total >= threshold;
}

const countSelectors = (when: PriceSelectors | undefined): number =>
  Object.values(when ?? {}).filter((value) => value !== undefined).length;

/** Equal for selectors that hold for the same calls. */
export const selectorKey = (when: PriceSelectors = {}): string =>
  JSON.stringify([when.serviceTier, when.region, when.batch, when.context?.comparator, when.context?.tokens]);
