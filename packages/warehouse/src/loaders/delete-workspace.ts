/**
 * Deletes all rows of a workspace, table by table. What was deleted before is not there any more, so it may be repeated. Parts
 * are rewritten, projections with them, which marking rows as deleted does not do.
 */
import { COPY_DEADLINE_MS, type Connection } from "../connection.ts";
import { TABLES } from "../schema.ts";

export async function deleteWorkspaceRows(connection: Connection, workspace: string): Promise<void> {
  for (const { name } of TABLES)
    await connection.command(
      `ALTER TABLE ${name} DELETE WHERE workspace = {workspace:String} SETTINGS mutations_sync = 2`,
      { workspace },
      COPY_DEADLINE_MS,
    );
}
