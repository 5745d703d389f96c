/** The query parameters that routes share, from text to the filters of the stores. */
import { CentspanError, normaliseTimeZone, parseDecimal, parseInstant } from "@centspan/base";
import { type CallFilter, OUTCOME_STATUSES, type PageRequest } from "@centspan/model";
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

const text = z.string().min(1).max(500);

/** `from` is inclusive, `to` exclusive; without them all time. */
export const filterShape = {
  from: instantParam.optional(),
  to: instantParam.optional(),
  key: text.optional(),
  keyId: text.optional(),
  team: text.optional(),
  task: text.optional(),
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

type FilterQuery = z.output<z.ZodObject<typeof filterShape>>;

export function readFilter(query: FilterQuery): CallFilter {
  const { from, to, ...equals } = query;
  if (from !== undefined && to !== undefined && from >= to) {
    throw new CentspanError("invalid_request", "to: must be after from", { field: "to" });
  }
  const filter: CallFilter = {};
  if (from !== undefined || to !== undefined) filter.range = { fromNs: from ?? 0n, toNs: to ?? LAST_NS };
  for (const name of ["key", "keyId", "team", "task", "model", "taskType", "repository", "runId", "traceId"] as const) {
    const value = equals[name];
    if (value !== undefined) filter[name] = value;
  }
  return filter;
}

export const readPage = (query: { limit: number; cursor?: string | undefined }): PageRequest => ({
  limit: query.limit,
  cursor: query.cursor ?? null,
});
