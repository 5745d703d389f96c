/**
 * A rating run: all calls of a range priced again by a table, in statements over sets. Only what changes is written: the
 * same table a second time writes nothing. Lines go in before their calls, as ever, so that a run which fails half-way
 * is finished by its repetition. Calls of closed months stay, and so do those that were written while it runs.
 */
import { type Books, METERS } from "@centspan/model";
import { COPY_DEADLINE_MS, type Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam } from "../instants.ts";
import { columnOf, type Rating, selectRated } from "../rating/price-sql.ts";
import { CALLS } from "../schema.ts";
import type { Revisions } from "./revisions.ts";

/** Blocks large enough that the store has few parts to merge, and small enough for its memory. */
const SETTINGS = {
  max_insert_threads: "2",
  min_insert_block_size_rows: "500000",
  min_insert_block_size_bytes: "0",
  optimize_on_insert: "0",
};

/** Resolves with how many calls it changed. */
export function rateCalls(
  connection: Connection,
  { revisions, books }: { revisions: Revisions; books: Books },
  workspace: string,
  run: Rating & { ratingRunId: string },
): Promise<number> {
  return books.whileOpen(workspace, async (closedToNs) => {
    const revision = revisions.next(await readLastRevisions(connection, workspace)).toString();
    const rated = selectRated(
      run,
      CALLS.columns.map(({ name }) => name),
      {
        sql: [`posted_at >= ${instantParam("closedToNs")}`, "revision < {revision:UInt64}"],
        params: { closedToNs: closedToNs.toString(), revision },
      },
    );
    const params = { ...rated.params, workspace, revision, ratingRunId: run.ratingRunId };
    await connection.runInsert(insertLines(rated.sql), { params, settings: SETTINGS, deadlineMs: COPY_DEADLINE_MS });
    await connection.runInsert(insertChanged(rated.sql), { params, settings: SETTINGS, deadlineMs: COPY_DEADLINE_MS });
    const [written] = await connection.query<{ calls: string }>(
      "SELECT uniqExact(call_id) AS calls FROM calls WHERE workspace = {workspace:String} AND revision = {revision:UInt64}",
      { workspace, revision },
    );
    return readCount(written?.calls ?? "0");
  });
}

async function readLastRevisions(connection: Connection, workspace: string): Promise<bigint[]> {
  const rows = await connection.query<{ last: string }>(
    `SELECT max(revision) AS last FROM calls WHERE workspace = {workspace:String}
     UNION ALL
     SELECT max(revision) FROM charge_lines WHERE workspace = {workspace:String}`,
    { workspace },
  );
  return rows.map(({ last }) => BigInt(last));
}

/** In the order of the table's key, so that nothing is left to sort. */
const BY_NAME = METERS.toSorted();

/** A call that has no price any more loses the lines that it had. */
const insertLines = (rated: string): string =>
  `INSERT INTO charge_lines (workspace, call_id, meter, quantity, unit_price_usd, cost_usd, list_unit_price_usd,
     price_entry_id, rating_run_id, revision, deleted)
   SELECT workspace, call_id, meter, quantity, if(is_priced, unit, 0), if(is_priced, quantity * unit, 0),
     if(list < 0, NULL, list),
     new_price_id, {ratingRunId:String}, {revision:UInt64}, NOT is_priced
   FROM (
     SELECT workspace, call_id, new_price_id, is_priced, meter, quantity, unit, list
     FROM (${rated})
     ARRAY JOIN
       [${BY_NAME.map((meter) => `'${meter}'`).join(", ")}] AS meter,
       [${BY_NAME.map(columnOf).join(", ")}] AS quantity,
       [${BY_NAME.map((meter) => `unit_${meter}`).join(", ")}] AS unit,
       [${BY_NAME.map((meter) => `list_${meter}`).join(", ")}] AS list
     WHERE is_changed AND quantity > 0 AND (is_priced OR cost_usd IS NOT NULL)
   )`;

/** What the row says anew; 0 is no hash of a content, so the next derivation of the call compares as different. */
const CHANGED: Readonly<Record<string, string>> = {
  cost_status: "new_status",
  cost_usd: "new_cost",
  price_entry_id: "new_price_id",
  content_hash: "0",
  revision: "{revision:UInt64}",
};

const insertChanged = (rated: string): string => {
  const names = CALLS.columns.map(({ name }) => name);
  return `INSERT INTO calls (${names.join(", ")})
   SELECT ${names.map((name) => CHANGED[name] ?? name).join(", ")}
   FROM (${rated})
   WHERE is_changed`;
};
