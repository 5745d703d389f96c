/**
 * The ClickHouse tables as data: the one source of their DDL, for one server and for a cluster (render-schema.ts).
 * Invariants: every table is keyed by workspace first; inserting the same row again changes nothing; the order of
 * merges never shows, so readers deduplicate themselves. Changing one: edit it here, and append a migration whose
 * statements bring existing databases to the same shape.
 */

import { BLOCK_COLUMNS, HASHED_COLUMNS } from "@centspan/ingest";
import type { SignalTable } from "@centspan/model";

export type Column = {
  name: string;
  type: string;
  /** Filled by the server where the loader gives no value. */
  default?: string;
  /** Computed by the server, never given by a loader. */
  materialized?: string;
};

/** What merging keeps of rows with the same order key: the one with the greatest `version`; none where it is deleted. */
type EngineKind = { kind: "replacing"; version: string; deleted?: string };

export type Table = {
  name: string;
  columns: readonly Column[];
  engine: EngineKind;
  orderBy: readonly string[];
  partitionBy?: string;
  indexes?: readonly Index[];
  projections?: readonly Projection[];
  /** Rows between two marks of the primary key, where the server's 8192 are more than a question wants. */
  granularity?: number;
  /**
   * Which shard of a cluster has a row. Versions and repetitions of a row must meet on one, so it is made of members of
   * the order key, or of what every repetition says again.
   */
  shardBy: readonly string[];
};

type Index = { name: string; expression: string; type: string };

/** Sums by some columns that the server keeps beside the rows, and reads instead of them where a question asks for no others. */
export type Projection = { name: string; groupBy: readonly string[]; sums: readonly string[] };

const TEXT = "String";
const NAME = "LowCardinality(String)";
const INSTANT = "DateTime64(9, 'UTC')";
const MONEY = "Decimal(38, 12)";
const COUNT = "UInt64";

const columns = (type: string, ...names: string[]): Column[] => names.map((name) => ({ name, type }));

/** When the store took the row: its own clock at the insert, so that nobody else's can hide news from the worker. */
const RECEIVED_AT: Column = { name: "received_at", type: INSTANT, default: "now64(9)" };

/** Greatest for the first delivery, so that merging exact retries keeps the instant of the first. */
const FIRST_DELIVERY = "18446744073709551615 - toUInt64(toUnixTimestamp64Nano(received_at))";
const PRECEDENCE: Column = { name: "precedence", type: "UInt64", materialized: FIRST_DELIVERY };

/** What a gateway says of a span comes before what others say under its ids, whenever it came: then the first delivery. */
export const SPAN_PRECEDENCE: Column = {
  ...PRECEDENCE,
  materialized: `${FIRST_DELIVERY} - if(trusted, 0, 9223372036854775808)`,
};

/** Of a tuple, because a NULL among plain arguments would make the hash NULL. */
const hashOf = (names: readonly string[]): string => `cityHash64((${names.join(", ")}))`;

/** What senders decide. What the encoder lifts out of that may change with its rules, and is no part of the content. */
const LIFTED = new Set(["session_id", "may_be_call"]);
const sentColumns = (table: SignalTable, except: readonly string[]): string[] =>
  BLOCK_COLUMNS[table].map(({ name }) => name).filter((name) => !LIFTED.has(name) && !except.includes(name));

const contentHash = (table: SignalTable, except: readonly string[]): Column => ({
  name: "content_hash",
  type: "UInt64",
  default: hashOf(sentColumns(table, except)),
});

/** Before credentials were told apart, a gateway was who called himself one. */
export const TRUSTED_BEFORE = "service = 'centspan-gateway' OR scope_name = 'centspan.histories'";

/** Of what a block of an earlier version, left in a spool, does not bring: the server makes the same of it. */
const SPAN_DEFAULTS: Readonly<Record<string, string>> = {
  trusted: TRUSTED_BEFORE,
  content_hash: hashOf(HASHED_COLUMNS.spans),
};

/** What blocks bring. */
export const BROUGHT_COLUMNS: Record<SignalTable, readonly Column[]> = {
  ...BLOCK_COLUMNS,
  spans: BLOCK_COLUMNS.spans.map((column) => {
    const value = SPAN_DEFAULTS[column.name];
    return value === undefined ? column : { ...column, default: value };
  }),
};

/**
 * By month of receipt: senders' clocks can't make partitions, and a look-up by id never asks for a time. A skip index
 * over receipt is what finds news among everything stored.
 */
const BY_RECEIPT = "toYYYYMM(received_at)";
const minmax = (name: string, expression: string): Index => ({ name, expression, type: "minmax" });
const bloom = (name: string, expression: string): Index => ({ name, expression, type: "bloom_filter(0.01)" });
const INDEX_ON_RECEIPT = minmax("by_receipt", "received_at");
/** Of names alone: values cost more than twice as much (1.4 µs a row against 0.6), and a name that is rare finds them. */
const INDEX_ON_ATTRIBUTES = bloom("by_attribute", "mapKeys(attributes)");

export const SPANS: Table = {
  name: "spans",
  columns: [...BROUGHT_COLUMNS.spans, RECEIVED_AT, SPAN_PRECEDENCE],
  engine: { kind: "replacing", version: "precedence" },
  orderBy: ["workspace", "trace_id", "span_id", "content_hash"],
  // A page of runs asks for one span of each; a mark more costs an insert nothing that could be measured.
  granularity: 2048,
  // A trace is read, and summarised, on one shard.
  shardBy: ["workspace", "trace_id"],
  partitionBy: BY_RECEIPT,
  indexes: [minmax("by_start", "started_at"), INDEX_ON_RECEIPT, bloom("by_session", "session_id"), INDEX_ON_ATTRIBUTES],
};

/** Records have no id: what tells two apart is where they stood in their request, and an exact retry stands there again. */
export const LOGS: Table = {
  name: "logs",
  columns: [
    ...BROUGHT_COLUMNS.logs,
    contentHash("logs", ["workspace", "at", "request_hash", "position"]),
    RECEIVED_AT,
    PRECEDENCE,
  ],
  engine: { kind: "replacing", version: "precedence" },
  orderBy: ["workspace", "at", "content_hash", "request_hash", "position"],
  // With the trace, or else the session, that they are read with.
  shardBy: ["workspace", "multiIf(trace_id != '', trace_id, session_id != '', session_id, toString(request_hash))"],
  partitionBy: BY_RECEIPT,
  indexes: [INDEX_ON_RECEIPT, bloom("by_trace", "trace_id"), bloom("by_session", "session_id"), INDEX_ON_ATTRIBUTES],
};

const SERIES_COLUMNS = [
  "name",
  "type",
  "unit",
  "temporality",
  "monotonic",
  "service",
  "attributes",
  "resource_attributes",
  "scope_name",
  "scope_version",
];

export const METRICS: Table = {
  name: "metrics",
  columns: [
    ...BROUGHT_COLUMNS.metrics,
    { name: "series", type: "UInt64", default: hashOf(SERIES_COLUMNS) },
    contentHash("metrics", ["workspace", "at", "started_at", ...SERIES_COLUMNS]),
    RECEIVED_AT,
    PRECEDENCE,
  ],
  engine: { kind: "replacing", version: "precedence" },
  orderBy: ["workspace", "name", "at", "series", "started_at", "content_hash"],
  shardBy: ["workspace", "series"],
  partitionBy: BY_RECEIPT,
  indexes: [minmax("by_instant", "at"), INDEX_ON_RECEIPT, bloom("by_session", "session_id")],
};

/**
 * A row per trace, worked out from its spans after duplicates are removed, again whenever some have come. Its face is the
 * span that stands for it: the root, or the earliest while there is none.
 */
export const TRACES: Table = {
  name: "traces",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "trace_id", "face_id"),
    ...columns(NAME, "name"),
    ...columns("Bool", "has_root"),
    ...columns(INSTANT, "started_at", "ended_at"),
    ...columns(INSTANT, "first_started_at", "last_started_at", "last_ended_at"),
    ...columns(COUNT, "spans", "errors"),
    ...columns(TEXT, "task", "run_id"),
    ...columns(NAME, "team", "model"),
    // Whose any of its spans says it is; each member of one tuple is said by one span.
    { name: "identities", type: "Array(Tuple(task String, run_id String, team String, session_id String))" },
    ...columns("UInt64", "revision"),
  ],
  engine: { kind: "replacing", version: "revision" },
  orderBy: ["workspace", "trace_id"],
  shardBy: ["workspace", "trace_id"],
  indexes: [minmax("by_start", "started_at")],
};

/**
 * Days (of UTC) on which calls happened, so that a question about a range reads no other. Senders' clocks can make no more
 * of them than thirty years have: whatever is said to lie beyond is in one partition. A call that moves leaves a deleted
 * row where it was (insert-calls.ts), so each partition by itself says what is in it.
 */
export const DAY_OF_CALL =
  "if(at >= toDateTime64('2020-01-01 00:00:00', 9, 'UTC') AND at < toDateTime64('2050-01-01 00:00:00', 9, 'UTC'), toDate(at), toDate(0))";

/** A charge line. What priced it and in which run is said once for all lines of a call. */
const CHARGE_LINE = `Tuple(meter ${NAME}, quantity ${COUNT}, unit_price_usd ${MONEY}, list_unit_price_usd Nullable(${MONEY}), cost_usd ${MONEY})`;

export const CALLS: Table = {
  name: "calls",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "call_id", "trace_id", "span_id"),
    ...columns(INSTANT, "at"),
    // When it is billed: later than it happened where its month was closed before it came.
    { name: "posted_at", type: INSTANT, default: "at" },
    ...columns("Int64", "duration_ns"),
    ...columns("Nullable(Float64)", "ttft_ms"),
    ...columns(NAME, "key_id", "key", "team"),
    ...columns(TEXT, "task"),
    ...columns(NAME, "task_type"),
    ...columns(TEXT, "run_id", "session_id"),
    ...columns(NAME, "role", "repository", "harness_version"),
    ...columns(NAME, "provider", "model", "effort", "service_tier", "region"),
    ...columns(TEXT, "response_id"),
    ...columns(NAME, "source", "dialect", "input_semantics"),
    ...columns(COUNT, "requests"),
    ...columns(COUNT, "input", "cache_read", "cache_write_5m", "cache_write_1h", "output_text", "output_reasoning"),
    ...columns(COUNT, "web_searches"),
    ...columns(NAME, "cost_status", "price_entry_id", "rating_run_id"),
    { name: "lines", type: `Array(${CHARGE_LINE})` },
    ...columns(`Nullable(${MONEY})`, "cost_usd", "provided_cost_usd"),
    ...columns(NAME, "provenance"),
    // Of the usage alone; the other is that of the cost, which a simulated price makes weaker.
    { name: "usage_provenance", type: NAME, default: "provenance" },
    ...columns(TEXT, "quarantine_reason"),
    ...columns("UInt64", "content_hash", "revision"),
    ...columns("UInt8", "deleted"),
  ],
  engine: { kind: "replacing", version: "revision", deleted: "deleted" },
  orderBy: ["workspace", "call_id"],
  // A withdrawal names a call by its id alone: so not by trace or task.
  shardBy: ["workspace", "call_id"],
  partitionBy: DAY_OF_CALL,
  indexes: [minmax("by_instant", "at"), bloom("by_trace", "trace_id")],
};

/** When versions of a call happened: on which days one that is asked for by its id is looked for. */
export const CALL_TIMES: Table = {
  name: "call_times",
  columns: [...columns(NAME, "workspace"), ...columns(TEXT, "call_id"), ...columns(INSTANT, "at")],
  engine: { kind: "replacing", version: "at" },
  orderBy: ["workspace", "call_id", "at"],
  shardBy: ["workspace", "call_id"],
};

/**
 * Days of each workspace, and whether `daily_costs` says what their calls come to. A day is the workspace's own, or one of
 * UTC while nobody has looked which one that is. Who writes calls of a fresh day says first that it is fresh no longer.
 */
export const COST_DAYS: Table = {
  name: "cost_days",
  columns: [
    ...columns(NAME, "workspace", "time_zone"),
    ...columns(INSTANT, "from_at", "to_at"),
    ...columns("UInt8", "is_fresh"),
    ...columns("UInt64", "revision"),
    ...columns("UInt8", "deleted"),
  ],
  engine: { kind: "replacing", version: "revision", deleted: "deleted" },
  orderBy: ["workspace", "time_zone", "from_at"],
  shardBy: ["workspace"],
};

/** What questions about spend group and filter calls by, beside when they happened. */
export const COST_DIMENSIONS = [
  "key_id",
  "key",
  "team",
  "task_type",
  "role",
  "repository",
  "provider",
  "model",
  "effort",
  "provenance",
  "cost_status",
] as const;

const COST_COUNTS = [
  ...["calls", "requests"],
  ...["input", "cache_read", "cache_write_5m", "cache_write_1h", "output_text", "output_reasoning"],
  ...["web_searches", "quantity", "charged_quantity"],
];

/** What a question asks of whole days: of which day and revision, and by which of the dimensions. */
const sumCosts = (name: string, dimensions: readonly string[]): Projection => ({
  name,
  groupBy: ["workspace", "meter", "at", "revision", ...dimensions],
  sums: [...COST_COUNTS, "charged_usd"],
});

/**
 * What the calls of a day come to, and each meter of them: `meter` is "" for calls as a whole, which have buckets, where
 * those of a meter have quantities. Rows count while `cost_days` has their revision for a fresh day; every revision is of
 * one day. There are thousands of keys, so most questions read the sums without them, or of them alone.
 */
export const DAILY_COSTS: Table = {
  name: "daily_costs",
  columns: [
    ...columns(NAME, "workspace", "meter"),
    ...columns(INSTANT, "at"),
    ...columns(NAME, ...COST_DIMENSIONS),
    ...columns(COUNT, ...COST_COUNTS),
    ...columns(`Nullable(${MONEY})`, "charged_usd"),
    ...columns("UInt64", "revision"),
  ],
  engine: { kind: "replacing", version: "revision" },
  orderBy: ["workspace", "meter", "at", ...COST_DIMENSIONS],
  projections: [
    sumCosts(
      "without_keys",
      COST_DIMENSIONS.filter((name) => name !== "key_id" && name !== "key"),
    ),
    sumCosts("of_keys", ["key_id", "key", "team", "provenance", "cost_status"]),
  ],
  shardBy: ["workspace"],
};

/** What a piece of work is grouped and chosen by: what its first call says. */
export const WORK_DIMENSIONS = [
  "key_id",
  "key",
  "team",
  "task_type",
  "role",
  "repository",
  "harness_version",
  "provider",
  "model",
  "effort",
] as const;

/**
 * What a task's calls of a day come to, by run and session. Whose they are is what the first of them says; calls of no task are
 * one row only where all of that is the same. Rows count as those of `daily_costs` do, and under the same revisions.
 */
export const DAILY_WORK: Table = {
  name: "daily_work",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(INSTANT, "day_at"),
    ...columns(TEXT, "task", "run_id", "session_id"),
    ...columns(INSTANT, "at"),
    // What tells the first of several calls of one instant.
    ...columns("UInt64", "first_call"),
    ...columns(TEXT, "trace_id"),
    ...columns(NAME, ...WORK_DIMENSIONS),
    ...columns("Array(String)", "trace_ids"),
    ...columns(COUNT, "calls", "unpriced_calls"),
    ...columns(MONEY, "spend_usd", "simulated_usd"),
    ...columns("UInt64", "revision"),
  ],
  engine: { kind: "replacing", version: "revision" },
  orderBy: ["workspace", "day_at", "task", "run_id", "session_id", "trace_id", ...WORK_DIMENSIONS],
  shardBy: ["workspace"],
};

/**
 * What became of calls after their month was closed. Each change of a call takes back what was billed of it before, line
 * by line, and charges it anew; `number` counts its changes.
 */
export const CORRECTIONS: Table = {
  name: "corrections",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "call_id"),
    ...columns("UInt32", "number"),
    ...columns(NAME, "kind", "meter"),
    ...columns(INSTANT, "at", "posted_at"),
    ...columns(NAME, "key_id", "key", "team", "provider", "model", "service_tier", "region", "provenance"),
    ...columns("Int64", "quantity"),
    ...columns(MONEY, "unit_price_usd", "cost_usd"),
    ...columns(`Nullable(${MONEY})`, "list_unit_price_usd"),
    ...columns(NAME, "price_entry_id", "rating_run_id"),
    ...columns("UInt64", "revision"),
  ],
  engine: { kind: "replacing", version: "revision" },
  orderBy: ["workspace", "call_id", "number", "kind", "meter"],
  shardBy: ["workspace", "call_id"],
};

export const SAID_IN_EVIDENCE: readonly Column[] = [
  { name: "test_repository", type: NAME, materialized: "JSONExtractString(evidence, 'repository')" },
  { name: "test_name", type: NAME, materialized: "JSONExtractString(evidence, 'name')" },
  // The request whose merge said it of other work.
  {
    name: "said_by_request",
    type: TEXT,
    materialized:
      "if(JSONHas(evidence, 'revertedBy'), JSONExtractString(evidence, 'revertedBy'), JSONExtractString(evidence, 'restoredBy'))",
  },
  { name: "said_by", type: NAME, materialized: "JSONExtractString(evidence, 'by')" },
  {
    name: "review_minutes",
    type: MONEY,
    materialized: "toDecimal128OrZero(JSONExtractRaw(evidence, 'reviewMinutes'), 12)",
  },
];

const OUTCOMES: Table = {
  name: "outcomes",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "outcome_id", "task", "run_id", "session_id", "trace_id", "commit", "pull_request"),
    ...columns(TEXT, "patch_id", "repository", "branch"),
    ...columns(NAME, "kind", "status"),
    ...columns("Float64", "weight"),
    ...columns(NAME, "source"),
    // JSON text, shown whole. What verdicts ask of it is computed once.
    ...columns(TEXT, "evidence"),
    ...columns(INSTANT, "at"),
    ...columns("UInt64", "revision"),
    ...SAID_IN_EVIDENCE,
  ],
  engine: { kind: "replacing", version: "revision" },
  orderBy: ["workspace", "outcome_id"],
  shardBy: ["workspace", "outcome_id"],
};

/** Decisions on which tasks an outcome is of; the latest counts, and the ones before stay. */
export const OUTCOME_LINKS: Table = {
  name: "outcome_links",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "outcome_id"),
    ...columns("Array(String)", "tasks"),
    ...columns(NAME, "linked_by"),
    ...columns(TEXT, "reason", "decided_by"),
    ...columns("UInt64", "revision"),
  ],
  engine: { kind: "replacing", version: "revision" },
  orderBy: ["workspace", "outcome_id", "revision"],
  shardBy: ["workspace", "outcome_id"],
};

/** Where work was done, and when it was seen there first. */
export const WORK_MARKS: Table = {
  name: "work_marks",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "trace_id", "session_id", "repository", "branch", "commit", "pull_request", "patch_id"),
    ...columns(INSTANT, "at"),
    RECEIVED_AT,
    // Greatest for the earliest.
    { name: "precedence", type: "UInt64", materialized: "18446744073709551615 - toUInt64(toUnixTimestamp64Nano(at))" },
  ],
  engine: { kind: "replacing", version: "precedence" },
  orderBy: ["workspace", "trace_id", "session_id", "repository", "branch", "commit", "pull_request", "patch_id"],
  shardBy: ["workspace", "trace_id"],
};

/** What sessions worked on from when on, where that is not one piece of work for each. */
export const WORK_STRETCHES: Table = {
  name: "work_stretches",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "task", "work"),
    ...columns(INSTANT, "from_at"),
    ...columns("UInt64", "revision"),
    ...columns("UInt8", "deleted"),
  ],
  engine: { kind: "replacing", version: "revision", deleted: "deleted" },
  orderBy: ["workspace", "task", "from_at"],
  shardBy: ["workspace"],
};

export const BROKEN_AT: readonly Column[] = ["change", "section", "path"].map((name) => ({
  name,
  type: NAME,
  materialized: `JSONExtractString(evidence, '${name}')`,
}));

/**
 * What was paid for twice, an item for each cause at a call. A run's items are found and replaced together; whose they are
 * is what their call says.
 */
export const WASTE_ITEMS: Table = {
  name: "waste_items",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "run", "item_id"),
    ...columns(NAME, "cause", "layer", "kind"),
    ...columns(INSTANT, "at"),
    ...columns(TEXT, "call_id", "run_id", "trace_id", "span_id"),
    ...columns(NAME, "key_id", "key", "team"),
    ...columns(TEXT, "task"),
    ...columns(NAME, "task_type", "repository", "provider", "model"),
    ...columns(MONEY, "cost_usd"),
    ...columns("Float64", "seconds"),
    ...columns(NAME, "confidence", "provenance"),
    // JSON text, shown whole. What items are added up by is computed once.
    ...columns(TEXT, "evidence"),
    ...columns("UInt64", "content_hash", "revision"),
    ...columns("UInt8", "deleted"),
    ...BROKEN_AT,
  ],
  engine: { kind: "replacing", version: "revision", deleted: "deleted" },
  orderBy: ["workspace", "run", "item_id"],
  shardBy: ["workspace", "run"],
  indexes: [minmax("by_instant", "at"), bloom("by_trace", "trace_id")],
};

/** Which migrations a database has had. */
export const MIGRATION_LOG: Table = {
  name: "schema_migrations",
  columns: [
    ...columns("UInt32", "version"),
    ...columns(TEXT, "name"),
    { name: "applied_at", type: "DateTime64(3, 'UTC')", default: "now64(3)" },
  ],
  engine: { kind: "replacing", version: "applied_at" },
  orderBy: ["version"],
  shardBy: ["version"],
};

export const TABLES: readonly Table[] = [
  SPANS,
  LOGS,
  METRICS,
  TRACES,
  CALLS,
  CALL_TIMES,
  COST_DAYS,
  DAILY_COSTS,
  DAILY_WORK,
  CORRECTIONS,
  OUTCOMES,
  OUTCOME_LINKS,
  WORK_MARKS,
  WORK_STRETCHES,
  WASTE_ITEMS,
];
