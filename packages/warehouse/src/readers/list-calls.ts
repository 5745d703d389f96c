/** Calls, newest first, each with its charge lines. */
import type { CallFilter, Page, PageRequest, RatedCall } from "@centspan/model";
import { allOf, and, whereBehindCursor, whereColumns, whereEquals, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { cutPage } from "../cursor.ts";
import { CALL_COLUMNS, type CallRow, fromCallRow } from "../rows/call-row.ts";

export async function listCalls(
  connection: Connection,
  workspace: string,
  filter: CallFilter & { spanId?: string },
  page: PageRequest,
): Promise<Page<RatedCall>> {
  const where = allOf(
    whereEquals(filter),
    whereColumns({ span_id: filter.spanId }),
    whereInRange(filter, "at"),
    whereBehindCursor(page, "at", "call_id"),
  );
  const rows = await connection.query<CallRow>(
    `SELECT ${CALL_COLUMNS} FROM calls FINAL
     WHERE workspace = {workspace:String}${and(where)}
     ORDER BY at DESC, call_id DESC
     LIMIT {limit:UInt32}`,
    { ...where.params, workspace, limit: page.limit + 1 },
  );
  return cutPage(rows.map(fromCallRow), page.limit, ({ atNs, callId }) => ({ atNs, id: callId }));
}
