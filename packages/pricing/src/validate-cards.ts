/**
 * What a rate card must satisfy before it may price anything. Cards may come from JSON (contract prices), so the
 * shape is checked at run time too. Problems are collected, each naming card, entry and field.
 */
import { assert, CentspanError, parseInstant } from "@centspan/base";
import { METERS, type PriceEntry, type RateCard } from "@centspan/model";
import { fromNs, selectorKey } from "./select-entry.ts";

const CARD_KEYS = ["id", "describe", "provider", "entries"];
const ENTRY_KEYS = ["id", "model", "from", "to", "when", "usdPerMillion", "source", "checkedOn"];
const SELECTOR_KEYS = ["serviceTier", "region", "batch", "context"];
const CONTEXT_KEYS = ["comparator", "tokens"];
const METER_KEYS: readonly string[] = METERS;
/** Six decimals per million are twelve per token: all that Decimal(38,12) holds. */
const PRICE = /^\d{1,12}(\.\d{1,6})?$/;

/** Throws `invalid_file` with every problem found. */
export function validateRateCards(cards: readonly RateCard[]): void {
  const problems = findRateCardProblems(cards);
  if (problems.length > 0) throw new CentspanError("invalid_file", `rate cards: ${problems.join("; ")}`);
}

export function findRateCardProblems(cards: readonly RateCard[]): string[] {
  const entries = cards.flatMap((card) => card.entries.map((entry) => ({ provider: card.provider, entry })));
  return [
    ...cards.flatMap((card) => [
      ...unknownKeys(card, CARD_KEYS, `card ${card.id}`),
      ...(card.provider === "" ? [`card ${card.id}: provider is empty`] : []),
    ]),
    ...findDuplicates(cards.map((card) => `card ${card.id}`)),
    ...findDuplicates(entries.map(({ entry }) => `entry ${entry.id}`)),
    ...entries.flatMap(({ entry }) => entryProblems(entry)),
    ...overlapProblems(entries),
  ];
}

function entryProblems(entry: PriceEntry): string[] {
  const at = `entry ${entry.id}`;
  const problems = [
    ...unknownKeys(entry, ENTRY_KEYS, at),
    ...unknownKeys(entry.when ?? {}, SELECTOR_KEYS, `${at}: when`),
    ...unknownKeys(entry.when?.context ?? {}, CONTEXT_KEYS, `${at}: when.context`),
    ...unknownKeys(entry.usdPerMillion, METER_KEYS, `${at}: usdPerMillion`),
  ];
  if (/\*./.test(entry.model) || entry.model === "" || entry.model === "*")
    problems.push(`${at}: model must be a name, with at most one * at its end`);
  for (const [meter, price] of Object.entries(entry.usdPerMillion))
    if (typeof price !== "string" || !PRICE.test(price))
      problems.push(`${at}: usdPerMillion.${meter} must be a decimal string with at most 6 decimals`);
  for (const field of ["from", "to", "checkedOn"] as const) {
    const text = entry[field];
    if (text !== undefined && parseInstant(text) === null) problems.push(`${at}: ${field} is not a date`);
  }
  if (entry.source === "") problems.push(`${at}: source is empty`);
  const context = entry.when?.context;
  if (context && !(Number.isSafeInteger(context.tokens) && context.tokens > 0))
    problems.push(`${at}: when.context.tokens must be a positive integer`);
  if (context && context.comparator !== ">" && context.comparator !== ">=")
    problems.push(`${at}: when.context.comparator must be > or >=`);
  return problems;
}

/**
 * Entries for the same calls must not contradict each other: an open end is closed by the next `from`, but an equal
 * `from`, or an explicit `to` after the next `from`, leaves two prices in force.
 */
function overlapProblems(entries: readonly { provider: string; entry: PriceEntry }[]): string[] {
  const groups = new Map<string, PriceEntry[]>();
  for (const { provider, entry } of entries) {
    if (parseInstant(entry.from) === null) continue;
    const key = JSON.stringify([provider, entry.model, selectorKey(entry.when)]);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].flatMap((group) => {
    const byStart = group.toSorted((a, b) => (fromNs(a) < fromNs(b) ? -1 : 1));
    return byStart.slice(1).flatMap((next, index) => {
      const before = byStart[index];
      assert(before, "a successor has a predecessor");
      const end = before.to === undefined ? fromNs(next) : (parseInstant(before.to) ?? fromNs(next));
      const overlaps = fromNs(before) === fromNs(next) || end > fromNs(next);
      return overlaps ? [`entry ${next.id}: overlaps ${before.id}`] : [];
    });
  });
}

const unknownKeys = (value: object, known: readonly string[], at: string): string[] =>
  Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${at}: unknown key ${key}`);

function findDuplicates(names: readonly string[]): string[] {
  const repeated = names.filter((name, index) => names.indexOf(name) < index);
  return [...new Set(repeated)].map((name) => `${name}: the id is used twice`);
}
