/** Outcomes that are of no work that there is, or that are parked; and where work was seen, for who looks for what they are of. */
import type { OutcomeLinkStore, TaskMark } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam } from "../instants.ts";
import { fromOutcomeRow, OUTCOME_COLUMNS, type OutcomeRow } from "../rows/outcome-row.ts";
import { fromMarkRow, type MarkRow, selectMarks, selectPlaces } from "./read-link-facts.ts";
import { LATEST_DECISIONS } from "./verdicts.ts";
import { readWork } from "./work-rows.ts";

const DECIDED = `SELECT * FROM outcomes FINAL LEFT JOIN (${LATEST_DECISIONS}) AS decided USING (outcome_id)
  WHERE workspace = {workspace:String} AND at >= ${instantParam("sinceNs")} AND kind != 'custom'`;

/** Whether work that there is has any of the members that the subject names. */
const isKnown = (rows: string): string =>
  [
    ["task", "task"],
    ["run_id", "run_id"],
    ["trace_id", "arrayJoin(trace_ids)"],
    ["session_id", "session_id"],
  ]
    .map(([member, own]) => `(${member} != '' AND ${member} IN (SELECT ${own} FROM (${rows})))`)
    .join(" OR ");

type Row = OutcomeRow & { reason: string; among: string };

export async function listUnlinked(
  connection: Connection,
  workspace: string,
  { sinceNs, limit }: { sinceNs: bigint; limit: number },
): ReturnType<OutcomeLinkStore["listUnlinked"]> {
  const found = await readWork(connection, workspace, { hasStretches: false }, (rows, params) =>
    connection.query<Row>(
      `SELECT ${OUTCOME_COLUMNS}, decision.3 AS reason, count() OVER (PARTITION BY reason != '') AS among
       FROM (${DECIDED})
       WHERE reason != '' OR (empty(decision.1) AND NOT (${isKnown(rows)}))
       ORDER BY at DESC, outcome_id DESC
       LIMIT {limit:UInt32} BY reason != ''`,
      { ...params, sinceNs: sinceNs.toString(), limit },
    ),
  );
  const [parked, lost] = [true, false].map((is) => found.filter(({ reason }) => (reason !== "") === is));
  return {
    outcomes: (lost ?? []).map(fromOutcomeRow),
    outcomesTotal: readCount(lost?.[0]?.among ?? "0"),
    parked: (parked ?? []).map((row) => ({ outcome: fromOutcomeRow(row), reason: row.reason })),
  };
}

/** Of these tasks, and on these branches. */
export async function listMarks(
  connection: Connection,
  workspace: string,
  { tasks, branches, sinceNs }: Parameters<OutcomeLinkStore["listMarks"]>[1],
): Promise<TaskMark[]> {
  const names = branches.map(({ repository, branch }) => [repository, branch]);
  const found = await readWork(connection, workspace, { hasStretches: false }, (rows, params) => {
    const ofTasks = selectPlaces(`SELECT * FROM (${rows}) WHERE task IN {tasks:Array(String)}`);
    const isNamed = "[repository, branch] IN {names:Array(Array(String))}";
    const parts = [
      // By the table's key, so that no other marks are read.
      selectMarks(`(trace_id = '' OR trace_id IN (SELECT place.2 FROM (${ofTasks})))`, ofTasks),
      ...(names.length === 0 ? [] : [selectMarks(isNamed, selectPlaces(rows))]),
    ];
    return connection.query<MarkRow>(parts.map((part) => `SELECT * FROM (${part})`).join(" UNION DISTINCT "), {
      ...params,
      sinceNs: sinceNs.toString(),
      tasks,
      names,
    });
  });
  return found.map(fromMarkRow);
}
