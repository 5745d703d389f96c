/**
 * Takes back calls that turned out to be none, such as a parent's sum whose children came later. The call goes before
 * its lines: a failure in between leaves lines that no call shows, and the repetition removes them.
 */
import { splitByCount } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { toDeletedLineRow } from "../rows/call-row.ts";
import type { Revisions } from "./revisions.ts";
import { readStoredCalls } from "./stored-calls.ts";

const CALLS_PER_PART = 10_000;

export async function withdrawCalls(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  callIds: readonly string[],
): Promise<void> {
  for (const part of splitByCount(callIds.toSorted(), CALLS_PER_PART))
    await withdrawPart(connection, revisions, workspace, part);
}

async function withdrawPart(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  callIds: readonly string[],
): Promise<void> {
  const stored = await readStoredCalls(connection, workspace, callIds);
  const revision = revisions.next([...stored.values()].map((before) => before.revision)).toString();
  const live = [...stored].filter(([, { contentHash }]) => contentHash !== null);
  await connection.insert(
    "calls",
    live.map(([callId]) => ({ workspace, call_id: callId, revision, deleted: 1 })),
  );
  await connection.insert(
    "charge_lines",
    [...stored].flatMap(([callId, { meters }]) =>
      meters.map((meter) => toDeletedLineRow(workspace, callId, meter, revision)),
    ),
  );
}
