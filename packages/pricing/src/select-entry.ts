/**
 * Which entry of the price lists is in force for one call. Order of precedence: the most exact model pattern, then the
 * most selectors, then the latest `from`. Two entries that differ only in which selectors hold are a tie: no entry
 * wins. The rule follows the price list semantics of DESIGN 4.3: served tier, whole-request context tiers, dated entries.
 */
import type { Call, PriceEntry, PriceSelectors, RateCard } from "@centspan/model";
import { countSelectors, isInForce, matchModel, minuteOfDay, minuteOfWeek, type Offer, selectorKey } from "./offers.ts";

type Candidate = Offer<PriceEntry> & { exactness: number };

/** The card of a provider with its entries worked out. */
export type Shelf = Pick<RateCard, "aliases" | "passThrough"> & { offers: readonly Offer<PriceEntry>[] };
export type Shelves = ReadonlyMap<string, Shelf>;

/** The entry that prices the call, or null when there is none or more than one has an equal claim. */
export function selectEntry(call: Call, shelves: Shelves): PriceEntry | null {
  const shelf = shelves.get(call.provider);
  if (!shelf) return null;
  const candidates = findCandidates(call, shelf, ownName(call));
  if (candidates.length > 0 || !shelf.passThrough) return chooseCandidate(candidates);
  const slash = call.model.indexOf("/");
  const vendor = shelves.get(shelf.passThrough[call.model.slice(0, slash)] ?? "");
  return vendor ? chooseCandidate(findCandidates(call, vendor, call.model.slice(slash + 1))) : null;
}

/** Routers report `google/gemini-3-pro-preview` for what the provider itself calls `gemini-3-pro-preview`. */
const ownName = ({ model, provider }: Call): string =>
  model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model;

function findCandidates(call: Call, { aliases, offers }: Shelf, name: string): Candidate[] {
  const model = aliases?.[name] ?? name;
  const candidates: Candidate[] = [];
  for (const offer of offers) {
    const exactness = matchModel(offer.said.model, model);
    if (exactness > 0 && isInForce(offer, call.atNs) && selectorsHold(offer.said.when, call))
      candidates.push({ ...offer, exactness });
  }
  return candidates;
}

function chooseCandidate(candidates: Candidate[]): PriceEntry | null {
  const rank = (offer: Candidate): number => countSelectors(offer.said.when);
  const [first, ...others] = candidates.sort(
    (a, b) => b.exactness - a.exactness || rank(b) - rank(a) || (b.fromNs > a.fromNs ? 1 : -1),
  );
  if (!first) return null;
  const rival = others.find(
    (other) =>
      other.exactness === first.exactness &&
      rank(other) === rank(first) &&
      selectorKey(other.said.when) !== selectorKey(first.said.when),
  );
  return rival ? null : first.said;
}

function selectorsHold(when: PriceSelectors | undefined, call: Call): boolean {
  if (!when) return true;
  if (when.serviceTier !== undefined && when.serviceTier !== call.serviceTier) return false;
  if (when.region !== undefined && when.region !== call.region) return false;
  if (when.weekdays !== undefined && !when.weekdays.includes(Math.floor(minuteOfWeek(call.atNs) / 1440) + 1))
    return false;
  if (when.hours !== undefined && !hoursHold(when.hours, minuteOfWeek(call.atNs) % 1440)) return false;
  return when.context === undefined || contextHolds(when.context, call);
}

function hoursHold(hours: NonNullable<PriceSelectors["hours"]>, minute: number): boolean {
  const [from, to] = [minuteOfDay(hours.from), minuteOfDay(hours.to)];
  return from < to ? from <= minute && minute < to : from <= minute || minute < to;
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
