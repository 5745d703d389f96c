/**
 * Splits long lists of ids. Those of a query travel in the body of its request, in fields whose length servers limit
 * (ClickHouse's http_max_field_value_size is 128 KiB); those of a command in its address, which must be far shorter.
 */
const BYTES_PER_QUERY = 100_000;
const IDS_PER_COMMAND = 100;
/** Quotes and a comma. */
const BYTES_AROUND = 3;

export const queryInChunks = <T>(ids: readonly string[], query: (ids: string[]) => Promise<T[]>): Promise<T[]> =>
  queryEach(splitByBytes(ids), query);

/** The next question is on its way while the answer to the last is read. */
export async function queryEach<Chunk, T>(
  chunks: readonly Chunk[],
  query: (chunk: Chunk) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  let asked: Promise<T[]>[] = [];
  for (const chunk of chunks) {
    const answer = query(chunk);
    // Whoever waits for an earlier one hears of its failure first, and then no longer waits for this.
    answer.catch(() => {});
    asked.push(answer);
    if (asked.length < 2) continue;
    for (const row of (await asked[0]) ?? []) rows.push(row);
    asked = asked.slice(1);
  }
  for (const answer of asked) for (const row of await answer) rows.push(row);
  return rows;
}

export async function runInChunks(ids: readonly string[], run: (ids: string[]) => Promise<void>): Promise<void> {
  for (const chunk of splitByCount(ids, IDS_PER_COMMAND)) await run(chunk);
}

export function splitByCount<T>(items: readonly T[], count: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < items.length; start += count) chunks.push(items.slice(start, start + count));
  return chunks;
}

/** At least one to a chunk, however long it is. */
export function splitByBytes(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let room = 0;
  for (const id of ids) {
    const bytes = BYTES_AROUND + Buffer.byteLength(id) + countEscapes(id);
    if (chunks.length === 0 || bytes > room) {
      chunks.push([]);
      room = BYTES_PER_QUERY;
    }
    chunks.at(-1)?.push(id);
    room -= bytes;
  }
  return chunks;
}

const countEscapes = (id: string): number => id.match(/['\\\p{Cc}]/gu)?.length ?? 0;
