/** What the calls of one trace come to, span by span, added up by the server: exact for any number of calls. */
import { parseDecimal } from "@centspan/base";
import type { CostStatus, SpanSpend } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { BUCKET_COLUMNS, readBuckets } from "../rows/call-row.ts";

type Row = Parameters<typeof readBuckets>[0] & {
  span_id: string;
  provider: string;
  model: string;
  cost_status: CostStatus;
  quarantine_reason: string;
  calls: string;
  spent_usd: string | null;
};

const KEY = "span_id, provider, model, cost_status, quarantine_reason";

export async function sumTraceCalls(connection: Connection, workspace: string, traceId: string): Promise<SpanSpend[]> {
  const rows = await connection.query<Row>(
    `SELECT ${KEY}, count() AS calls, sum(used.cost_usd) AS spent_usd,
       ${Object.values(BUCKET_COLUMNS)
         .map((column) => `sum(used.${column}) AS ${column}`)
         .join(", ")}
     FROM calls AS used FINAL
     WHERE workspace = {workspace:String} AND trace_id = {traceId:String}
     GROUP BY ${KEY}
     ORDER BY ${KEY}`,
    { workspace, traceId },
  );
  return rows.map((row) => ({
    spanId: row.span_id,
    provider: row.provider,
    model: row.model,
    costStatus: row.cost_status,
    quarantineReason: row.quarantine_reason,
    calls: readCount(row.calls),
    buckets: readBuckets(row),
    costUsd: row.spent_usd === null ? null : parseDecimal(row.spent_usd),
  }));
}
