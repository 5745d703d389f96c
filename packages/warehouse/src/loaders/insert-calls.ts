/**
 * Stores rated calls with their lines; a call that is there already is replaced, an equal one is left alone.
 * Lines go in before their call: a call is only ever seen with its lines, and a failure in between is healed by the
 * repetition, because the call still differs.
 */
import type { RatedCall } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { toCallRow, toDeletedLineRow, toLineRow } from "../rows/call-row.ts";
import type { Revisions } from "./revisions.ts";

type StoredCall = { content_hash: string; revision: string };
type StoredLines = { meters: string[]; revision: string };

export async function insertCalls(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  calls: readonly RatedCall[],
): Promise<void> {
  const stored = await readStored(
    connection,
    workspace,
    calls.map(({ callId }) => callId),
  );
  // Of a call given twice the later one counts.
  const latest = [...new Map(calls.map((call) => [call.callId, call])).values()];
  const changed = latest.flatMap((call) => {
    const row = toCallRow(workspace, call);
    return stored.calls.get(call.callId)?.content_hash === row.content_hash ? [] : [{ call, row }];
  });
  const storedRevisions = changed.flatMap(({ call }) => [
    BigInt(stored.calls.get(call.callId)?.revision ?? 0),
    BigInt(stored.lines.get(call.callId)?.revision ?? 0),
  ]);
  const revision = revisions.next(storedRevisions).toString();
  await connection.insert(
    "charge_lines",
    changed.flatMap(({ call }) =>
      toLineRows(workspace, call, stored.lines.get(call.callId)?.meters ?? []).map((row) => ({ ...row, revision })),
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

/** What the store has of the calls with these ids; those that were withdrawn are not there. */
export async function readStored(connection: Connection, workspace: string, ids: readonly string[]) {
  const rows = await queryInChunks(ids, (callIds) =>
    connection.query<{ call_id: string } & StoredCall>(
      `SELECT call_id, content_hash, revision FROM calls FINAL
       WHERE workspace = {workspace:String} AND call_id IN {callIds:Array(String)}`,
      { workspace, callIds },
    ),
  );
  const lines = await queryInChunks(ids, (callIds) =>
    connection.query<{ call_id: string } & StoredLines>(
      `SELECT call_id, groupArray(meter) AS meters, max(revision) AS revision FROM charge_lines FINAL
       WHERE workspace = {workspace:String} AND call_id IN {callIds:Array(String)}
       GROUP BY call_id`,
      { workspace, callIds },
    ),
  );
  return {
    calls: new Map(rows.map((row) => [row.call_id, row])),
    lines: new Map(lines.map((row) => [row.call_id, row])),
  };
}
