/**
 * Takes back calls that turned out to be none, such as a parent's sum whose children came later. One whose month is
 * closed stays, and is taken back by corrections.
 */
import type { Books } from "@centspan/model";
import { splitByCount } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { insertCorrections } from "./insert-corrections.ts";
import { markDays } from "./mark-days.ts";
import type { Revisions } from "./revisions.ts";
import { isClosed, postLate, readStoredCalls, toDeletedCallRow } from "./stored-calls.ts";

const CALLS_PER_PART = 10_000;

export async function withdrawCalls(
  connection: Connection,
  { revisions, books }: { revisions: Revisions; books: Books },
  workspace: string,
  callIds: readonly string[],
): Promise<void> {
  for (const part of splitByCount(callIds.toSorted(), CALLS_PER_PART))
    await books.whileAlone(workspace, (closedToNs) => withdrawPart(connection, revisions, workspace, part, closedToNs));
}

async function withdrawPart(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  callIds: readonly string[],
  closedToNs: bigint,
): Promise<void> {
  const known = await readStoredCalls(connection, workspace, callIds);
  const revision = revisions.next([...known.values()].map((before) => before.revision));
  const closed = [...known].filter(([, before]) => isClosed(before, closedToNs));
  const live = [...known].filter(([, before]) => before.contentHash !== null && !isClosed(before, closedToNs));
  await markDays(
    connection,
    revisions,
    workspace,
    live.map(([, { atNs }]) => atNs),
  );
  await connection.insert(
    "calls",
    live.map(([callId, before]) => toDeletedCallRow(workspace, callId, before, revision)),
  );
  const postedAtNs = postLate(revisions.nowNs(), closedToNs);
  const takenBack = new Map(closed.map(([callId]) => [callId, null]));
  const posting = { workspace, postedAtNs, revision: revision.toString(), keepsPrices: true };
  await insertCorrections(connection, posting, takenBack);
}
