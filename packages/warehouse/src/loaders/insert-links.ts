/** Stores where work was seen, decisions on outcomes, and what sessions worked on when. */
import type { OutcomeLink, OutcomeLinkStore, WorkMark, WorkStretch } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { instantParam, nanoseconds, writeInstant } from "../instants.ts";
import type { Revisions } from "./revisions.ts";

export const insertWorkMarks = (connection: Connection, workspace: string, marks: readonly WorkMark[]): Promise<void> =>
  connection.insert(
    "work_marks",
    marks.map(({ traceId, sessionId, pullRequest, patchId, atNs, ...place }) => ({
      workspace,
      trace_id: traceId,
      session_id: sessionId,
      ...place,
      pull_request: pullRequest,
      patch_id: patchId,
      at: writeInstant(atNs, "atNs"),
    })),
  );

export async function insertOutcomeLinks(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  links: readonly OutcomeLink[],
): Promise<void> {
  const revision = revisions.next([]).toString();
  await connection.insert(
    "outcome_links",
    links.map(({ outcomeId, tasks, linkedBy, reason, decidedBy }) => ({
      workspace,
      outcome_id: outcomeId,
      tasks,
      linked_by: linkedBy ?? "",
      reason,
      decided_by: decidedBy,
      revision,
    })),
  );
}

type StretchRow = { task: string; work: string; from_at: string };

export async function replaceWorkStretches(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  stretches: readonly WorkStretch[],
  tasks: ReadonlySet<string>,
): Promise<void> {
  const stored = await connection.query<{ task: string; work: string; from_ns: string }>(
    `SELECT task, work, ${nanoseconds("from_at")} AS from_ns FROM work_stretches FINAL WHERE workspace = {workspace:String}`,
    { workspace },
  );
  const rowOf = ({ task, work, fromNs }: WorkStretch): StretchRow => ({
    task,
    work,
    from_at: writeInstant(fromNs, "fromNs"),
  });
  const closed = new Set(stored.flatMap(({ task }) => (tasks.has(task) ? [] : [task])));
  const isOpen = ({ task }: { task: string }): boolean => !closed.has(task);
  const before = stored.filter(isOpen).map(({ from_ns, ...row }) => rowOf({ ...row, fromNs: BigInt(from_ns) }));
  const now = stretches.filter(isOpen).map(rowOf);
  const keyOf = ({ task, from_at }: StretchRow): string => JSON.stringify([task, from_at]);
  const keys = new Set(now.map(keyOf));
  const known = new Set(before.map((row) => JSON.stringify(row)));
  const revision = revisions.next([]).toString();
  await connection.insert("work_stretches", [
    ...now.filter((row) => !known.has(JSON.stringify(row))).map((row) => ({ ...row, workspace, revision, deleted: 0 })),
    ...before.filter((row) => !keys.has(keyOf(row))).map((row) => ({ ...row, workspace, revision, deleted: 1 })),
  ]);
}

/** Outcomes are revised by the clock of who writes them, which may be behind the store's: so a little more is asked. */
export async function listLinkNews(
  connection: Connection,
  sinceNs: bigint,
): ReturnType<OutcomeLinkStore["listLinkNews"]> {
  const [now] = await connection.query<{ now_ns: string }>(`SELECT ${nanoseconds("now64(9)")} AS now_ns`);
  const rows = await connection.query<{ workspace: string }>(
    `SELECT DISTINCT workspace FROM (
       SELECT workspace FROM outcomes WHERE revision >= {sinceNs:Int64}
       UNION ALL
       SELECT workspace FROM work_marks WHERE received_at >= ${instantParam("sinceNs")}
     ) ORDER BY workspace`,
    { sinceNs: sinceNs.toString() },
  );
  return { workspaces: rows.map(({ workspace }) => workspace), asOfNs: BigInt(now?.now_ns ?? 0) };
}
