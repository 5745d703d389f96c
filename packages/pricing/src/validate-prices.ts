/**
 * What a book of prices must satisfy before it may price anything: the shape of its parts, down to unknown fields, and
 * that no two of them say different things of the same call. Problems are collected, each naming its file (the card's
 * id, or `contracts`), its entry and its field.
 */
import { CentspanError, formatInstant, parseInstant } from "@centspan/base";
import {
  type ContractPrice,
  contractPriceSchema,
  type ExchangeRate,
  exchangeRateSchema,
  type PriceBook,
  type PriceTerms,
  type RateCard,
  rateCardSchema,
} from "@centspan/model";
import { isInForce, readDate, readOffer, selectorKey } from "./offers.ts";

/** Throws `invalid_file` with every problem found. */
export function validatePriceBook(book: PriceBook): void {
  const problems = [...findRateCardProblems(book.cards), ...findTermsProblems(book)];
  if (problems.length > 0) throw new CentspanError("invalid_file", `prices: ${problems.join("; ")}`);
}

export function findRateCardProblems(cards: readonly RateCard[]): string[] {
  const shapes = cards.flatMap((card) =>
    findShapeProblems(rateCardSchema, card).map(({ path, message }) => `${placeOf(card, path)}: ${message}`),
  );
  if (shapes.length > 0) return shapes;
  const entries = cards.flatMap(({ id, provider, entries }) => entries.map((entry) => ({ card: id, provider, entry })));
  return [
    ...findDuplicates(cards.map(({ id }) => `card ${id}`)),
    ...findDuplicates(entries.map(({ card, entry }) => `card ${card}: entry ${entry.id}`)),
    ...cards.flatMap(findAliasProblems),
    ...entries.flatMap(({ card, entry: { id, from, to, checkedOn, status } }) => [
      ...findOrderProblems(`card ${card}: entry ${id}`, { from, to }),
      ...((status === "announced") === isBefore(checkedOn, from)
        ? []
        : [`card ${card}: entry ${id}: status must be "announced" where from is after checkedOn, and only there`]),
    ]),
    ...findOverlaps(
      entries.map(({ card, provider, entry }) => ({
        name: `card ${card}: entry ${entry.id}`,
        id: entry.id,
        key: JSON.stringify([provider, entry.model, selectorKey(entry.when)]),
        dated: entry,
      })),
    ),
  ];
}

/** Of contracts and exchange rates, which come from people. */
export function findTermsProblems({ contracts, exchangeRates }: PriceTerms): string[] {
  const shapes = [
    ...contracts.flatMap((contract, index) =>
      findShapeProblems(contractPriceSchema, contract).map(
        ({ path, message }) => `contracts: entry ${contract.id ?? index}: ${path.join(".")}: ${message}`,
      ),
    ),
    ...exchangeRates.flatMap((rate, index) =>
      findShapeProblems(exchangeRateSchema, rate).map(
        ({ path, message }) => `exchangeRates: entry ${index}: ${path.join(".")}: ${message}`,
      ),
    ),
  ];
  if (shapes.length > 0) return shapes;
  return [
    ...findDuplicates(contracts.map(({ id }) => `contracts: entry ${id}`)),
    ...findDuplicates(
      exchangeRates.map(
        ({ currency, from }) => `exchangeRates: entry ${currency} from ${formatInstant(readDate(from))}`,
      ),
    ),
    ...contracts.flatMap((contract) => findContractProblems(contract, exchangeRates)),
    ...findOverlaps(
      contracts.map((contract) => ({
        name: `contracts: entry ${contract.id}`,
        id: contract.id,
        key: JSON.stringify([
          contract.scope,
          contract.scopeId,
          contract.provider,
          contract.model,
          selectorKey(contract.when),
        ]),
        dated: contract,
      })),
    ),
  ];
}

type ShapeProblem = { path: readonly PropertyKey[]; message: string };
type Schema = {
  safeParse(
    value: unknown,
  ): { success: true } | { success: false; error: { issues: readonly (ShapeProblem & { code: string })[] } };
};

const findShapeProblems = (schema: Schema, value: unknown): readonly ShapeProblem[] => {
  const result = schema.safeParse(value);
  return result.success ? [] : result.error.issues;
};

/** `entries.3.perMillion` is told by the entry's id. */
function placeOf(card: RateCard, path: readonly PropertyKey[]): string {
  const [head, index, ...rest] = path;
  if (head !== "entries" || typeof index !== "number") return [`card ${card.id}`, ...path.map(String)].join(": ");
  const field = rest.length === 0 ? "" : `: ${rest.map(String).join(".")}`;
  return `card ${card.id}: entry ${card.entries[index]?.id ?? index}${field}`;
}

function findAliasProblems({ id, aliases = {}, entries }: RateCard): string[] {
  const models = new Set(entries.map(({ model }) => model));
  return Object.entries(aliases).flatMap(([alias, model]) => [
    ...(models.has(alias) ? [`card ${id}: aliases.${alias}: is the model of an entry`] : []),
    ...(models.has(model) ? [] : [`card ${id}: aliases.${alias}: no entry has the model ${model}`]),
  ]);
}

function findContractProblems(contract: ContractPrice, exchangeRates: readonly ExchangeRate[]): string[] {
  const at = `contracts: entry ${contract.id}`;
  const { scope, scopeId, terms, from, to } = contract;
  const problems = findOrderProblems(at, { from, to });
  if ((scope === "org") !== (scopeId === ""))
    problems.push(`${at}: scopeId must name the key or the team, and is empty for the organisation`);
  const currency = ("currency" in terms && terms.currency) || "USD";
  if (currency !== "USD" && !exchangeRates.some((rate) => rate.currency === currency && !isBefore(from, rate.from)))
    problems.push(`${at}: terms.currency: no exchange rate of ${currency} is in force on ${from}`);
  return problems;
}

const findOrderProblems = (at: string, { from, to }: { from: string; to: string | undefined }): string[] =>
  to === undefined || isBefore(from, to) ? [] : [`${at}: to must be after from`];

const isBefore = (a: string, b: string): boolean => (parseInstant(a) ?? 0n) < (parseInstant(b) ?? 0n);

type Claim = { name: string; id: string; key: string; dated: { from: string; to?: string } };

/**
 * What is said of the same calls must not contradict: an open end is closed by the next `from`, but an equal `from`, or
 * an explicit `to` after the next `from`, leaves two prices in force.
 */
function findOverlaps(claims: readonly Claim[]): string[] {
  const byKey = new Map<string, Claim[]>();
  for (const claim of claims) byKey.set(claim.key, [...(byKey.get(claim.key) ?? []), claim]);
  return [...byKey.values()].flatMap((rivals) => {
    const byStart = rivals.toSorted((a, b) => (isBefore(a.dated.from, b.dated.from) ? -1 : 1));
    return byStart.slice(1).flatMap((next, index) => {
      const before = byStart[index];
      if (!before) return [];
      const [offer, { fromNs }] = [readOffer(before.dated), readOffer(next.dated)];
      const overlaps = offer.fromNs === fromNs || (offer.toNs !== null && isInForce(offer, fromNs));
      return overlaps ? [`${next.name}: overlaps ${before.id}`] : [];
    });
  });
}

function findDuplicates(names: readonly string[]): string[] {
  const repeated = names.filter((name, index) => names.indexOf(name) < index);
  return [...new Set(repeated)].map((name) => `${name}: the id is used twice`);
}
