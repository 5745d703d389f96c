/** Which calls stand at some traces, without what they say. */
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";

export async function listCallIds(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await queryInChunks(ids, (traceIds) =>
    connection.query<{ call_id: string }>(
      `SELECT call_id FROM calls FINAL
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)}`,
      { workspace, traceIds },
    ),
  );
  return rows.map(({ call_id }) => call_id);
}
