/**
 * Which price entry is in force for one call. Order of precedence: the most exact model pattern, then the most
 * selectors, then the latest `from`. Two entries that differ only in which selectors hold are a tie: no entry wins.
 * The rule follows the price list semantics of DESIGN 4.3: served tier, whole-request context tiers, dated entries.
 */

import { parseInstant } from "@centspan/base";
import type { Call, PriceEntry, PriceSelectors, RateCard } from "@centspan/model";

/** A call, with the facts of the request that some price lists ask for where they are known. */
export type RateableCall = Call & { region?: string; batch?: boolean };

/** An entry with what its texts say worked out. */
type Offer = { entry: PriceEntry; fromNs: bigint; toNs: bigint | null; selectors: number; selectorKey: string };
type Candidate = Offer & { exactness: number };

/** The entry that prices the call, or null when there is none or more than one has an equal claim. */
export function selectEntry(call: RateableCall, cards: readonly RateCard[]): PriceEntry | null {
  const model = modelName(call);
  const candidates: Candidate[] = [];
  for (const offer of offersOf(cards).get(call.provider) ?? []) {
    const exactness = matchModel(offer.entry.model, model);
    if (exactness > 0 && isInForce(offer, call.atNs) && selectorsHold(offer.entry.when, call))
      candidates.push({ ...offer, exactness });
  }
  const [first, ...others] = candidates.sort(
    (a, b) => b.exactness - a.exactness || b.selectors - a.selectors || compareInstants(b.fromNs, a.fromNs),
  );
  if (!first) return null;
  const rival = others.find(
    ({ exactness, selectors, selectorKey }) =>
      exactness === first.exactness && selectors === first.selectors && selectorKey !== first.selectorKey,
  );
  return rival ? null : first.entry;
}

/** By provider. Lists of cards are few and don't change, and each rates many calls. */
const offersByCards = new WeakMap<readonly RateCard[], ReadonlyMap<string, readonly Offer[]>>();

function offersOf(cards: readonly RateCard[]): ReadonlyMap<string, readonly Offer[]> {
  const known = offersByCards.get(cards);
  if (known) return known;
  const offers = new Map<string, Offer[]>();
  for (const { provider, entries } of cards)
    offers.set(provider, [...(offers.get(provider) ?? []), ...entries.map(readOffer)]);
  offersByCards.set(cards, offers);
  return offers;
}

const readOffer = (entry: PriceEntry): Offer => ({
  entry,
  fromNs: fromNs(entry),
  toNs: entry.to === undefined ? null : readDate(entry.to),
  selectors: countSelectors(entry.when),
  selectorKey: selectorKey(entry.when),
});

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
const isInForce = ({ fromNs, toNs }: Offer, atNs: bigint): boolean => fromNs <= atNs && (toNs === null || atNs < toNs);

export const fromNs = (entry: PriceEntry): bigint => readDate(entry.from);

function readDate(text: string): bigint {
  const ns = parseInstant(text);
  if (ns === null) throw new RangeError(`not a date: ${text}`);
  return ns;
}

const compareInstants = (a: bigint, b: bigint): number => (a > b ? 1 : a < b ? -1 : 0);

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
