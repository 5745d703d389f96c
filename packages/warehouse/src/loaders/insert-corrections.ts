/**
 * Changes of calls whose month is closed: neither the call nor its lines are touched; what differs is posted in the month
 * that is open. Repeating a change posts nothing, and going back to what was billed before takes the correction back.
 */
import { BUCKET_OF_METER, EMPTY_BUCKETS, type RatedCall } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { readCalls } from "../readers/read-calls.ts";
import {
  type Bill,
  CORRECTION_COLUMNS,
  type CorrectionRow,
  followBill,
  type Posting,
  toBill,
  toCorrectionRows,
} from "../rows/correction-row.ts";

const NO_BILL: Bill = { number: 0, lines: [], standing: "known" };

/** Null for a call that turned out to be none. */
export async function insertCorrections(
  connection: Connection,
  posting: Posting,
  changes: ReadonlyMap<string, RatedCall | null>,
): Promise<void> {
  if (changes.size === 0) return;
  const bills = await readBills(connection, posting.workspace, [...changes.keys()]);
  const rows = [...changes].flatMap(([callId, after]) =>
    toCorrectionRows(posting, callId, bills.get(callId) ?? NO_BILL, after),
  );
  await connection.insert("corrections", rows);
}

type Rate = (call: RatedCall) => RatedCall;

/** Bills what closed months have billed at the prices that `rate` says. Resolves with how many calls that changes. */
export async function correctPrices(
  connection: Connection,
  posting: Posting,
  callIds: readonly string[],
  rate: Rate,
): Promise<number> {
  const bills = await readBills(connection, posting.workspace, callIds);
  const calls = await readCalls(connection, posting.workspace, callIds);
  const corrections = calls.flatMap((call) => {
    const bill = bills.get(call.callId) ?? NO_BILL;
    const after = bill.standing === "known" && bill.lines.length > 0 ? rate(toBilledCall(call, bill)) : null;
    // What has no price by now keeps the one that it was billed at.
    const rows = after === null || after.costUsd === null ? [] : toCorrectionRows(posting, call.callId, bill, after);
    return rows.length === 0 ? [] : [rows];
  });
  await connection.insert("corrections", corrections.flat());
  return corrections.length;
}

/** The call as its last correction says that it was. */
function toBilledCall(call: RatedCall, { number, lines }: Bill): RatedCall {
  const [first] = lines;
  if (number === 0 || first === undefined) return call;
  const { atNs, keyId, key, team, provider, model, serviceTier, region } = first;
  const used = lines.map(({ meter, quantity }) => [BUCKET_OF_METER[meter], quantity] as const);
  const buckets = { ...EMPTY_BUCKETS, ...Object.fromEntries(used) };
  return { ...call, atNs, keyId, key, team, provider, model, serviceTier, region, buckets };
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
  for (const row of corrections) bills.set(row.call_id, followBill(bills.get(row.call_id), row));
  return bills;
}
