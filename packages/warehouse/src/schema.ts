/**
 * The ClickHouse tables as data: the one source of their DDL, for one server now and for a cluster later.
 * Invariants: every table is keyed by workspace first; inserting the same row again changes nothing; the order of
 * merges never shows, so readers deduplicate themselves. Changing one: edit it here, and append a migration whose
 * statements bring existing databases to the same shape.
 */

import { assert } from "@centspan/base";

type Column = {
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
  indexes?: readonly { name: string; expression: string; type: string; granularity: number }[];
};

const TEXT = "String";
const NAME = "LowCardinality(String)";
const INSTANT = "DateTime64(9, 'UTC')";
const MONEY = "Decimal(38, 12)";
const ATTRIBUTES = "Map(LowCardinality(String), String)";
const COUNT = "UInt64";

const columns = (type: string, ...names: string[]): Column[] => names.map((name) => ({ name, type }));

/** Attributes that carry token usage in any emitter's dialect. */
const USAGE_ATTRIBUTE =
  "(^|[._])usage([._]|$)|(^|[._])token_?counts?([._]|$)|(^|[._])(input|output|prompt|completion)_tokens$";

/** Wider than what is billed, which the rules decide: spans with usage, and model spans that came without any. */
const MAY_BE_CALL = `arrayExists(key -> match(key, '${USAGE_ATTRIBUTE}'), mapKeys(attributes))
    OR attributes['gen_ai.operation.name'] NOT IN ('', 'invoke_agent', 'create_agent', 'execute_tool')
    OR attributes['openinference.span.kind'] = 'LLM'`;

export const SPANS: Table = {
  name: "spans",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "trace_id", "span_id", "parent_span_id"),
    ...columns(NAME, "name", "kind", "service"),
    ...columns(INSTANT, "started_at", "ended_at"),
    ...columns(NAME, "status"),
    ...columns(TEXT, "status_message"),
    ...columns(ATTRIBUTES, "attributes", "resource_attributes"),
    ...columns(NAME, "scope_name"),
    { name: "events", type: `Array(Tuple(at ${INSTANT}, name LowCardinality(String), attributes ${ATTRIBUTES}))` },
    { name: "links", type: `Array(Tuple(trace_id String, span_id String, attributes ${ATTRIBUTES}))` },
    ...columns("UInt64", "content_hash"),
    { name: "received_at", type: INSTANT, default: "now64(9)" },
    {
      name: "layer",
      type: NAME,
      materialized:
        "if(attributes['centspan.layer'] IN ('harness', 'api', 'inference'), attributes['centspan.layer'], 'other')",
    },
    { name: "may_be_call", type: "Bool", materialized: MAY_BE_CALL },
    // An engine's steps and evictions serve many runs at once: they belong to a replica and are nobody's run.
    {
      name: "of_replica",
      type: "Bool",
      materialized: "parent_span_id = '' AND name IN ('inference.decode.step', 'inference.kv.evict')",
    },
    { name: "task", type: TEXT, materialized: "attributes['centspan.task.id']" },
    { name: "run_id", type: TEXT, materialized: "attributes['centspan.run.id']" },
    { name: "team", type: NAME, materialized: "attributes['centspan.team.id']" },
    // Greatest for the first delivery, so that merging exact retries keeps the instant of the first.
    {
      name: "precedence",
      type: "UInt64",
      materialized: "18446744073709551615 - toUInt64(toUnixTimestamp64Nano(received_at))",
    },
  ],
  engine: { kind: "replacing", version: "precedence" },
  orderBy: ["workspace", "trace_id", "span_id", "content_hash"],
  partitionBy: "toYYYYMM(started_at)",
  indexes: [
    { name: "by_start", expression: "started_at", type: "minmax", granularity: 1 },
    { name: "by_receipt", expression: "received_at", type: "minmax", granularity: 1 },
    { name: "by_span", expression: "span_id", type: "bloom_filter(0.01)", granularity: 1 },
  ],
};

const CALLS: Table = {
  name: "calls",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "call_id", "trace_id", "span_id"),
    ...columns(INSTANT, "at"),
    ...columns("Int64", "duration_ns"),
    ...columns(NAME, "key_id", "key", "team"),
    ...columns(TEXT, "task"),
    ...columns(NAME, "task_type"),
    ...columns(TEXT, "run_id", "session_id"),
    ...columns(NAME, "role", "repository", "harness_version"),
    ...columns(NAME, "provider", "model", "effort", "service_tier"),
    ...columns(TEXT, "response_id"),
    ...columns(NAME, "source", "dialect", "input_semantics"),
    ...columns(COUNT, "requests"),
    ...columns(COUNT, "input", "cache_read", "cache_write_5m", "cache_write_1h", "output_text", "output_reasoning"),
    ...columns(NAME, "cost_status"),
    ...columns(`Nullable(${MONEY})`, "cost_usd", "provided_cost_usd"),
    ...columns(NAME, "provenance"),
    ...columns(TEXT, "quarantine_reason"),
    ...columns("UInt64", "content_hash", "revision"),
    ...columns("UInt8", "deleted"),
  ],
  engine: { kind: "replacing", version: "revision", deleted: "deleted" },
  orderBy: ["workspace", "call_id"],
  indexes: [
    { name: "by_instant", expression: "at", type: "minmax", granularity: 1 },
    { name: "by_trace", expression: "trace_id", type: "bloom_filter(0.01)", granularity: 1 },
  ],
};

const CHARGE_LINES: Table = {
  name: "charge_lines",
  columns: [
    ...columns(NAME, "workspace"),
    ...columns(TEXT, "call_id"),
    ...columns(NAME, "meter"),
    ...columns(COUNT, "quantity"),
    ...columns(MONEY, "unit_price_usd", "cost_usd"),
    ...columns(NAME, "price_entry_id", "rating_run_id"),
    ...columns("UInt64", "revision"),
    ...columns("UInt8", "deleted"),
  ],
  engine: { kind: "replacing", version: "revision", deleted: "deleted" },
  orderBy: ["workspace", "call_id", "meter"],
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
};

export const TABLES: readonly Table[] = [SPANS, CALLS, CHARGE_LINES, OUTCOMES];

/** `CREATE TABLE IF NOT EXISTS` for a single server. */
export function renderCreateTable(table: Table): string {
  const body = [
    ...table.columns.map(renderColumn),
    ...(table.indexes ?? []).map(
      ({ name, expression, type, granularity }) =>
        `INDEX ${name} ${expression} TYPE ${type} GRANULARITY ${granularity}`,
    ),
  ];
  const { version, deleted } = table.engine;
  return [
    `CREATE TABLE IF NOT EXISTS ${table.name} (`,
    body.map((line) => `  ${line}`).join(",\n"),
    `) ENGINE = ReplacingMergeTree(${[version, deleted].filter(Boolean).join(", ")})`,
    ...(table.partitionBy === undefined ? [] : [`PARTITION BY ${table.partitionBy}`]),
    `ORDER BY (${table.orderBy.join(", ")})`,
  ].join("\n");
}

/** Brings a column of `table` to databases that were made before it; its values there are computed when read. */
export function renderAddColumn(table: Table, name: string): string {
  const column = table.columns.find((candidate) => candidate.name === name);
  assert(column, `a column of ${table.name}, not ${name}`);
  return `ALTER TABLE ${table.name} ADD COLUMN IF NOT EXISTS ${renderColumn(column)}`;
}

function renderColumn(column: Column): string {
  const clauses = [`\`${column.name}\``, column.type];
  if (column.default !== undefined) clauses.push(`DEFAULT ${column.default}`);
  if (column.materialized !== undefined) clauses.push(`MATERIALIZED ${column.materialized}`);
  return clauses.join(" ");
}
