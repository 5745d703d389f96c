/**
 * The rows of the Trace API as zod schemas: one source for answers, OpenAPI document, CLI and web pages.
 * Money and 64-bit integers are strings, instants ISO 8601 with nanoseconds.
 */
import { z } from "zod";
import { KEY_KINDS, permissionSchema } from "./access.ts";
import { CALL_SOURCES, COST_STATUSES, METERS, PROVENANCES } from "./call.ts";

import { keyRulesSchema } from "./key-rules.ts";
import { OUTCOME_KINDS, OUTCOME_STATUSES, subjectSchema } from "./outcome.ts";
import { bucketsSchema, instant, money, nanoseconds } from "./row-values.ts";

const provenance = z.enum(PROVENANCES);

const chargeLineRowSchema = z.object({
  meter: z.enum(METERS),
  quantity: z.int(),
  unitPriceUsd: money,
  listUnitPriceUsd: money.nullable(),
  costUsd: money,
  priceEntryId: z.string(),
  ratingRunId: z.string(),
});

export const callRowSchema = z.object({
  callId: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  at: instant,
  durationNs: nanoseconds,
  keyId: z.string(),
  key: z.string(),
  team: z.string(),
  task: z.string(),
  taskType: z.string(),
  runId: z.string(),
  sessionId: z.string(),
  role: z.string(),
  repository: z.string(),
  harnessVersion: z.string(),
  model: z.string(),
  effort: z.string(),
  provider: z.string(),
  responseId: z.string(),
  requests: z.int(),
  buckets: bucketsSchema,
  ttftMs: z.number().nullable().describe("time to the first token; null where no observer says it"),
  costUsd: money.nullable(),
  costStatus: z.enum(COST_STATUSES),
  quarantineReason: z.string(),
  providedCostUsd: money.nullable(),
  lines: z.array(chargeLineRowSchema),
  source: z.enum(CALL_SOURCES),
  provenance,
});
export type CallRow = z.infer<typeof callRowSchema>;

export const costRowSchema = z.object({
  group: z.string(),
  costUsd: money,
  calls: z.int(),
  requests: z.int(),
  pricedRequests: z.int().describe("those whose cost is known"),
  buckets: bucketsSchema,
  unpricedCalls: z.int(),
  quarantinedCalls: z.int(),
  provenance: provenance.nullable(),
  byProvenance: z.partialRecord(provenance, money),
});
export type CostRow = z.infer<typeof costRowSchema>;

/** `lowUsd`/`highUsd` are null where the data gives no bound on that side (no pass yet: only a lower bound). */
const intervalSchema = z.object({
  lowUsd: money.nullable(),
  highUsd: money.nullable(),
  level: z.number(),
  method: z.enum(["bootstrap", "linearised", "zero_pass_bound"]),
});

export const outcomeCostRowSchema = z.object({
  group: z.string(),
  spendUsd: money.describe("spend of tasks and of their review, which is what passes cost"),
  reviewUsd: money.describe("of it minutes of review, at what the team's hour costs"),
  unpricedReviewMinutes: z.string().describe("minutes of teams whose hour has no price: they are in no amount"),
  unpricedCalls: z.int().describe("of tasks; they are in no amount either"),
  allSpendUsd: money.describe("with spend that belongs to no task; what the group spent in all"),
  /** Spend of tasks whose latest outcome is not a pass: what failed attempts cost. */
  failedSpendUsd: money,
  tasks: z.int(),
  passed: z.int(),
  failed: z.int(),
  reverted: z.int().describe("of the failed those that had passed, and were refused or reverted"),
  unknown: z.int(),
  pending: z.int().describe("without an outcome, or younger than the maturity asked for"),
  costPerPassUsd: money.nullable(),
  interval: intervalSchema.nullable(),
  /** Cost per pass if every pending task passes (low) or fails (high); null when nothing is pending. */
  pendingBounds: z.object({ allPassUsd: money.nullable(), allFailUsd: money.nullable() }).nullable(),
  coverage: z.string().nullable().describe("linked spend ÷ all spend, 0 to 1, 10 decimals"),
  simulatedShare: z.string().nullable().describe("simulated spend ÷ all spend, 0 to 1, 10 decimals"),
});
export type OutcomeCostRow = z.infer<typeof outcomeCostRowSchema>;

export const cheapestSchema = z.object({
  group: z.string(),
  against: z.string().describe("the cheapest group of `openAgainst`, or else the next cheapest of all"),
  openAgainst: z
    .array(z.string())
    .describe("groups that it is not shown to cost less than, the cheapest first; it is certain where there are none"),
});
export type Cheapest = z.infer<typeof cheapestSchema>;

export const traceRowSchema = z.object({
  traceId: z.string(),
  runId: z.string(),
  name: z.string(),
  title: z.string(),
  task: z.string(),
  taskType: z.string(),
  key: z.string(),
  team: z.string(),
  model: z.string(),
  startedAt: instant,
  durationNs: nanoseconds,
  spans: z.int(),
  calls: z.int(),
  errors: z.int(),
  costUsd: money.nullable(),
  /** What of the cost was paid twice; null where nothing but the cost is known. */
  wasteUsd: money.nullable(),
  provenance: provenance.nullable(),
  outcome: z.enum([...OUTCOME_STATUSES, "pending"]).nullable(),
  anomalies: z.array(z.string()),
});
export type TraceRow = z.infer<typeof traceRowSchema>;

export const spanRowSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string(),
  name: z.string(),
  service: z.string(),
  layer: z.string(),
  startedAt: instant,
  durationNs: nanoseconds,
  status: z.enum(["unset", "ok", "error"]),
  facts: z.record(z.string(), z.string()),
  linked: z.boolean(),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })),
  /** Cost of the distinct calls at and below this span; null when there are none or none is priced. */
  costUsd: money.nullable(),
});
export type SpanRow = z.infer<typeof spanRowSchema>;

/** What a row says beside its bar. */
export const spanFactsSchema = spanRowSchema.omit({ costUsd: true });
export type SpanFacts = z.infer<typeof spanFactsSchema>;

export const traceDetailSchema = z.object({
  trace: traceRowSchema,
  buckets: bucketsSchema.describe("tokens of all calls, listed here or not"),
  spans: z.array(spanRowSchema),
  calls: z.array(callRowSchema).describe("the newest, where the anomaly calls_cut says so"),
  anomalies: z.array(z.object({ spanId: z.string(), kind: z.string(), detail: z.string() })),
});
export type TraceDetail = z.infer<typeof traceDetailSchema>;

export const spanDetailSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string(),
  name: z.string(),
  kind: z.string(),
  service: z.string(),
  startedAt: instant,
  endedAt: instant,
  durationNs: nanoseconds,
  status: z.enum(["unset", "ok", "error"]),
  statusMessage: z.string(),
  scopeName: z.string(),
  trusted: z.boolean().describe("brought by a key of kind gateway-ingest: its word on calls and keys counts"),
  attributes: z.record(z.string(), z.string()),
  resourceAttributes: z.record(z.string(), z.string()),
  events: z.array(z.object({ at: instant, name: z.string(), attributes: z.record(z.string(), z.string()) })),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })),
  hidden: z.array(z.string()).describe("what was left out of it, as whoever asks lacks content.read"),
});
export type SpanDetail = z.infer<typeof spanDetailSchema>;

export const outcomeInputSchema = z.strictObject({
  subject: subjectSchema,
  kind: z.enum(OUTCOME_KINDS),
  status: z.enum(OUTCOME_STATUSES),
  weight: z.number().positive().max(1000).default(1),
  source: z.string().min(1).max(100),
  evidence: z
    .record(
      z.string().max(200),
      z.union([z.string().max(10_000), z.number(), z.boolean(), z.array(z.string().max(1000)).max(100)]),
    )
    .refine(
      ({ reviewMinutes: said }) => said === undefined || (typeof said === "number" && said >= 0 && said <= 10_000),
      {
        path: ["reviewMinutes"],
        message: "must be minutes, 0 to 10000",
      },
    )
    .describe("reviewMinutes: of people, which the team's rate prices; by: who answers for an approval")
    .default({}),
  at: z.string().optional().describe("ISO 8601; now when absent"),
  /** Makes a repeated post a no-op; derived from the content when absent. */
  idempotencyKey: z.string().min(1).max(200).optional(),
});

export const outcomeRowSchema = z.object({
  outcomeId: z.string(),
  subject: z.record(z.string(), z.string()),
  kind: z.enum(OUTCOME_KINDS),
  status: z.enum(OUTCOME_STATUSES),
  weight: z.number(),
  source: z.string(),
  evidence: z.record(z.string(), z.unknown()),
  at: instant,
});
export type OutcomeRow = z.infer<typeof outcomeRowSchema>;

export const keyRowSchema = z.object({
  keyId: z.string(),
  name: z.string(),
  kind: z.enum(KEY_KINDS),
  scopes: z.array(permissionSchema).readonly().nullable().describe("null: all that its kind may"),
  team: z.string().nullable(),
  hint: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  rules: keyRulesSchema,
  /** Only in the answer to the request that made the key. */
  secret: z.string().optional(),
});
export type KeyRow = z.infer<typeof keyRowSchema>;

export const keyInputSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "must be lower-case letters, digits, dots, dashes; at most 63"),
    kind: z.enum(KEY_KINDS),
    /** Of api keys alone; not said: all that one may. */
    scopes: z.array(permissionSchema).min(1).optional(),
    team: z.string().min(1).max(63).optional(),
    rules: keyRulesSchema.optional(),
  })
  .refine(({ kind, scopes }) => kind === "api" || scopes === undefined, {
    path: ["scopes"],
    message: "are of api keys: what the other kinds may do is known",
  });
