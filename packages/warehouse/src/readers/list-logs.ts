/** Log records, newest first. A record is told from another by where it stood in its request: a retry shows once. */
import type { LogFilter, LogRecord, Page, PageRequest } from "@centspan/model";
import { allOf, and, type Conditions, whereAttribute, whereColumns, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { cutPage, readNumberedCursor } from "../cursor.ts";
import { instantParam } from "../instants.ts";
import { fromLogRow, LOG_COLUMNS, type LogRow } from "../rows/log-row.ts";

type Row = LogRow & { content_hash: string; request_hash: string; position: number };

/** The table's own order backwards, so that only what is on the page is read. */
const NEWEST_FIRST = "ORDER BY at DESC, content_hash DESC, request_hash DESC, position DESC";

export async function listLogs(
  connection: Connection,
  workspace: string,
  filter: LogFilter,
  page: PageRequest,
): Promise<Page<LogRecord>> {
  const where = allOf(
    whereInRange(filter, "at"),
    whereColumns({
      trace_id: filter.traceId,
      session_id: filter.sessionId,
      service: filter.service,
      event_name: filter.eventName,
    }),
    whereAttribute(filter.attribute),
    whereBehind(page),
  );
  const rows = await connection.query<Row>(
    `SELECT ${LOG_COLUMNS}, content_hash, request_hash, position FROM logs
     WHERE workspace = {workspace:String}${and(where)}
     ${NEWEST_FIRST}
     LIMIT 1 BY at, content_hash, request_hash, position
     LIMIT {limit:UInt32}`,
    { ...where.params, workspace, limit: page.limit + 1 },
  );
  const { data, nextCursor } = cutPage(rows, page.limit, ({ at_ns, content_hash, request_hash, position }) => ({
    atNs: BigInt(at_ns),
    id: `${content_hash}.${request_hash}.${position}`,
  }));
  return { data: data.map(fromLogRow), nextCursor };
}

function whereBehind(page: PageRequest): Conditions {
  if (page.cursor === null) return { sql: [], params: {} };
  const { atNs, numbers } = readNumberedCursor(page.cursor, 3);
  const [contentHash, requestHash, position] = numbers;
  return {
    sql: [
      `at <= ${instantParam("cursorNs")}`,
      `(at, content_hash, request_hash, position)
         < (${instantParam("cursorNs")}, {contentHash:UInt64}, {requestHash:UInt64}, {position:UInt64})`,
    ],
    params: { cursorNs: atNs.toString(), contentHash, requestHash, position },
  };
}
