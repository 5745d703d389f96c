/**
 * What the store alone can take: rows of `spans` put into ready Native files, and those into an empty table of the same
 * schema, timed. The rows are in the order they were sent in, so that the engine sorts as it does for a collector.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prefixOf, SPANS_PER_BATCH } from "../otlp/span-batch.ts";
import type { IngestStack } from "../stack/ingest-stack.ts";

const FILE_BATCHES = 1000;

export type EngineLimit = { rows: number; spansPerS: number };

export async function measureEngineLimit(stack: IngestStack, batches: readonly number[]): Promise<EngineLimit> {
  const folder = await mkdtemp(join(tmpdir(), "centspan-native-"));
  try {
    const columns = await stack.query<{ name: string; type: string }>(
      "SELECT name, type FROM system.columns WHERE database = 'centspan' AND table = 'spans' AND default_kind = ''",
    );
    const names = columns.map(({ name }) => name).join(", ");
    const structure = columns.map(({ name, type }) => `${name} ${type}`).join(", ");
    const files: string[] = [];
    for (let at = 0; at < batches.length; at += FILE_BATCHES) {
      const file = join(folder, `${files.length}.native`);
      const prefixes = batches.slice(at, at + FILE_BATCHES).map((batch) => `'${prefixOf(batch)}'`);
      await stack.download(
        `SELECT ${names} FROM spans WHERE substring(span_id, 1, 8) IN (${prefixes})
         ORDER BY substring(span_id, 1, 8), started_at LIMIT 1 BY trace_id, span_id FORMAT Native`,
        file,
      );
      files.push(file);
    }
    await stack.query("CREATE TABLE engine_limit AS spans");
    const startedAtMs = performance.now();
    for (const file of files) {
      await stack.query(
        `INSERT INTO engine_limit (${names})
         SELECT ${names} FROM file('${file}', 'Native', '${structure.replaceAll("'", "\\'")}')
         SETTINGS max_insert_threads = 1, min_insert_block_size_rows = 4000000, min_insert_block_size_bytes = 2000000000,
           optimize_on_insert = 0`,
      );
    }
    const seconds = (performance.now() - startedAtMs) / 1000;
    const [{ rows } = { rows: 0 }] = await stack.query<{ rows: number }>(
      "SELECT toUInt32(count()) AS rows FROM engine_limit",
    );
    if (rows !== batches.length * SPANS_PER_BATCH)
      throw new Error(`${rows} rows of ${batches.length} batches in the copy`);
    await stack.query("DROP TABLE engine_limit SYNC");
    return { rows, spansPerS: rows / seconds };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
