/**
 * Takes back calls that turned out to be none, such as a parent's sum whose children came later. The call goes before
 * its lines: a failure in between leaves lines that no call shows, and the repetition removes them. One whose month is
 * closed stays, and is taken back by corrections.
 */
import type { Books } from "@centspan/model";
import { splitByCount } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { toDeletedLineRow } from "../rows/call-row.ts";
import { insertCorrections } from "./insert-corrections.ts";
import type { Revisions } from "./revisions.ts";
import { isClosed, readStoredCalls } from "./stored-calls.ts";

const CALLS_PER_PART = 10_000;

export async function withdrawCalls(
  connection: Connection,
  { revisions, books }: { revisions: Revisions; books: Books },
  workspace: string,
  callIds: readonly string[],
): Promise<void> {
  for (const part of splitByCount(callIds.toSorted(), CALLS_PER_PART))
    await books.whileOpen(workspace, (closedToNs) => withdrawPart(connection, revisions, workspace, part, closedToNs));
}

async function withdrawPart(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  callIds: readonly string[],
  closedToNs: bigint,
): Promise<void> {
  const known = await readStoredCalls(connection, workspace, callIds);
  const nextRevision = revisions.next([...known.values()].map((before) => before.revision));
  const revision = nextRevision.toString();
  const closed = [...known].filter(([, before]) => isClosed(before, closedToNs));
  const stored = [...known].filter(([, before]) => !isClosed(before, closedToNs));
  const live = stored.filter(([, { contentHash }]) => contentHash !== null);
  await connection.insert(
    "calls",
    live.map(([callId]) => ({ workspace, call_id: callId, revision, deleted: 1 })),
  );
  await connection.insert(
    "charge_lines",
    stored.flatMap(([callId, { meters }]) =>
      meters.map((meter) => toDeletedLineRow(workspace, callId, meter, revision)),
    ),
  );
  const postedAtNs = nextRevision > closedToNs ? nextRevision : closedToNs;
  const takenBack = new Map(closed.map(([callId]) => [callId, null]));
  await insertCorrections(connection, { workspace, postedAtNs, revision }, takenBack);
}
