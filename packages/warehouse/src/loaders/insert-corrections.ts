/**
 * Changes of calls whose month is closed: neither the call nor its lines are touched; what differs is posted in the month
 * that is open. Repeating a change posts nothing, and going back to what was billed before takes the correction back.
 */
import type { RatedCall } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { readCalls } from "../readers/read-calls.ts";
import {
  type Bill,
  CORRECTION_COLUMNS,
  type CorrectionRow,
  fromCorrectionRow,
  type Posting,
  toBill,
  toCorrectionRows,
} from "../rows/correction-row.ts";

/** Null for a call that turned out to be none. */
export async function insertCorrections(
  connection: Connection,
  posting: Posting,
  changes: ReadonlyMap<string, RatedCall | null>,
): Promise<void> {
  if (changes.size === 0) return;
  const bills = await readBills(connection, posting.workspace, [...changes.keys()]);
  const rows = [...changes].flatMap(([callId, after]) =>
    toCorrectionRows(posting, callId, bills.get(callId) ?? { number: 0, lines: [] }, after),
  );
  await connection.insert("corrections", rows);
}

/** What is billed of each call as it stands: by its last correction, or else by the call itself. */
async function readBills(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<Map<string, Bill>> {
  const [calls, corrections] = await Promise.all([
    readCalls(connection, workspace, ids),
    queryInChunks(ids, (callIds) =>
      connection.query<CorrectionRow>(
        `SELECT ${CORRECTION_COLUMNS} FROM corrections FINAL
         WHERE workspace = {workspace:String} AND call_id IN {callIds:Array(String)}
         ORDER BY call_id, number`,
        { workspace, callIds },
      ),
    ),
  ]);
  const bills = new Map<string, Bill>(calls.map((call) => [call.callId, toBill(0, call)]));
  for (const row of corrections) {
    const before = bills.get(row.call_id);
    const lines = before?.number === row.number ? before.lines : [];
    const charged = row.kind === "charge" ? [...lines, fromCorrectionRow(row)] : lines;
    bills.set(row.call_id, { number: row.number, lines: charged });
  }
  return bills;
}
