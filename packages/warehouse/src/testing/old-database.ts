/** A database as the first two versions of the schema made it, with their own words: what migrations start from. */
import type { Connection } from "../connection.ts";
import { renderCreateTable } from "../render-schema.ts";
import { TABLES } from "../schema.ts";

const USAGE_ATTRIBUTE =
  "(^|[._])usage([._]|$)|(^|[._])token_?counts?([._]|$)|(^|[._])(input|output|prompt|completion)_tokens$";

const OWN_COLUMN = {
  1: `has_usage Bool MATERIALIZED arrayExists(key -> match(key, '${USAGE_ATTRIBUTE}'), mapKeys(attributes))`,
  2: `may_be_call Bool MATERIALIZED arrayExists(key -> match(key, '${USAGE_ATTRIBUTE}'), mapKeys(attributes))
    OR attributes['gen_ai.operation.name'] NOT IN ('', 'invoke_agent', 'create_agent', 'execute_tool')
    OR attributes['openinference.span.kind'] = 'LLM'`,
};

const createSpans = (version: 1 | 2): string => `CREATE TABLE spans (
  workspace LowCardinality(String),
  trace_id String,
  span_id String,
  parent_span_id String,
  name LowCardinality(String),
  kind LowCardinality(String),
  service LowCardinality(String),
  started_at DateTime64(9, 'UTC'),
  ended_at DateTime64(9, 'UTC'),
  status LowCardinality(String),
  status_message String,
  attributes Map(LowCardinality(String), String),
  resource_attributes Map(LowCardinality(String), String),
  scope_name LowCardinality(String),
  events Array(Tuple(at DateTime64(9, 'UTC'), name LowCardinality(String), attributes Map(LowCardinality(String), String))),
  links Array(Tuple(trace_id String, span_id String, attributes Map(LowCardinality(String), String))),
  content_hash UInt64,
  received_at DateTime64(9, 'UTC') DEFAULT now64(9),
  layer LowCardinality(String)
    MATERIALIZED if(attributes['centspan.layer'] IN ('harness', 'api', 'inference'), attributes['centspan.layer'], 'other'),
  ${OWN_COLUMN[version]},
  of_replica Bool MATERIALIZED parent_span_id = '' AND name IN ('inference.decode.step', 'inference.kv.evict'),
  task String MATERIALIZED attributes['centspan.task.id'],
  run_id String MATERIALIZED attributes['centspan.run.id'],
  team LowCardinality(String) MATERIALIZED attributes['centspan.team.id'],
  precedence UInt64 MATERIALIZED 18446744073709551615 - toUInt64(toUnixTimestamp64Nano(received_at)),
  INDEX by_start started_at TYPE minmax GRANULARITY 1,
  INDEX by_receipt received_at TYPE minmax GRANULARITY 1,
  INDEX by_span span_id TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(started_at)
ORDER BY (workspace, trace_id, span_id, content_hash)`;

const CREATE_LOG = `CREATE TABLE schema_migrations (
  version UInt32,
  name String,
  applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
) ENGINE = ReplacingMergeTree
ORDER BY version`;

/** Their columns were there already but for those that came later, of which calls then had no partition. */
const KEPT_TABLES = ["calls", "outcomes"];
const LATER_COLUMNS = [
  "ttft_ms",
  "region",
  "web_searches",
  "price_entry_id",
  "posted_at",
  "rating_run_id",
  "lines",
  "usage_provenance",
];

const CREATE_LINES = `CREATE TABLE charge_lines (
  workspace LowCardinality(String),
  call_id String,
  meter LowCardinality(String),
  quantity UInt64,
  unit_price_usd Decimal(38, 12),
  cost_usd Decimal(38, 12),
  price_entry_id LowCardinality(String),
  rating_run_id LowCardinality(String),
  revision UInt64,
  deleted UInt8
) ENGINE = ReplacingMergeTree(revision, deleted)
ORDER BY (workspace, call_id, meter)`;

export type OldSpan = {
  trace_id: string;
  span_id: string;
  name: string;
  attributes?: Record<string, string>;
  content_hash: string;
  started_at: string;
  received_at: string;
};

export async function makeOldDatabase(connection: Connection, version: 1 | 2, spans: OldSpan[]): Promise<void> {
  await connection.ensureDatabase();
  await connection.command(CREATE_LOG);
  await connection.command(createSpans(version));
  for (const table of TABLES.filter(({ name }) => KEPT_TABLES.includes(name))) {
    const columns = table.columns.filter(({ name }) => !LATER_COLUMNS.includes(name));
    const { partitionBy: _days, ...whole } = { ...table, columns };
    await connection.command(renderCreateTable(whole));
  }
  await connection.command(CREATE_LINES);
  for (let done = 1; done <= version; done += 1) {
    await connection.insert("schema_migrations", [{ version: done, name: "old" }]);
  }
  await connection.insert(
    "spans",
    spans.map((span) => ({ workspace: "w", ended_at: span.started_at, ...span })),
  );
  await insertOldCalls(connection);
}

/** A call that moved to another day, with a line that it no longer has, and one that was withdrawn. */
async function insertOldCalls(connection: Connection): Promise<void> {
  const call = { workspace: "w", call_id: "moved", model: "m", provenance: "measured", requests: 1, input: 2 };
  await connection.insert("calls", [
    { ...call, at: "2026-10-01 00:00:00", revision: 5, cost_status: "rated", cost_usd: "9" },
    { ...call, at: "2026-11-01 00:00:00", revision: 6, cost_status: "rated", cost_usd: "3" },
    { ...call, call_id: "withdrawn", at: "2026-11-01 00:00:00", revision: 5 },
    { workspace: "w", call_id: "withdrawn", revision: 6, deleted: 1 },
  ]);
  const line = { workspace: "w", call_id: "moved", quantity: 2, price_entry_id: "entry", rating_run_id: "run" };
  await connection.insert("charge_lines", [
    { ...line, meter: "input", unit_price_usd: "1.5", cost_usd: "3", revision: 6 },
    { ...line, meter: "cache_read", unit_price_usd: "3", cost_usd: "6", revision: 5 },
    { ...line, meter: "cache_read", revision: 6, deleted: 1 },
  ]);
}
