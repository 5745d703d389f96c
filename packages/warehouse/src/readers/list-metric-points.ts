/**
 * Data points of metrics, newest first. A point is one instant of one series; of several values for it the first that
 * was received counts, and is marked.
 */
import type { MetricFilter, MetricPoint, Page, PageRequest } from "@centspan/model";
import { allOf, and, type Conditions, whereColumns, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { cutPage, readNumberedCursor } from "../cursor.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { fromMetricRow, METRIC_COLUMNS, type MetricRow } from "../rows/metric-row.ts";

export async function listMetricPoints(
  connection: Connection,
  workspace: string,
  filter: MetricFilter,
  page: PageRequest,
): Promise<Page<MetricPoint>> {
  const where = allOf(
    whereInRange(filter, "at"),
    whereColumns({ name: filter.name, service: filter.service, session_id: filter.sessionId }),
    whereBehind(page),
  );
  const rows = await connection.query<MetricRow>(
    `SELECT ${METRIC_COLUMNS} FROM metrics
     WHERE workspace = {workspace:String}${and(where)}
     ORDER BY at DESC, series DESC, started_at DESC, received_at, content_hash
     LIMIT 1 BY at, series, started_at
     LIMIT {limit:UInt32}`,
    { ...where.params, workspace, limit: page.limit + 1 },
  );
  const { data, nextCursor } = cutPage(rows, page.limit, ({ at_ns, series, started_ns }) => ({
    atNs: BigInt(at_ns),
    id: `${series}.${started_ns}`,
  }));
  const contested = await findContested(connection, workspace, data);
  return { data: data.map((row) => fromMetricRow(row, contested.has(keyOf(row)))), nextCursor };
}

type Key = Pick<MetricRow, "at_ns" | "series" | "started_ns">;
const keyOf = ({ at_ns, series, started_ns }: Key): string => `${at_ns} ${series} ${started_ns}`;

async function findContested(
  connection: Connection,
  workspace: string,
  rows: readonly MetricRow[],
): Promise<ReadonlySet<string>> {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (newest === undefined || oldest === undefined) return new Set();
  const names = [...new Set(rows.map(({ name }) => name))];
  const found = await connection.query<Key>(
    `SELECT ${nanoseconds("at")} AS at_ns, series, ${nanoseconds("started_at")} AS started_ns FROM metrics
     WHERE workspace = {workspace:String} AND name IN {names:Array(String)}
       AND at BETWEEN ${instantParam("fromNs")} AND ${instantParam("toNs")}
     GROUP BY at, series, started_at
     HAVING uniqExact(content_hash) > 1`,
    { workspace, names, fromNs: oldest.at_ns, toNs: newest.at_ns },
  );
  return new Set(found.map(keyOf));
}

function whereBehind(page: PageRequest): Conditions {
  if (page.cursor === null) return { sql: [], params: {} };
  const { atNs, numbers } = readNumberedCursor(page.cursor, 2);
  const [series, startedNs] = numbers;
  return {
    sql: [
      `at <= ${instantParam("cursorNs")}`,
      `(at, series, ${nanoseconds("started_at")})
         < (${instantParam("cursorNs")}, {series:UInt64}, {startedNs:UInt64})`,
    ],
    params: { cursorNs: atNs.toString(), series, startedNs },
  };
}
