/**
 * Stores rated calls with their lines; a call that is there already is replaced, an equal one is left alone.
 * Lines go in before their call: a call is only ever seen with its lines, and a failure in between is healed by the
 * repetition, because the call still differs. Many calls go in by parts, each by itself: memory, and what a deadline is
 * for, stay bounded whatever a trace has.
 */
import type { RatedCall } from "@centspan/model";
import { splitByCount } from "../chunks.ts";
import type { Connection } from "../connection.ts";
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
  const changed = calls.flatMap((call) => {
    const before = stored.get(call.callId);
    const row = toCallRow(workspace, call);
    return before?.contentHash === row.content_hash ? [] : [{ call, row, storedMeters: before?.meters ?? [] }];
  });
  const revision = revisions.next([...stored.values()].map((before) => before.revision)).toString();
  await connection.insert(
    "charge_lines",
    changed.flatMap(({ call, storedMeters }) =>
      toLineRows(workspace, call, storedMeters).map((row) => ({ ...row, revision })),
    ),
  );
  await connection.insert(
    "calls",
    changed.map(({ row }) => ({ ...row, revision })),
  );
}

function toLineRows(workspace: string, call: RatedCall, storedMeters: readonly string[]) {
  const meters = new Set<string>(call.lines.map(({ meter }) => meter));
  return [
    ...call.lines.map((line) => toLineRow(workspace, call.callId, line)),
    ...storedMeters
      .filter((meter) => !meters.has(meter))
      .map((meter) => toDeletedLineRow(workspace, call.callId, meter)),
  ];
}
