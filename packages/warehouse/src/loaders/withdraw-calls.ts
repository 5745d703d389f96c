/**
 * Takes back calls that turned out to be none, such as a parent's sum whose children came later. The call goes before
 * its lines: a failure in between leaves lines that no call shows, and the repetition removes them.
 */
import type { Connection } from "../connection.ts";
import { toDeletedLineRow } from "../rows/call-row.ts";
import { readStored } from "./insert-calls.ts";
import type { Revisions } from "./revisions.ts";

export async function withdrawCalls(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  callIds: readonly string[],
): Promise<void> {
  const { calls, lines } = await readStored(connection, workspace, callIds);
  const revision = revisions.next([...calls.values(), ...lines.values()].map((row) => BigInt(row.revision))).toString();
  await connection.insert(
    "calls",
    [...calls.keys()].map((callId) => ({ workspace, call_id: callId, revision, deleted: 1 })),
  );
  await connection.insert(
    "charge_lines",
    [...lines].flatMap(([callId, { meters }]) =>
      meters.map((meter) => ({ ...toDeletedLineRow(workspace, callId, meter), revision })),
    ),
  );
}
