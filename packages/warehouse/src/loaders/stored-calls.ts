/** What the store has of certain calls, before some of it is replaced: deleted rows too, because their revisions count. */
import { and, whereIn } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";

type StoredCall = {
  /** Null where there is no call, be it withdrawn or never heard of. */
  contentHash: string | null;
  /** When it is billed; 0 where there is no call. */
  postedAtNs: bigint;
  /** Meters of the lines that are there, whether or not their call is. */
  meters: readonly string[];
  /** The greatest revision of the call and its lines. */
  revision: bigint;
};

const NOTHING: StoredCall = { contentHash: null, postedAtNs: 0n, meters: [], revision: 0n };

type CallRow = { call_id: string; live_hash: string; posted_ns: string; is_live: 0 | 1; last_revision: string };
type LinesRow = { call_id: string; meters: string[]; last_revision: string };

/** Gives an entry for every id asked for: as many as a loader takes at once. */
export async function readStoredCalls(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<Map<string, StoredCall>> {
  const ofCalls = whereIn("callIds", "call_id", ids);
  const params = { ...ofCalls.params, workspace };
  const [calls, lines] = await Promise.all([
    connection.query<CallRow>(
      `SELECT call_id, argMax(content_hash, revision) AS live_hash,
         argMax(${nanoseconds("posted_at")}, revision) AS posted_ns, argMax(deleted, revision) = 0 AS is_live,
         max(revision) AS last_revision
       FROM calls
       WHERE workspace = {workspace:String}${and(ofCalls)}
       GROUP BY call_id`,
      params,
    ),
    connection.query<LinesRow>(
      `SELECT call_id, groupArrayIf(meter, is_live) AS meters, max(meter_revision) AS last_revision
       FROM (
         SELECT call_id, meter, argMax(deleted, revision) = 0 AS is_live, max(revision) AS meter_revision
         FROM charge_lines
         WHERE workspace = {workspace:String}${and(ofCalls)}
         GROUP BY call_id, meter
       )
       GROUP BY call_id`,
      params,
    ),
  ]);
  const stored = new Map(ids.map((id) => [id, NOTHING]));
  for (const row of calls) {
    const live = row.is_live ? { contentHash: row.live_hash, postedAtNs: BigInt(row.posted_ns) } : NOTHING;
    stored.set(row.call_id, { ...live, meters: [], revision: BigInt(row.last_revision) });
  }
  for (const { call_id, meters, last_revision } of lines) {
    const before = stored.get(call_id) ?? NOTHING;
    const ofLines = BigInt(last_revision);
    stored.set(call_id, { ...before, meters, revision: ofLines > before.revision ? ofLines : before.revision });
  }
  return stored;
}

/** Whether what is billed of it stands in a month that is closed. */
export const isClosed = (before: StoredCall | undefined, closedToNs: bigint): boolean =>
  before !== undefined && before.contentHash !== null && before.postedAtNs < closedToNs;
