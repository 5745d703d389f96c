/**
 * What commitments must satisfy beyond their shape: an end after the beginning, a provider and a model that are known, an
 * exchange rate, and no seat or capacity twice. Each problem names entry and field.
 */
import { startOfDayNs } from "@centspan/base";
import type { Commitment, PriceBook } from "@centspan/model";
import { findRate, openBook } from "../price-call.ts";

/** `field` is within the commitment. */
export type CommitmentProblem = { id: string; field: string; message: string };

/** Of those that are added, among all that there will be. */
export function findCommitmentProblems(
  all: readonly Commitment[],
  added: readonly Commitment[],
  { book, timeZone }: { book: PriceBook; timeZone: string },
): CommitmentProblem[] {
  return added.flatMap((commitment) => {
    const others = all.filter((other) => other !== commitment);
    const { id, from, to, scope, scopeIds, currency = "USD" } = commitment;
    const found: (readonly [field: string, message: string])[] = [
      ...(others.some((other) => other.id === id) ? [["id", "is used twice"] as const] : []),
      ...(to !== undefined && to <= from ? [["to", "must be after from"] as const] : []),
      ...(commitment.kind === "credits" && commitment.to > inTenYears(from)
        ? [["to", "is more than ten years after from"] as const]
        : []),
      ...findCoverProblems(commitment, book),
      ...findGpuProblems(commitment, book),
    ];
    if ((scope === "org") !== (scopeIds.length === 0) || new Set(scopeIds).size < scopeIds.length)
      found.push(["scopeIds", "must name the keys or the teams, each once, and none for the organisation"]);
    if (commitment.kind === "seats" && scope === "key" && scopeIds.length > commitment.seats)
      found.push(["scopeIds", `names ${scopeIds.length} keys for ${commitment.seats} seats`]);
    if (currency !== "USD" && !findRate(currency, startOfDayNs(timeZone, from), openBook(book)))
      found.push(["currency", `no exchange rate of ${currency} is in force on ${from}`]);
    const rival = others.find((other) => isTwice(commitment, other));
    if (rival !== undefined) found.push(["scopeIds", `the same is covered by ${rival.id} at that time`]);
    return found.map(([field, message]) => ({ id, field, message }));
  });
}

const inTenYears = (day: string): string => `${Number(day.slice(0, 4)) + 10}${day.slice(4)}`;

/**
 * Seats and capacity are had once; credits can be bought twice. Whether a minute's tokens are one throughput's or another's
 * can only be told where their keys, or teams, are apart.
 */
const isTwice = (a: Commitment, b: Commitment): boolean =>
  a.kind !== "credits" &&
  a.kind === b.kind &&
  (a.scope === b.scope
    ? a.scope === "org" || a.scopeIds.some((id) => b.scopeIds.includes(id))
    : a.kind === "provisioned") &&
  a.provider === b.provider &&
  overlaps(a.model, b.model) &&
  (a.to === undefined || b.from < a.to) &&
  (b.to === undefined || a.from < b.to);

/** Known is what a price list has an entry for, or a contract a price of its own. */
function findCoverProblems({ provider, model }: Commitment, book: PriceBook): (readonly [string, string])[] {
  const cards = book.cards.filter((card) => card.provider === provider);
  const contracts = book.contracts.filter(
    ({ terms, ...contract }) =>
      contract.provider === provider && (terms.kind === "absolute" || terms.kind === "gpu_hours"),
  );
  if (cards.length + contracts.length === 0) return [["provider", `no price list and no contract knows ${provider}`]];
  const known = [
    ...cards.flatMap(({ entries, aliases = {}, passThrough = {} }) => [
      ...entries.map((entry) => entry.model),
      ...Object.keys(aliases),
      ...Object.keys(passThrough).map((vendor) => `${vendor}/*`),
    ]),
    ...contracts.map((contract) => contract.model),
  ];
  return known.some((pattern) => overlaps(pattern, model))
    ? []
    : [["model", `no price list and no contract of ${provider} knows ${model}`]];
}

/** Busy is what contracts by the GPU-hour say that it is: where one is simulated, so is what it makes of the GPUs. */
function findGpuProblems(commitment: Commitment, { contracts }: PriceBook): (readonly [string, string])[] {
  if (commitment.kind !== "gpus") return [];
  const { provider, model, basis } = commitment;
  const bases = contracts.flatMap(({ terms, ...contract }) =>
    terms.kind === "gpu_hours" && contract.provider === provider && overlaps(contract.model, model)
      ? [terms.basis]
      : [],
  );
  if (bases.length === 0) return [["model", `no contract prices ${model} of ${provider} by the GPU-hour`]];
  return bases.includes(basis) ? [] : [["basis", `what prices ${model} by the GPU-hour is ${bases[0]}`]];
}

/** Whether some name matches both. */
const overlaps = (a: string, b: string): boolean => a === b || includes(a, b) || includes(b, a);
const includes = (pattern: string, other: string): boolean =>
  pattern.endsWith("*") && other.replace(/\*$/, "").startsWith(pattern.slice(0, -1));
