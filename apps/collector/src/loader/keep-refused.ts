/**
 * Frames that the store refuses for what they are: kept as files beside the spool, each with a report, so that nothing that
 * was acknowledged is lost and nothing waits behind it.
 */
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Block, SignalTable } from "@centspan/model";

export type RefusedBlock = { table: SignalTable; block: Block; name: string; error: unknown };

/** Resolves once both files are durable: `<name>.native` as it would have been inserted, `<name>.json` with the reason. */
export async function keepRefused(folder: string, { table, block, name, error }: RefusedBlock): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeDurably(join(folder, `${name}.native`), block.read());
  const report = { table, rows: block.rows, bytes: block.bytes, reason: String(error) };
  await writeDurably(join(folder, `${name}.json`), [`${JSON.stringify(report, null, 2)}\n`]);
}

async function writeDurably(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<string | Uint8Array>,
): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}
