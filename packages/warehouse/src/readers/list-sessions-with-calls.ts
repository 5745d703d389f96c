/** Which sessions have calls. */
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";

export async function listSessionsWithCalls(
  connection: Connection,
  workspace: string,
  sessionIds: readonly string[],
): Promise<string[]> {
  const rows = await queryInChunks(sessionIds, (chunk) =>
    connection.query<{ session_id: string }>(
      `SELECT DISTINCT session_id FROM calls FINAL
       WHERE workspace = {workspace:String} AND session_id IN {sessionIds:Array(String)}`,
      { workspace, sessionIds: chunk },
    ),
  );
  return rows.map(({ session_id }) => session_id);
}
