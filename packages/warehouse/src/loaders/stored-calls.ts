/** What the store has of certain calls, before some of it is replaced: deleted rows too, because their revisions count. */
import type { RatedCall } from "@centspan/model";
import { and, whereCallIds, whereIn } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { nanoseconds, writeInstant } from "../instants.ts";

export type StoredCall = {
  /** Null where there is no call, be it withdrawn or never heard of. */
  contentHash: string | null;
  atNs: bigint;
  /** When it is billed; 0 where there is no call. */
  postedAtNs: bigint;
  /** Whether what it costs is known. */
  isKnown: boolean;
  /** Whether it has been in any bill, by lines of its own or by corrections. */
  isBilled: boolean;
  revision: bigint;
};

const NOTHING: StoredCall = {
  contentHash: null,
  atNs: 0n,
  postedAtNs: 0n,
  isKnown: false,
  isBilled: false,
  revision: 0n,
};

type CallRow = {
  call_id: string;
  live_hash: string;
  at_ns: string;
  posted_ns: string;
  is_known: boolean;
  is_billed: boolean;
  is_live: boolean;
  last_revision: string;
};

/** Gives an entry for every id asked for: as many as a loader takes at once. */
export async function readStoredCalls(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<Map<string, StoredCall>> {
  const ofCalls = whereCallIds(ids);
  const corrected = whereIn("correctedIds", "call_id", ids);
  const calls = await connection.query<CallRow>(
    `SELECT call_id, argMax(content_hash, revision) AS live_hash, argMax(${nanoseconds("at")}, revision) AS at_ns,
       argMax(${nanoseconds("posted_at")}, revision) AS posted_ns, argMax(deleted, revision) = 0 AS is_live,
       argMax(isNotNull(cost_usd), revision) AS is_known,
       argMax(notEmpty(lines), revision)
         OR call_id IN (SELECT call_id FROM corrections WHERE workspace = {workspace:String}${and(corrected)}) AS is_billed,
       max(revision) AS last_revision
     FROM calls
     WHERE workspace = {workspace:String}${and(ofCalls)}
     GROUP BY call_id`,
    { ...ofCalls.params, ...corrected.params, workspace },
  );
  const stored = new Map(ids.map((id) => [id, NOTHING]));
  for (const row of calls) {
    const revision = BigInt(row.last_revision);
    const live = {
      contentHash: row.live_hash,
      atNs: BigInt(row.at_ns),
      postedAtNs: BigInt(row.posted_ns),
      isKnown: Boolean(row.is_known),
      isBilled: Boolean(row.is_billed),
      revision,
    };
    stored.set(row.call_id, row.is_live ? live : { ...NOTHING, revision });
  }
  return stored;
}

/** Takes the place of a call where it was. */
export const toDeletedCallRow = (workspace: string, callId: string, { atNs }: StoredCall, revision: bigint) => ({
  workspace,
  call_id: callId,
  at: writeInstant(atNs, "atNs"),
  revision: revision.toString(),
  deleted: 1,
});

/** Whether what is billed of it stands in a month that is closed. */
export const isClosed = (before: StoredCall | undefined, closedToNs: bigint): boolean =>
  before !== undefined && before.contentHash !== null && before.postedAtNs < closedToNs && before.isBilled;

/** What is billed late is billed now, in a month that is open. */
export const postLate = (nowNs: bigint, closedToNs: bigint): bigint => (nowNs > closedToNs ? nowNs : closedToNs);

/**
 * When a call is billed: when it happened, or at once where that month is closed. What no bill had, because its cost was
 * not known when its month closed, stays there until it is.
 */
export function findPosting(
  before: StoredCall | undefined,
  { atNs, costUsd }: RatedCall,
  closedToNs: bigint,
  lateNs: bigint,
): bigint {
  if (atNs >= closedToNs) return atNs;
  const { postedAtNs, isKnown } = before ?? NOTHING;
  const stays = postedAtNs >= closedToNs || (postedAtNs > 0n && !isKnown && costUsd === null);
  return stays ? postedAtNs : lateNs;
}
