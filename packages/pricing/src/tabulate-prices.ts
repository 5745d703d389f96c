/**
 * The prices of a book as a table, for stores that rate by joining. Each price in it is what `priceCall` says of one call
 * in those bands, so the rule for choosing a price is written once. Within its bands nothing that the rule asks for
 * changes: they are cut by all that may price calls of the class, and by nothing else.
 */
import {
  type BandPrice,
  type Call,
  type CallClass,
  type ClassPrices,
  type ContextCut,
  EMPTY_BUCKETS,
  EMPTY_CALL,
  type PriceBook,
  type PriceSelectors,
  type PriceTable,
  type TimeRange,
} from "@centspan/model";
import { minuteOfDay, minuteOfWeek } from "./offers.ts";
import { listContracts, type OpenBook, openBook, priceCall } from "./price-call.ts";
import { listCandidates } from "./select-entry.ts";

/** Keys and teams that contracts name. */
export const findScopes = ({ contracts }: Pick<PriceBook, "contracts">): PriceTable["scopes"] => {
  const named = (kind: string): string[] => [
    ...new Set(contracts.filter(({ scope }) => scope === kind).map(({ scopeId }) => scopeId)),
  ];
  return { keyIds: named("key"), teams: named("team") };
};

export const tabulatePrices = (book: PriceBook, classes: readonly CallClass[], range: TimeRange): PriceTable => ({
  scopes: findScopes(book),
  classes: classes.map((callClass) => tabulateClass(book, callClass, range)),
});

function tabulateClass(book: PriceBook, callClass: CallClass, range: TimeRange): ClassPrices {
  const cuts = findCuts(openBook(book), callClass, range);
  const { timeCutsNs, contextCuts, minuteCuts } = cuts;
  const prices: BandPrice[] = [];
  for (let timeBand = 0; timeBand <= timeCutsNs.length; timeBand += 1)
    for (let minuteBand = 0; minuteBand <= minuteCuts.length; minuteBand += 1) {
      const atNs = findInstant(timeCutsNs[timeBand - 1] ?? range.fromNs, minuteBand, minuteCuts);
      if (atNs >= (timeCutsNs[timeBand] ?? range.toNs)) continue;
      for (let contextBand = 0; contextBand <= contextCuts.length; contextBand += 1) {
        const sample = sampleCall(callClass, atNs, leastOfTwo(contextCuts[contextBand - 1]));
        prices.push({ timeBand, contextBand, minuteBand, price: priceCall(sample, book) });
      }
    }
  return { callClass, ...cuts, prices };
}

type Cuts = Pick<ClassPrices, "timeCutsNs" | "contextCuts" | "minuteCuts">;

function findCuts(open: OpenBook, callClass: CallClass, { fromNs, toNs }: TimeRange): Cuts {
  const entries = listCandidates(callClass, open.shelves);
  const contracts = listContracts(callClass, open);
  const selectors = [...entries, ...contracts].flatMap(({ said }) => said.when ?? []);
  const instants = [
    ...[...entries, ...contracts].flatMap((offer) => [offer.fromNs, offer.toNs ?? offer.fromNs]),
    ...open.exchangeRates.map((rate) => rate.fromNs),
  ];
  return {
    timeCutsNs: [...new Set(instants)].filter((cut) => cut > fromNs && cut < toNs).sort((a, b) => (a < b ? -1 : 1)),
    contextCuts: orderContexts(selectors.flatMap(({ context }) => context ?? [])),
    minuteCuts: findMinuteCuts(selectors.filter(({ hours, weekdays }) => hours ?? weekdays)),
  };
}

/** Whoever has reached one has reached all before it: at equal counts `>=` is reached first. */
function orderContexts(contexts: readonly ContextCut[]): ContextCut[] {
  const distinct = new Map(contexts.map((cut) => [`${cut.comparator}${cut.tokens}`, cut]));
  return [...distinct.values()].sort((a, b) => a.tokens - b.tokens || b.comparator.length - a.comparator.length);
}

/** Of two requests: their average may lie between `> 99` and `>= 100`. */
const leastOfTwo = (cut: ContextCut | undefined): number =>
  cut === undefined ? 0 : 2 * cut.tokens + (cut.comparator === ">" ? 1 : 0);

const DAY_MINUTES = 1440;
const WEEK_DAYS = [0, 1, 2, 3, 4, 5, 6];

function findMinuteCuts(selectors: readonly PriceSelectors[]): number[] {
  if (selectors.length === 0) return [];
  const ofDay = new Set([
    0,
    ...selectors.flatMap(({ hours }) => (hours ? [hours.from, hours.to].map(minuteOfDay) : [])),
  ]);
  const cuts = WEEK_DAYS.flatMap((day) => [...ofDay].map((minute) => day * DAY_MINUTES + minute));
  return cuts.filter((cut) => cut > 0).sort((a, b) => a - b);
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
  ...EMPTY_CALL,
  source: "provider",
  ...callClass,
  requests: 2,
  atNs,
  buckets: { ...EMPTY_BUCKETS, input },
});
