/**
 * Where traces worked when they began, for who lists them: at the last place with a branch by then, before all of them the
 * first; and for which of the branch's requests, or else of the session's: the next to be opened, after all of them the last.
 */
import type { WorkOfTrace } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";

const MARKS = "work_marks WHERE workspace = {workspace:String}";
const OF_TRACES = "trace_id IN {traceIds:Array(String)}";
const inOrder = (what: string): string => `arraySort(groupArray((at, ${what})))`;

/** A request is opened when it is first seen. */
const selectTold = (by: string, where: string): string =>
  `SELECT ${by}, ${inOrder("pull_request")} AS told FROM (
     SELECT ${by}, pull_request, min(work_marks.at) AS at FROM ${MARKS} AND pull_request != '' AND ${where}
     GROUP BY ${by}, pull_request
   ) GROUP BY ${by}`;

const SELECT_SEEN = `SELECT trace_id, ${inOrder("repository, branch")} AS seen FROM (
    SELECT trace_id, repository, branch, min(work_marks.at) AS at FROM ${MARKS} AND branch != '' AND ${OF_TRACES}
    GROUP BY trace_id, repository, branch
  ) GROUP BY trace_id`;

const SELECT_PLACED = `SELECT own.trace_id AS trace_id, own.session_id AS session_id, own.at AS at,
    if(own.at < seen[1].1, seen[1], arrayLast(one -> one.1 <= own.at, seen)) AS place,
    place.2 AS repository, place.3 AS branch
  FROM (
    SELECT trace_id, identities[1].session_id AS session_id, started_at AS at FROM traces FINAL
    WHERE workspace = {workspace:String} AND ${OF_TRACES}
  ) AS own
  LEFT JOIN (${SELECT_SEEN}) AS places ON own.trace_id = places.trace_id`;

const SELECT_REQUESTED = `SELECT trace_id, repository, branch,
    if(notEmpty(told_of_branch), told_of_branch, of_session.told) AS told,
    multiIf(empty(told), '', told[-1].1 < at, told[-1].2, arrayFirst(one -> one.1 >= at, told).2) AS request
  FROM (
    SELECT placed.*, of_branch.told AS told_of_branch FROM (${SELECT_PLACED}) AS placed
    LEFT JOIN (${selectTold("repository, branch", "branch != ''")}) AS of_branch USING (repository, branch)
  ) AS branched
  LEFT JOIN (${selectTold("session_id", "branch = '' AND session_id != ''")}) AS of_session USING (session_id)`;

type Row = { trace_id: string; repository: string; branch: string; request: string };

/** Those of no known place are left out. */
export async function readWorkOfTraces(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<Map<string, WorkOfTrace>> {
  const rows = await queryInChunks(ids, (traceIds) =>
    connection.query<Row>(
      `SELECT trace_id, repository, branch, request FROM (${SELECT_REQUESTED}) WHERE branch != '' OR request != ''`,
      { workspace, traceIds },
    ),
  );
  return new Map(
    rows.map(({ trace_id, repository, branch, request }) => [trace_id, { repository, branch, pullRequest: request }]),
  );
}
