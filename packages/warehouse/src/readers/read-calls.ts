/** Calls by their ids, each with its charge lines. */
import type { RatedCall } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { type CallRow, fromCallRow, selectWithLines } from "../rows/call-row.ts";

export async function readCalls(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<RatedCall[]> {
  const rows = await queryInChunks(ids.toSorted(), (callIds) =>
    connection.query<CallRow>(
      selectWithLines(
        "SELECT * FROM calls FINAL WHERE workspace = {workspace:String} AND call_id IN {callIds:Array(String)}",
      ),
      { workspace, callIds },
    ),
  );
  return rows.map(fromCallRow);
}
