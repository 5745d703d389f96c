/**
 * Whether a statement that writes calls of a workspace runs. Whoever has its books alone need not ask of the living: but a
 * process that dies, or loses its lock, leaves a statement that goes on.
 */
import { CentspanError } from "@centspan/base";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";

export async function isWritten(connection: Connection, workspace: string): Promise<boolean> {
  const [row] = await connection.query<{ writing: string }>(
    `SELECT count() AS writing FROM system.processes
     WHERE query_kind = 'Insert' AND current_database = currentDatabase()
       AND match(query, 'INTO (calls|corrections)\\\\b') AND Settings['log_comment'] = {workspace:String}`,
    { workspace },
  );
  return readCount(row?.writing ?? "0") > 0;
}

const PATIENCE_MS = 5_000;
const PAUSE_MS = 50;

/** Resolves when none runs any more; `store_unavailable` where that takes too long. */
export async function waitForWriters(connection: Connection, workspace: string): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  while (await isWritten(connection, workspace)) {
    if (performance.now() > untilMs)
      throw new CentspanError("store_unavailable", "Calls are still being written, by who began before.", {
        retryAfterS: 5,
      });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
