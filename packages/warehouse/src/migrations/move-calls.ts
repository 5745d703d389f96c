/**
 * Moves calls into a table by days, and their charge lines, which had a table of their own, into their rows. Of each call
 * the version that counts is copied: another one may be of another day. Copying twice changes nothing. The lines are
 * dropped when all is copied; a copy that another process still makes then keeps the lines that it began with, and one
 * that finds them gone fails: its start looks again at what is there.
 */
import { COPY_DEADLINE_MS, type Connection } from "../connection.ts";
import { readPartitionKeys, renameOnce } from "./rename-once.ts";

const OLD = "calls_with_lines_apart";

/** A database that was made in the new shape has no table of lines. `createTables` makes what is not there. */
export async function moveCalls(connection: Connection, createTables: () => Promise<void>): Promise<void> {
  const partitionKeys = await readPartitionKeys(connection, ["calls", "charge_lines"]);
  if (partitionKeys.get("calls") === "") await renameOnce(connection, "calls", OLD);
  await createTables();
  if (!partitionKeys.has("charge_lines")) return;
  await connection.command(
    "ALTER TABLE charge_lines ADD COLUMN IF NOT EXISTS list_unit_price_usd Nullable(Decimal(38, 12))",
  );
  await connection.command(COPY, {}, COPY_DEADLINE_MS);
  await connection.command("INSERT INTO call_times SELECT workspace, call_id, at FROM calls", {}, COPY_DEADLINE_MS);
  await connection.command(MARK_DAYS, {}, COPY_DEADLINE_MS);
  await connection.command("DROP TABLE IF EXISTS charge_lines");
  await connection.command(`TRUNCATE TABLE ${OLD}`);
}

const KEPT = [
  ...[
    "workspace",
    "call_id",
    "trace_id",
    "span_id",
    "at",
    "posted_at",
    "duration_ns",
    "ttft_ms",
    "key_id",
    "key",
    "team",
  ],
  ...[
    "task",
    "task_type",
    "run_id",
    "session_id",
    "role",
    "repository",
    "harness_version",
    "provider",
    "model",
    "effort",
  ],
  ...[
    "service_tier",
    "region",
    "response_id",
    "source",
    "dialect",
    "input_semantics",
    "requests",
    "input",
    "cache_read",
  ],
  ...["cache_write_5m", "cache_write_1h", "output_text", "output_reasoning", "web_searches", "cost_status", "cost_usd"],
  ...["provided_cost_usd", "provenance", "quarantine_reason", "content_hash", "revision"],
].join(", ");

/** Both sides are in the order of their keys, so neither has to fit into memory. */
const COPY = `INSERT INTO calls (${KEPT}, price_entry_id, rating_run_id, lines)
SELECT ${KEPT}, if(price_entry_id = '', line_entry_id, price_entry_id), line_run_id, call_lines
FROM (SELECT * FROM ${OLD} FINAL) AS old
LEFT JOIN (
  SELECT workspace, call_id, min(price_entry_id) AS line_entry_id, min(rating_run_id) AS line_run_id,
    groupArray((meter, quantity, unit_price_usd, list_unit_price_usd, cost_usd)) AS call_lines
  FROM charge_lines FINAL
  GROUP BY workspace, call_id
) AS charged USING (workspace, call_id)
SETTINGS join_algorithm = 'full_sorting_merge', optimize_aggregation_in_order = 1, max_partitions_per_insert_block = 0`;

/** The least revision there is: whatever was found out about a day since counts. */
const MARK_DAYS = `INSERT INTO cost_days (workspace, time_zone, from_at, to_at, revision)
SELECT DISTINCT workspace, 'UTC', toStartOfDay(at) AS from_at, from_at + INTERVAL 1 DAY, 1
FROM calls`;
