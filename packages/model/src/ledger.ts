/**
 * The ports of the warehouse (ClickHouse) for money: calls with their charge lines, outcomes, and what they add up to.
 * Everything is within one workspace; a workspace always comes from a credential, never from a payload.
 * Operating errors are CentspanError("store_unavailable").
 */
import type { Decimal } from "@centspan/base";
import type { Buckets, CostStatus, Meter, Provenance, RatedCall } from "./call.ts";
import type { CallFilter, Page, PageRequest, TimeRange } from "./filters.ts";
import type { Outcome, OutcomeStatus } from "./outcome.ts";
import type { CallClass, PriceTable } from "./price-table.ts";

/** What a call can be grouped by; each is a column of the call. `day` is a day in the given zone. */
export const COST_GROUPS = [
  "key",
  "team",
  "model",
  "effort",
  "task",
  "taskType",
  "repository",
  "role",
  "meter",
  "day",
  "hour",
  "minute",
] as const;
export type CostGroup = (typeof COST_GROUPS)[number];
/** What a task can be grouped by: a column of its first call. */
export const OUTCOME_GROUPS = [
  "key",
  "team",
  "task",
  "taskType",
  "repository",
  "model",
  "effort",
  "role",
  "harnessVersion",
  "day",
  "hour",
  "minute",
] as const;
export type OutcomeGroup = (typeof OUTCOME_GROUPS)[number];

export type CostSum = {
  group: string;
  costUsd: Decimal;
  calls: number;
  requests: number;
  buckets: Buckets;
  unpricedCalls: number;
  quarantinedCalls: number;
  /** Cost by provenance; sums to costUsd. */
  byProvenance: Partial<Record<Provenance, Decimal>>;
};

/** What was used and charged of one meter of one model. */
export type MeterSpend = { model: string; meter: Meter; quantity: bigint; costUsd: Decimal };

export const DAILY_SPEND_GROUPS = ["team", "key", "model", "taskType", "repository"] as const;
export type DailySpendGroup = (typeof DAILY_SPEND_GROUPS)[number];
/** `day` is YYYY-MM-DD in the time zone that was asked for. */
export type DailySpend = { group: string; day: string; costUsd: Decimal };

/** One task's spend and where it stands. `task` is "" for spend that belongs to no task: one such row per group. */
export type TaskSpend = {
  task: string;
  group: string;
  costUsd: Decimal;
  simulatedUsd: Decimal;
  calls: number;
  /** Calls whose cost is not known, whether for want of a price or of trustworthy usage. */
  unpricedCalls: number;
  firstCallAtNs: bigint;
  /** Status of the latest tests outcome; null while there is none. */
  status: OutcomeStatus | null;
};

export type OutcomeFilter = Partial<{ task: string; runId: string; outcomeId: string }>;

/**
 * What the calls at one span come to, apart by what became of them, by model and by reason. `costUsd` is null where they
 * have no cost. A span may have several, and need not have arrived.
 */
export type SpanSpend = {
  spanId: string;
  provider: string;
  model: string;
  costStatus: CostStatus;
  quarantineReason: string;
  calls: number;
  buckets: Buckets;
  costUsd: Decimal | null;
};

export const PREVIEW_GROUPS = ["model", "provider", "team", "key"] as const;
export type PreviewGroup = (typeof PREVIEW_GROUPS)[number];
/** What calls are booked with, and what they would cost by other prices. Quarantined calls are in neither. */
export type CostPreview = {
  group: string;
  calls: number;
  bookedUsd: Decimal;
  previewedUsd: Decimal;
  unpricedBefore: number;
  unpricedAfter: number;
};

/** Rating by sets: the same prices, chosen once for each class of calls, and multiplied in the store. */
export type RatingStore = {
  /** The distinct classes of the calls that there are in the range. */
  listCallClasses(workspace: string, of: { range: TimeRange; scopes: PriceTable["scopes"] }): Promise<CallClass[]>;
  /**
   * Prices the calls of the table's classes again and writes what changes; resolves with how many calls did. Repeating it
   * changes nothing. Closed months stay as they are.
   */
  rateCalls(workspace: string, run: { table: PriceTable; range: TimeRange; ratingRunId: string }): Promise<number>;
  previewCosts(
    workspace: string,
    of: { table: PriceTable; range: TimeRange; groupBy: PreviewGroup },
  ): Promise<CostPreview[]>;
};

export type Ledger = {
  insertCalls(workspace: string, calls: readonly RatedCall[]): Promise<void>;
  /** Takes back calls that later spans showed to be none. Unknown ids change nothing. */
  withdrawCalls(workspace: string, callIds: readonly string[]): Promise<void>;
  insertOutcomes(workspace: string, outcomes: readonly Outcome[]): Promise<void>;
  /** Ids of the calls of these traces that began at the instant or later. */
  listCallIds(workspace: string, traceIds: readonly string[], fromNs: bigint): Promise<string[]>;
  /** Those of the ids that there are, in no order. */
  readCalls(workspace: string, callIds: readonly string[]): Promise<RatedCall[]>;
  /** Those of the sessions that have calls, in no order. */
  listSessionsWithCalls(workspace: string, sessionIds: readonly string[]): Promise<string[]>;
  listCalls(workspace: string, filter: CallFilter, page: PageRequest): Promise<Page<RatedCall>>;
  /** All calls of the trace, however many, by span. */
  sumTraceCalls(workspace: string, traceId: string): Promise<SpanSpend[]>;
  sumCosts(workspace: string, query: { groupBy: CostGroup; filter: CallFilter; timeZone: string }): Promise<CostSum[]>;
  listMeterSpend(workspace: string, filter: CallFilter): Promise<MeterSpend[]>;
  listDailySpend(
    workspace: string,
    query: { groupBy: DailySpendGroup; filter: CallFilter; timeZone: string },
  ): Promise<DailySpend[]>;
  listTaskSpend(
    workspace: string,
    query: { groupBy: OutcomeGroup; filter: CallFilter; timeZone: string },
  ): Promise<TaskSpend[]>;
  listOutcomes(workspace: string, filter: OutcomeFilter): Promise<Outcome[]>;
};
