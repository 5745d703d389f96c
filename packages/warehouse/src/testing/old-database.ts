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

/** Tables that have changed only by columns that came later. */
const KEPT_TABLES = ["calls", "charge_lines", "outcomes"];
const LATER_COLUMNS = ["ttft_ms", "region", "web_searches", "list_unit_price_usd", "posted_at"];

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
    await connection.command(renderCreateTable({ ...table, columns }));
  }
  for (let done = 1; done <= version; done += 1) {
    await connection.insert("schema_migrations", [{ version: done, name: "old" }]);
  }
  await connection.insert(
    "spans",
    spans.map((span) => ({ workspace: "w", ended_at: span.started_at, ...span })),
  );
}
