/**
 * A provider's price list as rows: one for each entry, with the time it is in force. An entry ends where the next one of
 * the same model and conditions begins, if it does not say itself when.
 */
import type { PriceEntry, PriceSelectors, RateCard } from "@centspan/model";
import { formatDate, type Language } from "../format/format-instant.ts";

export type PriceState = "past" | "now" | "announced";

export type PriceRow = {
  id: string;
  model: string;
  /** Patterns of other names that the entry prices too, such as those with a date. */
  alsoNamed: readonly string[];
  when: PriceSelectors | null;
  /** Per million tokens, in the currency; null where the entry has no price for it. */
  rates: Readonly<Record<PriceMeter, string | null>>;
  /** Per thousand. */
  webSearch: string | null;
  currency: string;
  state: PriceState;
  from: string;
  /** The first day on which it does not hold; null where that is open. */
  to: string | null;
  source: string;
  sourceHost: string | null;
  checkedOn: string;
};

export const PRICE_METERS = ["input", "cache_read", "cache_write_5m", "cache_write_1h", "output_text"] as const;
export type PriceMeter = (typeof PRICE_METERS)[number];

type CardOptions = {
  today: string;
  language: Language;
  withPast: boolean;
  /** With prices of tiers and regions that have one of their own. */
  withVariants: boolean;
};

const isVariant = ({ when }: PriceEntry): boolean => when?.serviceTier !== undefined || when?.region !== undefined;

/** Models with the latest entries first. */
export function preparePriceCard(card: RateCard, { today, language, withPast, withVariants }: CardOptions): PriceRow[] {
  const entries = mergeNames(card.entries);
  const latest = new Map<string, string>();
  for (const { model, from } of entries) if (from > (latest.get(model) ?? "")) latest.set(model, from);
  const endOf = (entry: PriceEntry): string | null => entry.to ?? findSuccessor(entry, entries);
  return entries
    .map((entry) => ({ entry, state: stateOf(entry.from, endOf(entry), today) }))
    .filter(({ entry, state }) => (withPast || state !== "past") && (withVariants || !isVariant(entry)))
    .sort(
      ({ entry: a }, { entry: b }) =>
        compareTexts(latest.get(b.model) ?? "", latest.get(a.model) ?? "") ||
        compareTexts(a.model, b.model) ||
        compareTexts(keyOf(a.when), keyOf(b.when)) ||
        compareTexts(b.from, a.from),
    )
    .map(({ entry, state }) => toRow(entry, state, endOf(entry), language));
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const stateOf = (from: string, to: string | null, today: string): PriceState =>
  from > today ? "announced" : to !== null && to <= today ? "past" : "now";

type NamedEntry = PriceEntry & { alsoNamed: readonly string[] };

/** A model and its dated names have entries that differ in nothing else: one row tells both. */
function mergeNames(entries: readonly PriceEntry[]): NamedEntry[] {
  const merged = new Map<string, NamedEntry>();
  for (const entry of entries) {
    const { id: _id, model, ...facts } = entry;
    const key = JSON.stringify([model.replace(/-20\*$/, ""), facts]);
    const known = merged.get(key);
    merged.set(
      key,
      known === undefined ? { ...entry, alsoNamed: [] } : { ...known, alsoNamed: [...known.alsoNamed, model] },
    );
  }
  return [...merged.values()];
}

/** The same for the same conditions; none come first. */
const keyOf = (when: PriceSelectors | undefined): string =>
  when === undefined ? "" : JSON.stringify(Object.entries(when).sort());

function findSuccessor({ model, when, from }: PriceEntry, entries: readonly PriceEntry[]): string | null {
  const later = entries.filter(
    (other) => other.model === model && keyOf(other.when) === keyOf(when) && other.from > from,
  );
  return later.map((other) => other.from).sort()[0] ?? null;
}

/** "3" → "3.00", "0.125" stays: at least cents. */
export function formatRate(rate: string): string {
  const [whole = "0", fraction = ""] = rate.split(".");
  return `${whole}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}

const toDate = (day: string, language: Language): string => formatDate(BigInt(Date.parse(day)) * 1_000_000n, language);

function toRow(entry: NamedEntry, state: PriceState, to: string | null, language: Language): PriceRow {
  const { perMillion, perThousand, source } = entry;
  const rate = (meter: PriceMeter): string | null => {
    const given = perMillion[meter];
    return given === undefined ? null : formatRate(given);
  };
  const webSearch = perThousand?.web_search;
  return {
    id: entry.id,
    model: entry.model,
    alsoNamed: entry.alsoNamed,
    when: entry.when ?? null,
    rates: {
      input: rate("input"),
      cache_read: rate("cache_read"),
      cache_write_5m: rate("cache_write_5m"),
      cache_write_1h: rate("cache_write_1h"),
      output_text: rate("output_text"),
    },
    webSearch: webSearch === undefined ? null : formatRate(webSearch),
    currency: entry.currency ?? "USD",
    state,
    from: toDate(entry.from, language),
    to: to === null ? null : toDate(to, language),
    source,
    sourceHost: /^https?:/.test(source) && URL.canParse(source) ? new URL(source).host : null,
    checkedOn: toDate(entry.checkedOn, language),
  };
}
