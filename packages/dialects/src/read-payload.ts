/** The usage that an API's answer tells, through the shape of that API. What it does not tell is absent, never zero. */
import { type Decimal, parseDecimal } from "@centspan/base";
import { COUNT_FIELDS } from "@centspan/model";
import type { ApiShape, PayloadPlace, TextPlace } from "./api-shapes.ts";
import { parseAmount, parseCount } from "./parse-values.ts";
import type { Counts } from "./split-counts.ts";

export type PayloadUsage = {
  /** NaN for what is no whole number. */
  counts: Counts;
  serviceTier?: string;
  region?: string;
  costUsd?: Decimal;
};

/** Null where it reports no usage. `before` is what earlier events of the same stream told. */
export function readPayload(
  shape: ApiShape,
  carrier: unknown,
  before: PayloadUsage | null = null,
): PayloadUsage | null {
  if (typeof follow(carrier, shape.usage) !== "object" || follow(carrier, shape.usage) === null) return before;
  const counts: Counts = {};
  for (const field of COUNT_FIELDS) {
    const count = firstOf(shape.counts[field], (place) => readCount(carrier, place));
    if (count !== undefined) counts[field] = count;
  }
  const serviceTier = firstOf(shape.serviceTier, (place) => readText(carrier, place));
  const region = firstOf(shape.region, (place) => readText(carrier, place));
  const costUsd = firstOf(shape.cost, ({ path, shift }) => readAmount(carrier, path, shift));
  const earlier = shape.cumulative ? before : null;
  return {
    ...earlier,
    counts: { ...earlier?.counts, ...counts },
    ...(serviceTier !== undefined && { serviceTier }),
    ...(region !== undefined && { region }),
    ...(costUsd !== undefined && { costUsd }),
  };
}

function firstOf<Place, Value>(
  places: readonly Place[] = [],
  read: (place: Place) => Value | undefined,
): Value | undefined {
  for (const place of places) {
    const value = read(place);
    if (value !== undefined) return value;
  }
  return undefined;
}

function readCount(carrier: unknown, place: PayloadPlace): number | undefined {
  if (typeof place === "string") return toCount(follow(carrier, place));
  const list = follow(carrier, place.list);
  if (!Array.isArray(list)) return undefined;
  const found = list.filter((item) =>
    Object.entries(place.where).every(([path, value]) => follow(item, path) === value),
  );
  if (found.length === 0) return undefined;
  const { value } = place;
  if (value === undefined) return found.length;
  return found.reduce((sum, item) => sum + (toCount(follow(item, value)) ?? Number.NaN), 0);
}

const toCount = (value: unknown): number | undefined =>
  value === undefined || value === null ? undefined : parseCount(String(value));

function readText(carrier: unknown, place: TextPlace): string | undefined {
  const { path, where } = typeof place === "string" ? { path: place, where: undefined } : place;
  const value = follow(carrier, path);
  return typeof value === "string" && value !== "" && value === (where ?? value) ? value : undefined;
}

function readAmount(carrier: unknown, path: string, shift: number): Decimal | undefined {
  const value = follow(carrier, path);
  const amount = typeof value === "number" || typeof value === "string" ? parseAmount(String(value)) : null;
  return amount?.times(parseDecimal(shift === 0 ? "1" : `0.${"1".padStart(shift, "0")}`));
}

function follow(document: unknown, path: string): unknown {
  let at = document;
  for (const key of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}
