/**
 * Stores rated calls with their lines; a call that is there already is replaced, an equal one is left alone.
 * Lines go in before their call: a call is only ever seen with its lines, and a failure in between is healed by the
 * repetition, because the call still differs. Many calls go in by parts, each by itself: memory, and what a deadline is
 * for, stay bounded whatever a trace has. What changes of a call whose month is closed is posted as corrections, and a
 * call that comes when its month is closed already is billed in the one that is open.
 */
import type { Books, RatedCall } from "@centspan/model";
import { splitByCount } from "../chunks.ts";
import type { Connection, Row } from "../connection.ts";
import { hashContent } from "../content-hash.ts";
import { toCallRow, toDeletedLineRow, toLineRow } from "../rows/call-row.ts";
import { insertCorrections } from "./insert-corrections.ts";
import type { Revisions } from "./revisions.ts";
import { isClosed, readStoredCalls } from "./stored-calls.ts";

const CALLS_PER_PART = 10_000;

export async function insertCalls(
  connection: Connection,
  { revisions, books }: { revisions: Revisions; books: Books },
  workspace: string,
  calls: readonly RatedCall[],
): Promise<void> {
  // Of a call given twice the later one counts.
  const latest = new Map(calls.map((call) => [call.callId, call]));
  // In the order of the table's key: each part then is one stretch of it.
  const ordered = [...latest.values()].sort((a, b) => (a.callId < b.callId ? -1 : 1));
  for (const part of splitByCount(ordered, CALLS_PER_PART))
    await books.whileOpen(workspace, (closedToNs) => insertPart(connection, revisions, workspace, part, closedToNs));
}

async function insertPart(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  calls: readonly RatedCall[],
  closedToNs: bigint,
): Promise<void> {
  const stored = await readStoredCalls(
    connection,
    workspace,
    calls.map(({ callId }) => callId),
  );
  const nextRevision = revisions.next([...stored.values()].map((before) => before.revision));
  const revision = nextRevision.toString();
  // Revisions follow the clock.
  const latePostedAtNs = nextRevision > closedToNs ? nextRevision : closedToNs;
  const changedAfterClose = new Map<string, RatedCall>();
  const callRows: ReturnType<typeof toCallRow>[] = [];
  const lineRows: Row[] = [];
  for (const call of calls) {
    const before = stored.get(call.callId);
    if (isClosed(before, closedToNs)) {
      changedAfterClose.set(call.callId, call);
      continue;
    }
    const contentHash = hashContent(call);
    if (before?.contentHash === contentHash) continue;
    const isLate = call.atNs < closedToNs;
    const postedAtNs = isLate ? before?.postedAtNs || latePostedAtNs : call.atNs;
    callRows.push(toCallRow(workspace, call, { contentHash, revision, postedAtNs }));
    lineRows.push(...toLineRows(workspace, call, before?.meters ?? [], revision));
  }
  await connection.insert("charge_lines", lineRows);
  await connection.insert("calls", callRows);
  await insertCorrections(connection, { workspace, postedAtNs: latePostedAtNs, revision }, changedAfterClose);
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
