/**
 * What runs came to, for rules of completion: of the last model call, of the root, and of all spans. A run is finished once its
 * root has come, which ends last.
 */
import type { FinishedRun, FinishedRunStore } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";

type Row = {
  trace_id: string;
  task: string;
  root: Record<string, string>;
  root_status: string;
  ended_ns: string;
  summed_up_ns: string;
  errors: string;
  finish_reason: string;
  http_status: string;
  error_type: string;
  exit_code: string;
};

const LAST = (attribute: string): string =>
  `argMaxIf(attributes['${attribute}'], (ended_at, span_id), attributes['${attribute}'] != '')`;

export async function listFinishedRuns(
  connection: Connection,
  workspace: string,
  sinceNs: bigint,
): ReturnType<FinishedRunStore["listFinishedRuns"]> {
  const [now] = await connection.query<{ now_ns: string }>(`SELECT ${nanoseconds("now64(9)")} AS now_ns`);
  const rows = await connection.query<Row>(
    `WITH runs AS (
       SELECT trace_id, task, revision FROM traces FINAL
       WHERE workspace = {workspace:String} AND has_root AND revision >= {sinceNs:Int64}
     )
     SELECT trace_id, any_value(run.task) AS task, any_value(run.revision) AS summed_up_ns,
       anyIf(attributes, parent_span_id = '') AS root, anyIf(toString(status), parent_span_id = '') AS root_status,
       ${nanoseconds("maxIf(ended_at, parent_span_id = '')")} AS ended_ns,
       countIf(status = 'error') AS errors,
       ${LAST("gen_ai.response.finish_reasons")} AS finish_reason,
       ${LAST("http.response.status_code")} AS http_status,
       ${LAST("error.type")} AS error_type,
       ${LAST("process.exit.code")} AS exit_code
     FROM (
       SELECT trace_id, span_id, parent_span_id, status, ended_at, attributes FROM spans
       WHERE workspace = {workspace:String} AND trace_id IN (SELECT trace_id FROM runs)
       ${FIRST_RECEIVED}
     ) AS span
     INNER JOIN runs AS run USING (trace_id)
     GROUP BY trace_id
     ORDER BY ended_ns, trace_id`,
    { workspace, sinceNs: sinceNs.toString() },
  );
  return { runs: rows.map(toFacts), asOfNs: BigInt(now?.now_ns ?? 0) };
}

/** Lists of one are written as JSON in an attribute. */
const firstOf = (list: string): string => /^\["?([^",\]]*)/.exec(list)?.[1] ?? list;

const toFacts = (row: Row): FinishedRun => ({
  traceId: row.trace_id,
  task: row.task,
  taskType: row.root["centspan.task.type"] ?? "",
  endedAtNs: BigInt(row.ended_ns),
  summedUpAtNs: BigInt(row.summed_up_ns),
  facts: {
    finishReason: firstOf(row.finish_reason),
    httpStatus: row.http_status,
    rootStatus: row.root_status,
    errorType: row.error_type,
    exitCode: row.exit_code,
    errors: row.errors,
    turns: row.root["centspan.run.turns"] ?? "",
  },
  attributes: row.root,
});
