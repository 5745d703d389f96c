/** Which calls stand at some traces, without what they say. */
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { instantParam } from "../instants.ts";

export async function listCallIds(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
  fromNs: bigint,
): Promise<string[]> {
  return queryInChunks(ids, async (traceIds) => {
    const { call_id } = await connection.queryColumns<{ call_id: string }>(
      `SELECT call_id FROM calls FINAL
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)}
         AND at >= ${instantParam("fromNs")}`,
      { workspace, traceIds, fromNs: fromNs.toString() },
    );
    return call_id;
  });
}
