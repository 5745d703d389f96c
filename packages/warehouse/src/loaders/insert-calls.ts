/**
 * Stores rated calls; one that is there already is replaced, an equal one is left alone. A call that moves in time is
 * deleted where it was before it is written where it is now: so it is never on two days, and a failure in between is
 * healed by the repetition, which finds no call. Many calls go in by parts, each by itself: memory, and what a deadline
 * is for, stay bounded whatever a trace has. What is booked keeps its price while it says the same: only a rating run books
 * by other prices. What changes of a call that a closed month has billed is posted as corrections, and a call that comes, or
 * gets its cost, when its month is closed already is billed in the one that is open.
 */
import type { Books, RatedCall } from "@centspan/model";
import { splitByCount } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { hashContent, writeCanonical } from "../content-hash.ts";
import { readCalls } from "../readers/read-calls.ts";
import { toCallRow } from "../rows/call-row.ts";
import { insertCorrections } from "./insert-corrections.ts";
import { markDays } from "./mark-days.ts";
import type { Revisions } from "./revisions.ts";
import { findPosting, isClosed, postLate, readStoredCalls, type StoredCall, toDeletedCallRow } from "./stored-calls.ts";

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
    await books.whileAlone(workspace, (closedToNs) => insertPart(connection, revisions, workspace, part, closedToNs));
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
  const movedRevision = revisions.next([...stored.values()].map((before) => before.revision));
  const revision = revisions.next([]);
  const latePostedAtNs = postLate(revisions.nowNs(), closedToNs);
  const changedAfterClose = new Map<string, RatedCall>();
  const changed = new Map<RatedCall, string>();
  for (const call of calls) {
    const before = stored.get(call.callId);
    const hash = hashContent(call);
    if (isClosed(before, closedToNs)) changedAfterClose.set(call.callId, call);
    else if (before?.contentHash !== hash) changed.set(call, hash);
  }
  const booked = await readBooked(connection, workspace, [...changed.keys()], stored);
  const callRows: ReturnType<typeof toCallRow>[] = [];
  const movedRows: ReturnType<typeof toDeletedCallRow>[] = [];
  const instantsNs: bigint[] = [];
  for (const [said, hash] of changed) {
    const before = stored.get(said.callId);
    const call = keepPrice(booked.get(said.callId), said);
    const contentHash = call === said ? hash : hashContent(call);
    if (before?.contentHash === contentHash) continue;
    if (isMoved(before, call)) {
      movedRows.push(toDeletedCallRow(workspace, call.callId, before, movedRevision));
      instantsNs.push(before.atNs);
    }
    const postedAtNs = findPosting(before, call, closedToNs, latePostedAtNs);
    callRows.push(toCallRow(workspace, call, { contentHash, revision: revision.toString(), postedAtNs }));
    instantsNs.push(call.atNs);
  }
  await markDays(connection, revisions, workspace, instantsNs);
  await connection.insert(
    "call_times",
    callRows.map(({ call_id, at }) => ({ workspace, call_id, at })),
  );
  await connection.insert("calls", movedRows);
  await connection.insert("calls", callRows);
  const posting = { workspace, postedAtNs: latePostedAtNs, revision: revision.toString(), keepsPrices: true };
  await insertCorrections(connection, posting, changedAfterClose);
}

/** Of the changed calls, those that have a cost already. */
async function readBooked(
  connection: Connection,
  workspace: string,
  changed: readonly RatedCall[],
  stored: ReadonlyMap<string, StoredCall>,
): Promise<Map<string, RatedCall>> {
  const ids = changed.map(({ callId }) => callId).filter((callId) => stored.get(callId)?.isKnown);
  return new Map((await readCalls(connection, workspace, ids)).map((call) => [call.callId, call]));
}

function keepPrice(booked: RatedCall | undefined, call: RatedCall): RatedCall {
  if (booked === undefined || usageOf(booked) !== usageOf(call)) return call;
  const { priceProvenance: _other, ...said } = call;
  const { costStatus, costUsd, lines, priceProvenance } = booked;
  return { ...said, costStatus, costUsd, lines, ...(priceProvenance === undefined ? {} : { priceProvenance }) };
}

/** All that a price depends on, beside the book. */
const usageOf = (call: RatedCall): string => {
  const { atNs, keyId, team, provider, model, serviceTier, region, requests, buckets } = call;
  const { provenance, quarantineReason } = call;
  return writeCanonical([
    ...[atNs, keyId, team, provider, model, serviceTier, region, requests, buckets],
    ...[provenance, quarantineReason],
  ]);
};

const isMoved = (before: StoredCall | undefined, { atNs }: RatedCall): before is StoredCall =>
  before !== undefined && before.contentHash !== null && before.atNs !== atNs;
