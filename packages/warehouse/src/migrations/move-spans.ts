/**
 * Moves spans into a table with another partition key, which only a new table can have. The old one is renamed once, to
 * a name that stays taken for ever: whoever comes late with the same rename fails, whatever has happened since. Then
 * the new table is made and filled; rows copied twice are one row. Only a whole copy empties the old table.
 */
import { COPY_DEADLINE_MS, type Connection } from "../connection.ts";
import { readPartitionKeys, renameOnce } from "./rename-once.ts";

const OLD = "spans_by_start";

/** A database that was made in the new shape has nothing to move. `createTables` makes what is not there. */
export async function moveSpans(connection: Connection, createTables: () => Promise<void>): Promise<void> {
  const partitionKeys = await readPartitionKeys(connection, ["spans", OLD]);
  const isOld = partitionKeys.get("spans") === "toYYYYMM(started_at)";
  if (isOld) await renameOnce(connection, "spans", OLD);
  await createTables();
  if (!isOld && !partitionKeys.has(OLD)) return;
  await connection.command(COPY, {}, COPY_DEADLINE_MS);
  await connection.command(`TRUNCATE TABLE ${OLD}`);
}

const USAGE_ATTRIBUTE =
  "(^|[._])usage([._]|$)|(^|[._])token_?counts?([._]|$)|(^|[._])(input|output|prompt|completion)_tokens$";
const SESSION_ATTRIBUTES = ["gen_ai.conversation.id", "session.id", "conversation.id", "thread.id"];

/** Columns of the first version, and what blocks bring beside them, lifted out of the attributes as it was then. */
const MOVED = {
  ...Object.fromEntries(
    [
      ...["workspace", "trace_id", "span_id", "parent_span_id", "name", "kind", "service", "started_at", "ended_at"],
      ...["status", "status_message", "attributes", "resource_attributes", "scope_name", "events", "links"],
      "received_at",
    ].map((name) => [name, name]),
  ),
  layer: "if(attributes['centspan.layer'] IN ('harness', 'api', 'inference'), attributes['centspan.layer'], 'other')",
  team: "attributes['centspan.team.id']",
  model: "attributes['gen_ai.request.model']",
  task: "attributes['centspan.task.id']",
  run_id: "attributes['centspan.run.id']",
  session_id: `arrayFirst(id -> id != '', [${SESSION_ATTRIBUTES.map((name) => `attributes['${name}']`).join(", ")}])`,
  may_be_call: `arrayExists(key -> match(key, '${USAGE_ATTRIBUTE}'), mapKeys(attributes))
    OR attributes['gen_ai.operation.name'] NOT IN ('', 'invoke_agent', 'create_agent', 'execute_tool')
    OR attributes['openinference.span.kind'] = 'LLM'`,
  of_replica: "parent_span_id = '' AND name IN ('inference.decode.step', 'inference.kv.evict')",
};

const COPY = `INSERT INTO spans (${Object.keys(MOVED).join(", ")})
SELECT ${Object.values(MOVED).join(", ")} FROM ${OLD}
SETTINGS max_partitions_per_insert_block = 0`;
