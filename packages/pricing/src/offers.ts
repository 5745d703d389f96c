/** What dated texts say, worked out: entries of price lists and of contracts alike. */
import { parseInstant } from "@centspan/base";
import type { PriceSelectors } from "@centspan/model";

type Dated = { from: string; to?: string };

/** `from` is inclusive, `to` exclusive. */
export type Offer<T extends Dated> = { said: T; fromNs: bigint; toNs: bigint | null };

export const readOffer = <T extends Dated>(said: T): Offer<T> => ({
  said,
  fromNs: readDate(said.from),
  toNs: said.to === undefined ? null : readDate(said.to),
});

export function readDate(text: string): bigint {
  const ns = parseInstant(text);
  if (ns === null) throw new RangeError(`not a date: ${text}`);
  return ns;
}

export const isInForce = ({ fromNs, toNs }: Pick<Offer<Dated>, "fromNs" | "toNs">, atNs: bigint): boolean =>
  fromNs <= atNs && (toNs === null || atNs < toNs);

/** 0: no match; the longer the part that had to be equal, the higher; a name without `*` is above all patterns. */
export function matchModel(pattern: string, model: string): number {
  if (!pattern.endsWith("*")) return pattern === model ? Number.POSITIVE_INFINITY : 0;
  return model.startsWith(pattern.slice(0, -1)) ? pattern.length : 0;
}

export const countSelectors = (when: PriceSelectors = {}): number =>
  Object.values(when).filter((value) => value !== undefined).length;

/** Equal for selectors that hold for the same calls. */
export const selectorKey = (when: PriceSelectors = {}): string =>
  JSON.stringify([
    when.serviceTier,
    when.region,
    when.context?.comparator,
    when.context?.tokens,
    when.hours?.from,
    when.hours?.to,
    when.weekdays?.toSorted((a, b) => a - b),
  ]);

/** Of HH:MM. */
export const minuteOfDay = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const MINUTE_NS = 60_000_000_000n;
const WEEK_MINUTES = 10_080n;
/** 1970-01-01 was a Thursday. */
const EPOCH_MINUTE = 3n * 1440n;

/** Since Monday 00:00 UTC. */
export function minuteOfWeek(atNs: bigint): number {
  return Number((atNs / MINUTE_NS + EPOCH_MINUTE) % WEEK_MINUTES);
}
