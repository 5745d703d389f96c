/** Splits long lists of ids: parameters travel in the address of a request, whose length servers limit. */
const IDS_PER_QUERY = 100;

export async function queryInChunks<T>(ids: readonly string[], query: (ids: string[]) => Promise<T[]>): Promise<T[]> {
  const results: T[] = [];
  await runInChunks(ids, async (chunk) => {
    results.push(...(await query(chunk)));
  });
  return results;
}

export async function runInChunks(ids: readonly string[], run: (ids: string[]) => Promise<void>): Promise<void> {
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) await run(ids.slice(start, start + IDS_PER_QUERY));
}
