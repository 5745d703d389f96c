/**
 * The ClickHouse tables as data: the one source of their DDL, for one server and for a cluster (render-schema.ts).
 * Invariants: every table is keyed by workspace first; inserting the same row again changes nothing; the order of
 * merges never shows, so readers deduplicate themselves. Changing one: edit it here, and append a migration whose
 * statements bring existing databases to the same shape.
 */

import { BLOCK_COLUMNS } from "@centspan/ingest";
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
  /** Rows between two marks of the primary key, where the server's 8192 are more than a question wants. */
  granularity?: number;
  /**
   * Which shard of a cluster has a row. Versions and repetitions of a row must meet on one, so it is made of members of
   * the order key, or of what every repetition says again.
   */
  shardBy: readonly string[];
};

type Index = { name: string; expression: string; type: string };

const TEXT = "String";
const NAME = "LowCardinality(String)";
const INSTANT = "DateTime64(9, 'UTC')";
const MONEY = "Decimal(38, 12)";
const COUNT = "UInt64";

const columns = (type: string, ...names: string[]): Column[] => names.map((name) => ({ name, type }));

/** When the store took the row: its own clock at the insert, so that nobody else's can hide news from the worker. */
const RECEIVED_AT: Column = { name: "received_at", type: INSTANT, default: "now64(9)" };

/** Greatest for the first delivery, so that merging exact retries keeps the instant of the first. */
const PRECEDENCE: Column = {
  name: "precedence",
  type: "UInt64",
  materialized: "18446744073709551615 - toUInt64(toUnixTimestamp64Nano(received_at))",
};

/** Of a tuple, because a NULL among plain arguments would make the hash NULL. */
const hashOf = (names: readonly string[]): string => `cityHash64((${names.join(", ")}))`;

/** What senders decide. What the encoder lifts out of that may change with its rules, and is no part of the content. */
const LIFTED = new Set(["layer", "team", "model", "task", "run_id", "session_id", "may_be_call", "of_replica"]);
const sentColumns = (table: SignalTable, except: readonly string[] = []): string[] =>
  BLOCK_COLUMNS[table].map(({ name }) => name).filter((name) => !LIFTED.has(name) && !except.includes(name));

const contentHash = (table: SignalTable, except: readonly string[]): Column => ({
  name: "content_hash",
  type: "UInt64",
  default: hashOf(sentColumns(table, except)),
});

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
  columns: [
    ...BLOCK_COLUMNS.spans,
    contentHash("spans", ["workspace", "trace_id", "span_id"]),
    RECEIVED_AT,
    PRECEDENCE,
  ],
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
    ...BLOCK_COLUMNS.logs,
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
    ...BLOCK_COLUMNS.metrics,
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
    // What priced all of its lines: a rating run asks it of each call, and reads no lines.
    ...columns(NAME, "cost_status", "price_entry_id"),
    ...columns(`Nullable(${MONEY})`, "cost_usd", "provided_cost_usd"),
    ...columns(NAME, "provenance"),
    ...columns(TEXT, "quarantine_reason"),
    ...columns("UInt64", "content_hash", "revision"),
    ...columns("UInt8", "deleted"),
  ],
  engine: { kind: "replacing", version: "revision", deleted: "deleted" },
  orderBy: ["workspace", "call_id"],
  // A withdrawal names a call by its id alone, and its lines do: so not by trace or task.
  shardBy: ["workspace", "call_id"],
  indexes: [minmax("by_instant", "at"), bloom("by_trace", "trace_id")],
};

const CHARGE_LINES: Table = {
  name: "charge_lines",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "call_id"),
    ...columns(NAME, "meter"),
    ...columns(COUNT, "quantity"),
    ...columns(MONEY, "unit_price_usd", "cost_usd"),
    ...columns(`Nullable(${MONEY})`, "list_unit_price_usd"),
    ...columns(NAME, "price_entry_id", "rating_run_id"),
    ...columns("UInt64", "revision"),
    ...columns("UInt8", "deleted"),
  ],
  engine: { kind: "replacing", version: "revision", deleted: "deleted" },
  orderBy: ["workspace", "call_id", "meter"],
  shardBy: ["workspace", "call_id"],
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

const OUTCOMES: Table = {
  name: "outcomes",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "outcome_id", "task", "run_id", "session_id", "trace_id", "commit", "pull_request"),
    ...columns(NAME, "kind", "status"),
    ...columns("Float64", "weight"),
    ...columns(NAME, "source"),
    // JSON text: evidence is shown whole, never computed with.
    ...columns(TEXT, "evidence"),
    ...columns(INSTANT, "at"),
    ...columns("UInt64", "revision"),
  ],
  engine: { kind: "replacing", version: "revision" },
  orderBy: ["workspace", "outcome_id"],
  shardBy: ["workspace", "outcome_id"],
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

export const TABLES: readonly Table[] = [SPANS, LOGS, METRICS, TRACES, CALLS, CHARGE_LINES, CORRECTIONS, OUTCOMES];
