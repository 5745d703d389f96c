/**
 * The ports that the two stores implement: `warehouse` (ClickHouse) and `control` (Postgres).
 * Everything is within one workspace; a workspace always comes from a credential, never from a payload.
 * Operating errors are CentspanError("store_unavailable").
 */

import type { Decimal } from "@centspan/base";
import type { Buckets, CostStatus, Meter, Provenance, RatedCall } from "./call.ts";
import type { KeyRules } from "./key-rules.ts";
import type { LogRecord } from "./log.ts";
import type { MetricPoint } from "./metric.ts";
import type { Outcome, OutcomeStatus } from "./outcome.ts";
import type { PriceTerms } from "./price.ts";
import type { CallClass, PriceTable } from "./price-table.ts";
import type { Block, Signal, SignalTable } from "./signal.ts";
import type { SpanRecord } from "./span.ts";

export type TimeRange = { fromNs: bigint; toNs: bigint };
export type Page<T> = { data: T[]; nextCursor: string | null };
export type PageRequest = { limit: number; cursor: string | null };

/** An attribute with exactly that value. */
export type AttributeFilter = { key: string; value: string };

export type CallFilter = Partial<{
  range: TimeRange;
  key: string;
  keyId: string;
  team: string;
  task: string;
  model: string;
  taskType: string;
  repository: string;
  runId: string;
  traceId: string;
}>;

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

export type TraceFilter = CallFilter &
  Partial<{
    status: OutcomeStatus | "pending";
    minCostUsd: Decimal;
    /** Only traces in which a model was called or an agent ran: clients also trace their own housekeeping. */
    onlyRuns: boolean;
    sessionId: string;
    /** Of any span of the trace. */
    attribute: AttributeFilter;
  }>;

export type TraceSummary = {
  traceId: string;
  runId: string;
  name: string;
  task: string;
  taskType: string;
  title: string;
  key: string;
  team: string;
  model: string;
  startedAtNs: bigint;
  durationNs: bigint;
  spans: number;
  calls: number;
  errors: number;
  /** Null when no call of the trace could be priced. */
  costUsd: Decimal | null;
  provenance: Provenance | null;
  outcome: OutcomeStatus | "pending" | null;
};

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

/** A span without its attributes, plus the few facts a waterfall row shows. */
export type SpanSkeleton = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  service: string;
  startedAtNs: bigint;
  endedAtNs: bigint;
  status: SpanRecord["status"];
  layer: string;
  /** Short facts for the row, from a fixed list of attributes. */
  facts: Record<string, string>;
  links: { traceId: string; spanId: string }[];
  /** True for a span of another trace (an engine step) that a span of this one links to. */
  linked: boolean;
};

/** A span whose content differs between two deliveries is flagged; the first one counts. */
export type StoredTrace = { spans: SpanSkeleton[]; conflictingSpanIds: string[] };

export type SpanStore = {
  insertSpans(workspace: string, spans: readonly SpanRecord[]): Promise<void>;
  listTraces(workspace: string, filter: TraceFilter, page: PageRequest): Promise<Page<TraceSummary>>;
  /** What a list says of that run. Null where there is none. */
  readTraceHead(workspace: string, traceId: string): Promise<TraceSummary | null>;
  readTrace(workspace: string, traceId: string): Promise<StoredTrace>;
  readSpan(workspace: string, traceId: string, spanId: string): Promise<SpanRecord | null>;
};

/** Lists of traces read a summary of each, which is worked out again when something of the trace has come. */
export type TraceSummaries = {
  /**
   * Brings the summaries of all traces up to date of which anything was received since the instant. `asOfNs` is what to
   * ask from the next time: everything received before it was seen. 0 works all of them out.
   */
  refreshTraceSummaries(sinceNs: bigint): Promise<{ asOfNs: bigint }>;
};

/** Where the collector's blocks go. */
export type BlockStore = {
  /**
   * Resolves when the rows are durable. `token` names the block: the same block under the same token is stored once.
   * Rejects with `store_unavailable` where trying again later may help, and with anything else where it will not.
   */
  insertBlock(table: SignalTable, block: Block, token: string): Promise<void>;
};

export type LogFilter = Partial<{
  range: TimeRange;
  traceId: string;
  sessionId: string;
  service: string;
  eventName: string;
  attribute: AttributeFilter;
}>;
export type MetricFilter = Partial<{ range: TimeRange; name: string; service: string; sessionId: string }>;

/** Logs and metrics, newest first. Retries of an export show once. */
export type SignalStore = {
  listLogs(workspace: string, filter: LogFilter, page: PageRequest): Promise<Page<LogRecord>>;
  listMetricPoints(workspace: string, filter: MetricFilter, page: PageRequest): Promise<Page<MetricPoint>>;
  /** One row for each service and signal that sent something in the last thirty days. */
  listSources(workspace: string): Promise<Source[]>;
};

/** `records` are spans, log records or data points of the last 24 hours, retries included. */
export type Source = { signal: Signal; service: string; lastReceivedAtNs: bigint; records: number };

/** How long a workspace keeps a signal. */
export type Retention = { workspace: string; signal: Signal; days: number };

/** In the control plane. Without an entry a signal is kept for ever. */
export type RetentionPolicies = {
  listRetention(): Promise<Retention[]>;
  /** `days` null takes the entry away. */
  setRetention(workspace: string, signal: Signal, days: number | null): Promise<void>;
};

/** In the warehouse. Calls, charge lines and outcomes stay: money is not forgotten with the spans that spent it. */
export type RetentionStore = {
  /** Deletes what happened before the instant; resolves with the number of rows that were there. */
  deleteBefore(workspace: string, signal: Signal, beforeNs: bigint): Promise<number>;
};

/**
 * What is rated together: a trace, or a stretch of a session whose log records stand in no trace. Of such a session the
 * traces around that time belong to it too, since its records may be about their calls.
 */
export type UsageUnit =
  | { kind: "trace"; traceId: string }
  | { kind: "session"; sessionId: string; fromNs: bigint; toNs: bigint };

/**
 * A piece of news of a unit, which may have several. `appearance` tells them apart, and stays the same as long as this
 * one can be seen; `records` is how much came with it.
 */
export type UsageChange = {
  workspace: string;
  unit: UsageUnit;
  appearance: string;
  receivedAtNs: bigint;
  records: number;
};

export type Usage = {
  /** The traces that are here as far as they matter: what may be calls, and every span on the way up from there. */
  traceIds: string[];
  spans: SpanRecord[];
  /** Records that may be calls, in the context of these traces, of their sessions, or of the unit's. */
  logs: LogRecord[];
  /**
   * Where all that a record outside of traces could belong to is here: only there one that belongs to no span is a
   * call of its own. Null where there is no such time.
   */
  wholeWithin: { fromNs: bigint; toNs: bigint } | null;
};

/** What the rating worker needs of spans and log records: where there is news, and what belongs to it. */
export type UsageFeed = {
  /** All that was received before `asOfNs`, a time of the store's clock, is there; of what came later some may be missing. */
  listChangedUsage(sinceNs: bigint): Promise<{ asOfNs: bigint; changes: UsageChange[] }>;
  /**
   * One answer for each unit, in their order. Spans come without events and links and, where names are given, with the
   * attributes of these names alone, their resource's too: what was said to a model is large, and no matter of what it cost.
   */
  readUsage(workspace: string, units: readonly UsageUnit[], attributeNames?: readonly string[]): Promise<Usage[]>;
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

export type KeyKind = "gateway" | "ingest" | "api";

/** A key without its secret. `hint` is its last four characters. */
export type Key = {
  keyId: string;
  workspace: string;
  name: string;
  kind: KeyKind;
  team: string | null;
  hint: string;
  createdAt: Date;
  revokedAt: Date | null;
  rules: KeyRules;
};

/** What a presented secret stands for. Only an `orgWide` api key may name another workspace of its organisation. */
export type Principal = {
  keyId: string;
  keyName: string;
  kind: KeyKind;
  workspace: string;
  org: string;
  orgWide: boolean;
  team: string | null;
  rules: KeyRules;
};

export type Team = { id: string; name: string; department: string };
export type WorkspaceInfo = { id: string; name: string; createdAt: Date };

export type KeyStore = {
  /** Null for an unknown or revoked secret. */
  findPrincipal(secret: string): Promise<Principal | null>;
  listKeys(workspace: string): Promise<Key[]>;
  /** The only time the secret is seen. A name is unique within a workspace: `conflict` otherwise. */
  createKey(key: {
    workspace: string;
    name: string;
    kind: KeyKind;
    team: string | null;
    orgWide?: boolean;
    rules?: KeyRules;
  }): Promise<Key & { secret: string }>;
  /** In place of those it had. Throws `not_found`. */
  setKeyRules(workspace: string, keyId: string, rules: KeyRules): Promise<Key>;
  revokeKey(workspace: string, keyId: string): Promise<void>;
};

export type OrgStore = {
  ensureWorkspace(org: string, workspace: { id: string; name: string }): Promise<void>;
  listWorkspaces(org: string): Promise<WorkspaceInfo[]>;
  ensureTeam(workspace: string, team: Team): Promise<void>;
  listTeams(workspace: string): Promise<Team[]>;
};

/** What a workspace agreed on with providers, on top of the list prices. Entries are added, and never edited. */
export type PriceTermsStore = {
  readPriceTerms(workspace: string): Promise<PriceTerms>;
  /**
   * Adds what is not there yet, all of it or nothing: one with a contract's id and other content is a `conflict`. `check`
   * is given all terms as they would be, and throws where they contradict each other.
   */
  addPriceTerms(workspace: string, terms: PriceTerms, actor: string, check: (all: PriceTerms) => void): Promise<void>;
  /** The contract no longer holds from then on. `not_found`, or `conflict` where it has an end already. */
  endContract(workspace: string, id: string, to: string, actor: string): Promise<void>;
};

/** Durable progress of background jobs, and how fresh their results are. */
export type JobStore = {
  readJob(job: string): Promise<{ watermarkNs: bigint; updatedAt: Date } | null>;
  writeJob(job: string, watermarkNs: bigint): Promise<void>;
};
