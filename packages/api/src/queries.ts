/** The query parameters that routes share, from text to the filters of the stores. */
import { CentspanError, normaliseTimeZone, parseDecimal, parseInstant } from "@centspan/base";
import {
  type AttributeFilter,
  CALL_FILTERS,
  type CallFilter,
  OUTCOME_STATUSES,
  type PageRequest,
  type TimeRange,
} from "@centspan/model";
import { z } from "zod";

/** Instants that the stores hold. */
const LAST_NS = 2n ** 63n - 1n;

export const instantParam = z.string().transform((text, context) => {
  const ns = parseInstant(text);
  if (ns === null) context.addIssue({ code: "custom", message: "is not an ISO 8601 instant or date" });
  else if (ns < 0n || ns > LAST_NS) context.addIssue({ code: "custom", message: "is not between 1970 and 2262" });
  return ns ?? 0n;
});

export const moneyParam = z
  .string()
  .regex(/^\d+(\.\d+)?$/, "is not a plain decimal amount")
  .transform(parseDecimal);

export const timeZoneParam = z
  .string()
  .default("UTC")
  .refine((zone) => normaliseTimeZone(zone) !== null, "is not an IANA time zone");

export const text = z.string().min(1).max(500);

/** `name=value`, split at the first equals sign. */
export const attributeParam = z
  .string()
  .max(1000)
  .regex(/^[^=]+=/, "is not name=value")
  .transform((said): AttributeFilter => {
    const at = said.indexOf("=");
    return { key: said.slice(0, at), value: said.slice(at + 1) };
  })
  .describe("name=value: an attribute with exactly that value");

/** `from` is inclusive, `to` exclusive; without them all time. */
export const rangeShape = { from: instantParam.optional(), to: instantParam.optional() };

export const filterShape = {
  ...rangeShape,
  key: text.optional(),
  keyId: text.optional(),
  team: text.optional(),
  task: text.optional(),
  provider: text.optional(),
  model: text.optional(),
  taskType: text.optional(),
  repository: text.optional(),
  runId: text.optional(),
  traceId: text.optional(),
};

export const pageShape = {
  limit: z.coerce.number("is not a number").int().min(1).max(1000).default(100),
  cursor: z.string().max(1000).optional(),
};

export const statusParam = z.enum([...OUTCOME_STATUSES, "pending"]).optional();

type RangeQuery = z.output<z.ZodObject<typeof rangeShape>>;

/** `range` only where the query names an end of it. */
export function readRange({ from, to }: RangeQuery): { range?: TimeRange } {
  if (from !== undefined && to !== undefined && from >= to) {
    throw new CentspanError("invalid_request", "to: must be after from", { field: "to" });
  }
  return from === undefined && to === undefined ? {} : { range: { fromNs: from ?? 0n, toNs: to ?? LAST_NS } };
}

/** The members that were given: an absent parameter is an absent member. */
export function pickGiven<Name extends string>(
  query: Readonly<Partial<Record<Name, string | undefined>>>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given: Partial<Record<Name, string>> = {};
  for (const name of names) if (query[name] !== undefined) given[name] = query[name];
  return given;
}

type FilterQuery = z.output<z.ZodObject<typeof filterShape>>;

export function readFilter({ from, to, ...equals }: FilterQuery): CallFilter {
  return { ...readRange({ from, to }), ...pickGiven(equals, CALL_FILTERS) };
}

export const readPage = (query: { limit: number; cursor?: string | undefined }): PageRequest => ({
  limit: query.limit,
  cursor: query.cursor ?? null,
});
