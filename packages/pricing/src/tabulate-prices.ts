/**
 * The prices of a book as a table, for stores that rate by joining: the price of a call is that of its class in its
 * bands of time, of context and of the week. Each row is what `priceCall` says of one call in those bands, so the rule
 * for choosing a price is written once. Within its bands nothing that the rule asks for changes.
 */
import { type Call, EMPTY_BUCKETS, EMPTY_IDENTITY, type PriceBook, type TimeRange } from "@centspan/model";
import { minuteOfDay, minuteOfWeek } from "./offers.ts";
import { type OpenBook, openBook, type Price, priceCall } from "./price-call.ts";

/** What a price depends on, beside time and context. Keys and teams that no contract names may be left out, as "". */
export type CallClass = Pick<Call, "provider" | "model" | "serviceTier" | "region" | "keyId" | "team">;

export type ContextCut = { comparator: ">" | ">="; tokens: number };

/** A call is in the band whose number is how many of the cuts it has reached. */
export type PriceTable = {
  timeCutsNs: readonly bigint[];
  contextCuts: readonly ContextCut[];
  /** Minutes since Monday 00:00 UTC; calls of providers that are not hourly are in band 0. */
  minuteCuts: readonly number[];
  hourlyProviders: readonly string[];
  rows: readonly PriceRow[];
};

type PriceRow = { callClass: CallClass; timeBand: number; contextBand: number; minuteBand: number; price: Price };

/** Keys and teams that contracts name. */
export const findScopes = ({ contracts }: PriceBook): { keyIds: string[]; teams: string[] } => {
  const named = (kind: string): string[] => [
    ...new Set(contracts.filter(({ scope }) => scope === kind).map(({ scopeId }) => scopeId)),
  ];
  return { keyIds: named("key"), teams: named("team") };
};

export function tabulatePrices(book: PriceBook, classes: readonly CallClass[], range: TimeRange): PriceTable {
  const open = openBook(book);
  const entries = book.cards.flatMap((card) => card.entries);
  const timeCutsNs = findTimeCuts(open, range);
  const contextCuts = findContextCuts(entries.flatMap(({ when }) => when?.context ?? []));
  const minuteCuts = findMinuteCuts(open);
  const hourlyProviders = findHourlyProviders(open);
  const rows: PriceRow[] = [];
  for (const callClass of classes) {
    const minuteBands = hourlyProviders.includes(callClass.provider) ? minuteCuts.length : 0;
    for (let timeBand = 0; timeBand <= timeCutsNs.length; timeBand += 1)
      for (let minuteBand = 0; minuteBand <= minuteBands; minuteBand += 1) {
        const fromNs = timeCutsNs[timeBand - 1] ?? range.fromNs;
        const atNs = minuteBands === 0 ? fromNs : findInstant(fromNs, minuteBand, minuteCuts);
        if (atNs >= (timeCutsNs[timeBand] ?? range.toNs)) continue;
        for (let contextBand = 0; contextBand <= contextCuts.length; contextBand += 1) {
          const price = priceCall(sampleCall(callClass, atNs, leastContext(contextCuts[contextBand - 1])), book);
          if (price) rows.push({ callClass, timeBand, contextBand, minuteBand, price });
        }
      }
  }
  return { timeCutsNs, contextCuts, minuteCuts, hourlyProviders, rows };
}

function findTimeCuts({ shelves, contracts, exchangeRates }: OpenBook, { fromNs, toNs }: TimeRange): bigint[] {
  const offers = [...[...shelves.values()].flatMap((shelf) => shelf.offers), ...contracts];
  const cuts = [...offers.flatMap((offer) => [offer.fromNs, ...(offer.toNs === null ? [] : [offer.toNs])])];
  cuts.push(...exchangeRates.map((rate) => rate.fromNs));
  return [...new Set(cuts)].filter((cut) => cut > fromNs && cut < toNs).sort((a, b) => (a < b ? -1 : 1));
}

/** Whoever has reached one has reached all before it: at equal counts `>=` is reached first. */
function findContextCuts(contexts: readonly ContextCut[]): ContextCut[] {
  const distinct = new Map(contexts.map((cut) => [`${cut.comparator}${cut.tokens}`, cut]));
  return [...distinct.values()].sort((a, b) => a.tokens - b.tokens || b.comparator.length - a.comparator.length);
}

const leastContext = (cut: ContextCut | undefined): number =>
  cut === undefined ? 0 : cut.comparator === ">=" ? cut.tokens : cut.tokens + 1;

const DAY_MINUTES = 1440;

function findMinuteCuts({ shelves }: OpenBook): number[] {
  const selectors = [...shelves.values()].flatMap(({ offers }) => offers.flatMap(({ said }) => said.when ?? []));
  const ofDay = new Set([0]);
  for (const { hours } of selectors) if (hours) ofDay.add(minuteOfDay(hours.from)).add(minuteOfDay(hours.to));
  if (!selectors.some(({ hours, weekdays }) => hours ?? weekdays)) return [];
  const cuts = [0, 1, 2, 3, 4, 5, 6].flatMap((day) => [...ofDay].map((minute) => day * DAY_MINUTES + minute));
  return cuts.filter((cut) => cut > 0).sort((a, b) => a - b);
}

function findHourlyProviders({ shelves }: OpenBook): string[] {
  const isHourly = (provider: string): boolean =>
    shelves.get(provider)?.offers.some(({ said: { when } }) => when?.hours ?? when?.weekdays) ?? false;
  return [...shelves].flatMap(([provider, { passThrough = {} }]) =>
    [provider, ...Object.values(passThrough)].some(isHourly) ? [provider] : [],
  );
}

const MINUTE_NS = 60_000_000_000n;
const WEEK_NS = 7n * 1440n * MINUTE_NS;

/** The first instant from there on that is in the band of the week. */
function findInstant(fromNs: bigint, band: number, cuts: readonly number[]): bigint {
  const minute = minuteOfWeek(fromNs);
  const [start, end] = [cuts[band - 1] ?? 0, cuts[band] ?? 7 * DAY_MINUTES];
  if (start <= minute && minute < end) return fromNs;
  const weekNs = fromNs - (fromNs % MINUTE_NS) - BigInt(minute) * MINUTE_NS;
  const atNs = weekNs + BigInt(start) * MINUTE_NS;
  return atNs >= fromNs ? atNs : atNs + WEEK_NS;
}

const sampleCall = (callClass: CallClass, atNs: bigint, input: number): Call => ({
  ...EMPTY_IDENTITY,
  callId: "",
  traceId: "",
  spanId: "",
  durationNs: 0n,
  effort: "",
  responseId: "",
  source: "provider",
  dialect: "",
  inputSemantics: "inclusive",
  ttftMs: null,
  providedCostUsd: null,
  provenance: "measured",
  quarantineReason: "",
  ...callClass,
  requests: 1,
  atNs,
  buckets: { ...EMPTY_BUCKETS, input },
});
