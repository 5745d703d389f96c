/**
 * Stores rated calls with their lines; a call that is there already is replaced, an equal one is left alone.
 * Lines go in before their call: a call is only ever seen with its lines, and a failure in between is healed by the
 * repetition, because the call still differs. Many calls go in by parts, each by itself: memory, and what a deadline is
 * for, stay bounded whatever a trace has.
 */
import type { RatedCall } from "@centspan/model";
import { splitByCount } from "../chunks.ts";
import type { Connection, Row } from "../connection.ts";
import { hashContent } from "../content-hash.ts";
import { toCallRow, toDeletedLineRow, toLineRow } from "../rows/call-row.ts";
import type { Revisions } from "./revisions.ts";
import { readStoredCalls } from "./stored-calls.ts";

const CALLS_PER_PART = 10_000;

export async function insertCalls(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  calls: readonly RatedCall[],
): Promise<void> {
  // Of a call given twice the later one counts.
  const latest = new Map(calls.map((call) => [call.callId, call]));
  // In the order of the table's key: each part then is one stretch of it.
  const ordered = [...latest.values()].sort((a, b) => (a.callId < b.callId ? -1 : 1));
  for (const part of splitByCount(ordered, CALLS_PER_PART)) await insertPart(connection, revisions, workspace, part);
}

async function insertPart(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  calls: readonly RatedCall[],
): Promise<void> {
  const stored = await readStoredCalls(
    connection,
    workspace,
    calls.map(({ callId }) => callId),
  );
  const revision = revisions.next([...stored.values()].map((before) => before.revision)).toString();
  const callRows: ReturnType<typeof toCallRow>[] = [];
  const lineRows: Row[] = [];
  for (const call of calls) {
    const contentHash = hashContent(call);
    const before = stored.get(call.callId);
    if (before?.contentHash === contentHash) continue;
    callRows.push(toCallRow(workspace, call, { contentHash, revision }));
    lineRows.push(...toLineRows(workspace, call, before?.meters ?? [], revision));
  }
  await connection.insert("charge_lines", lineRows);
  await connection.insert("calls", callRows);
}

function toLineRows(
  workspace: string,
  { callId, lines }: RatedCall,
  storedMeters: readonly string[],
  revision: string,
) {
  const meters = new Set<string>(lines.map(({ meter }) => meter));
  const gone = storedMeters.filter((meter) => !meters.has(meter));
  return [
    ...lines.map((line) => toLineRow(workspace, callId, line, revision)),
    ...gone.map((meter) => toDeletedLineRow(workspace, callId, meter, revision)),
  ];
}
