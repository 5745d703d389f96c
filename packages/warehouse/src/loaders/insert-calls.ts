/**
 * Stores rated calls with their lines; a call that is there already is replaced, an equal one is left alone.
 * Lines go in before their call: a call is only ever seen with its lines, and a failure in between is healed by the
 * repetition, because the call still differs.
 */
import type { RatedCall } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { toCallRow, toDeletedLineRow, toLineRow } from "../rows/call-row.ts";
import type { Revisions } from "./revisions.ts";
import { readStoredCalls } from "./stored-calls.ts";

export async function insertCalls(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  calls: readonly RatedCall[],
): Promise<void> {
  // Of a call given twice the later one counts.
  const latest = new Map(calls.map((call) => [call.callId, call]));
  const stored = await readStoredCalls(connection, workspace, [...latest.keys()]);
  const changed = [...latest.values()].flatMap((call) => {
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
