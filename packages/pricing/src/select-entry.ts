/**
 * Which entry of the price lists is in force for one call. Order of precedence: the most exact model pattern, then the
 * most selectors, then the latest `from`. Two entries that differ only in which selectors hold are a tie: no entry
 * wins. The rule follows the price list semantics of DESIGN 4.3: served tier, whole-request context tiers, dated entries.
 */
import type { Call, PriceEntry, PriceSelectors, RateCard } from "@centspan/model";
import { countSelectors, isInForce, matchModel, minuteOfDay, minuteOfWeek, type Offer, selectorKey } from "./offers.ts";

/** What may price a call, and how exactly it names the model. */
export type Candidate<T extends Said> = Offer<T> & { exactness: number };
type Said = { from: string; to?: string; when?: PriceSelectors };

/** The card of a provider with its entries worked out. */
export type Shelf = Pick<RateCard, "aliases" | "passThrough"> & { offers: readonly Offer<PriceEntry>[] };
export type Shelves = ReadonlyMap<string, Shelf>;

/** The entry that prices the call, or null when there is none or more than one has an equal claim. */
export function selectEntry(call: Call, shelves: Shelves): PriceEntry | null {
  const holds = (candidate: Candidate<PriceEntry>): boolean => isCandidate(candidate, call);
  const own = listOwn(call, shelves).filter(holds);
  const entry = chooseCandidate(own.length > 0 ? own : listPassedThrough(call, shelves).filter(holds));
  return entry && isForTier(entry.when, call) ? entry : null;
}

export const isCandidate = <T extends Said>({ said, ...dated }: Offer<T>, call: Call): boolean =>
  isInForce(dated, call.atNs) && selectorsHold(said.when, call);

/** What providers call the tier that price lists leave unsaid. Another one without a price of its own has none. */
const STANDARD_TIERS: ReadonlySet<string> = new Set(["", "auto", "default", "standard", "on_demand"]);

export const isForTier = (when: PriceSelectors | undefined, { serviceTier }: Call): boolean =>
  when?.serviceTier !== undefined || STANDARD_TIERS.has(serviceTier);

type Named = Pick<Call, "provider" | "model">;

/** All that may price calls of a model, at some time and under some condition. */
export const listCandidates = (named: Named, shelves: Shelves): Candidate<PriceEntry>[] => [
  ...listOwn(named, shelves),
  ...listPassedThrough(named, shelves),
];

/** Routers report `google/gemini-3-pro-preview` for what the provider itself calls `gemini-3-pro-preview`. */
function listOwn({ provider, model }: Named, shelves: Shelves): Candidate<PriceEntry>[] {
  const name = model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model;
  return findByName(name, shelves.get(provider));
}

function listPassedThrough({ provider, model }: Named, shelves: Shelves): Candidate<PriceEntry>[] {
  const { passThrough } = shelves.get(provider) ?? {};
  const slash = model.indexOf("/");
  return passThrough ? findByName(model.slice(slash + 1), shelves.get(passThrough[model.slice(0, slash)] ?? "")) : [];
}

function findByName(name: string, shelf: Shelf | undefined): Candidate<PriceEntry>[] {
  const model = shelf?.aliases?.[name] ?? name;
  const candidates: Candidate<PriceEntry>[] = [];
  for (const offer of shelf?.offers ?? []) {
    const exactness = matchModel(offer.said.model, model);
    if (exactness > 0) candidates.push({ ...offer, exactness });
  }
  return candidates;
}

/** Null where there is none, or more than one has an equal claim. */
export function chooseCandidate<T extends Said>(candidates: Candidate<T>[]): T | null {
  const rank = (offer: Candidate<T>): number => countSelectors(offer.said.when);
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
