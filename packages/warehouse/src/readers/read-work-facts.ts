/** What placed work cost, where its traces were, and what was said of it. Other work is not read. */
import { parseDecimal, ZERO } from "@centspan/base";
import type { PlacedSpend, TimeRange, WorkFacts, WorkMark } from "@centspan/model";
import { and, whereInRange } from "../conditions.ts";
import type { Columns, Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { nanoseconds } from "../instants.ts";
import { fromOutcomeRow, OUTCOME_COLUMNS, type OutcomeRow } from "../rows/outcome-row.ts";

type SpendRow = {
  trace_id: string;
  session_id: string;
  at_ns: string;
  last_ns: string;
  spent_usd: string;
  calls: string;
  unpriced: string;
};
type MarkRow = {
  trace_id: string;
  session_id: string;
  repository: string;
  branch: string;
  commit: string;
  pull_request: string;
  patch_id: string;
  at_ns: string;
};

/** Of which a place is known. */
const listPlaced = (column: "trace_id" | "session_id"): string =>
  `(SELECT ${column} FROM work_marks WHERE workspace = {workspace:String} AND ${column} != '')`;
const IS_PLACED = `(trace_id IN ${listPlaced("trace_id")} OR session_id IN ${listPlaced("session_id")})`;
/** What is said of commits, changes and requests may be of any work; a test run, of that which it was seen in. */
const IS_SAID_OF_WORK = `if(kind = 'tests',
    ${IS_PLACED} OR JSONExtractString(evidence, 'traceId') IN ${listPlaced("trace_id")},
    branch != '' OR commit != '' OR pull_request != '' OR patch_id != '')`;

export async function readWorkFacts(
  connection: Connection,
  workspace: string,
  range: TimeRange | undefined,
): Promise<WorkFacts> {
  const [spend, marks, outcomes] = await Promise.all([
    listSpend(connection, workspace, range, { only: IS_PLACED }),
    connection.queryColumns<MarkRow>(
      `SELECT trace_id, session_id, repository, branch, commit, pull_request, patch_id, ${nanoseconds("at")} AS at_ns
       FROM work_marks FINAL WHERE workspace = {workspace:String} ORDER BY at, trace_id, branch, commit, pull_request`,
      { workspace },
    ),
    connection.query<OutcomeRow>(
      `SELECT ${OUTCOME_COLUMNS} FROM outcomes FINAL
       WHERE workspace = {workspace:String} AND kind != 'custom' AND ${IS_SAID_OF_WORK}
       ORDER BY at, outcome_id`,
      { workspace },
    ),
  ]);
  return {
    spend,
    marks: toMarks(marks),
    outcomes: outcomes.map(fromOutcomeRow),
  };
}

/** There are tens of thousands. */
const toMarks = (rows: Columns<MarkRow>): WorkMark[] =>
  rows.trace_id.map((traceId, index) => ({
    traceId,
    sessionId: rows.session_id[index] ?? "",
    repository: rows.repository[index] ?? "",
    branch: rows.branch[index] ?? "",
    commit: rows.commit[index] ?? "",
    pullRequest: rows.pull_request[index] ?? "",
    patchId: rows.patch_id[index] ?? "",
    atNs: BigInt(rows.at_ns[index] ?? ""),
  }));

export const listWorkSeconds = (
  connection: Connection,
  workspace: string,
  range: TimeRange | undefined,
  traceIds: readonly string[],
): Promise<PlacedSpend[]> =>
  listSpend(connection, workspace, range, { only: "trace_id IN {traceIds:Array(String)}", traceIds, bySecond: true });

async function listSpend(
  connection: Connection,
  workspace: string,
  range: TimeRange | undefined,
  { only, traceIds = [], bySecond = false }: { only: string; traceIds?: readonly string[]; bySecond?: boolean },
): Promise<PlacedSpend[]> {
  const where = whereInRange(range === undefined ? {} : { range }, "at");
  const spend = await connection.queryColumns<SpendRow>(
    `SELECT trace_id, session_id, ${nanoseconds("min(at)")} AS at_ns, ${nanoseconds("max(at)")} AS last_ns,
       sum(cost_usd) AS spent_usd, sum(requests) AS calls, sumIf(requests, isNull(cost_usd)) AS unpriced
     FROM calls FINAL WHERE workspace = {workspace:String} AND ${only}${and(where)}
     GROUP BY trace_id, session_id${bySecond ? ", toStartOfSecond(at)" : ""}`,
    { ...where.params, workspace, traceIds },
  );
  return spend.trace_id.map((traceId, index) => ({
    traceId,
    sessionId: spend.session_id[index] ?? "",
    atNs: BigInt(spend.at_ns[index] ?? ""),
    lastNs: BigInt(spend.last_ns[index] ?? ""),
    costUsd: spend.spent_usd[index] ? parseDecimal(spend.spent_usd[index]) : ZERO,
    calls: readCount(spend.calls[index] ?? ""),
    unpricedCalls: readCount(spend.unpriced[index] ?? ""),
  }));
}
