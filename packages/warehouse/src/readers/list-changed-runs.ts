/**
 * Runs with news, in every workspace: calls that were rated, traces of which spans have come, and outcomes that came or
 * were linked otherwise. Late spans and outcomes change what is known of calls that are long over. A call that is withdrawn, no longer watched or of another run
 * now is news of the runs that have items of it, too.
 */
import type { WasteStore } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { IS_WATCHED, RUN_NAME } from "./runs.ts";
import { LINK_COLUMNS, type LinkKind, linkTo, RUN_LINKS } from "./verdicts.ts";

type Row = { workspace: string; run: string; trace_ids: string[]; seen_ns: string };

/** Outcomes that came since, or were decided on. */
const TOLD = `SELECT workspace, outcome_id, max(revision) AS latest FROM (
    SELECT workspace, outcome_id, revision FROM outcomes WHERE revision >= {sinceNs:UInt64}
    UNION ALL
    SELECT workspace, outcome_id, revision FROM outcome_links WHERE revision >= {sinceNs:UInt64}
  ) GROUP BY workspace, outcome_id`;

/** All that they name and that they are of, or were before, and sessions that are of other work since. */
const NAMED = `SELECT workspace, arrayJoin([${RUN_LINKS.map((kind) => linkTo(kind, LINK_COLUMNS[kind])).join(", ")}]) AS link, latest
  FROM outcomes INNER JOIN (${TOLD}) AS told USING (workspace, outcome_id)
  UNION ALL
  SELECT workspace, ('task', arrayJoin(tasks)) AS link, latest
  FROM outcome_links INNER JOIN (${TOLD}) AS told USING (workspace, outcome_id)
  UNION ALL
  SELECT workspace, ${linkTo("task", "task")} AS link, revision AS latest FROM work_stretches WHERE revision >= {sinceNs:UInt64}`;

/** A piece of work stands for the sessions that were on it. */
const NEWS_OF_OUTCOMES = `SELECT workspace, link, latest FROM (${NAMED})
  UNION ALL
  SELECT workspace, ${linkTo("task", "task")} AS link, latest
  FROM (SELECT workspace, task, work FROM work_stretches) AS stretches
  INNER JOIN (SELECT workspace, link.2 AS work, latest FROM (${NAMED}) WHERE link.1 = 'task') AS named USING (workspace, work)`;

/** Calls at which such news may be, by what it names. */
function ofOutcome(kind: LinkKind): string {
  const column = LINK_COLUMNS[kind];
  return `SELECT workspace, run_id, session_id, trace_id, told.latest AS seen
    FROM (SELECT * FROM calls WHERE deleted = 0 AND ${IS_WATCHED} AND ${column} != '') AS calls
    INNER JOIN (SELECT workspace, link.2 AS ${column}, max(latest) AS latest FROM (${NEWS_OF_OUTCOMES})
      WHERE link.1 = '${kind}' GROUP BY workspace, link.2) AS told USING (workspace, ${column})`;
}

export async function listChangedRuns(
  connection: Connection,
  sinceNs: bigint,
): ReturnType<WasteStore["listChangedRuns"]> {
  const since = { sinceNs: sinceNs.toString() };
  const [clock] = await connection.query<{ now_ns: string }>(`SELECT ${nanoseconds("now64(9)")} AS now_ns`);
  const told = await connection.query<{ kind: LinkKind }>(
    `SELECT DISTINCT link.1 AS kind FROM (${NEWS_OF_OUTCOMES}) WHERE link.2 != ''`,
    since,
  );
  const rows = await connection.query<Row>(
    `SELECT workspace, run, groupUniqArray(trace_id) AS trace_ids, max(seen) AS seen_ns FROM (
       SELECT workspace, run, trace_id, told.latest AS seen
       FROM (SELECT workspace, run, call_id, trace_id FROM waste_items WHERE deleted = 0) AS items
       INNER JOIN (SELECT workspace, call_id, max(revision) AS latest FROM calls
         WHERE revision >= {sinceNs:UInt64} GROUP BY workspace, call_id) AS told USING (workspace, call_id)
       UNION ALL
       SELECT workspace, ${RUN_NAME} AS run, trace_id, seen FROM (
         SELECT workspace, run_id, session_id, trace_id, revision AS seen FROM calls
         WHERE revision >= {sinceNs:UInt64} AND deleted = 0 AND ${IS_WATCHED}
         UNION ALL
         SELECT workspace, run_id, session_id, trace_id, told.latest AS seen
         FROM (SELECT * FROM calls WHERE deleted = 0 AND ${IS_WATCHED}) AS calls
         INNER JOIN (SELECT workspace, trace_id, max(revision) AS latest FROM traces
           WHERE revision >= {sinceNs:UInt64} GROUP BY workspace, trace_id) AS told USING (workspace, trace_id)
         ${told.map(({ kind }) => `UNION ALL ${ofOutcome(kind)}`).join("\n")}
       )
     )
     GROUP BY workspace, run`,
    since,
  );
  return {
    asOfNs: BigInt(clock?.now_ns ?? 0),
    runs: rows.map(({ workspace, run, trace_ids, seen_ns }) => ({
      workspace,
      run,
      traceIds: trace_ids,
      seenNs: BigInt(seen_ns),
    })),
  };
}
