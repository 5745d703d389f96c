/** Calls by their ids, each with its charge lines. */
import type { RatedCall } from "@centspan/model";
import { queryEach, splitByCount } from "../chunks.ts";
import { and, whereCallIds } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { CALL_COLUMNS, type CallRow, fromCallRow } from "../rows/call-row.ts";

const CALLS_PER_QUERY = 10_000;

export async function readCalls(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<RatedCall[]> {
  const rows = await queryEach(splitByCount(ids.toSorted(), CALLS_PER_QUERY), (callIds) => {
    const ofCalls = whereCallIds(callIds);
    return connection.query<CallRow>(
      `SELECT ${CALL_COLUMNS} FROM calls FINAL WHERE workspace = {workspace:String}${and(ofCalls)}`,
      { ...ofCalls.params, workspace },
    );
  });
  return rows.map(fromCallRow);
}
