/** A block of columns as the engine itself writes it: the rows of a SELECT, whose columns are named as the table's. */
import type { Block } from "@centspan/model";

export async function selectBlock(url: string, select: string): Promise<Block> {
  const answer = await fetch(new URL("/", url), { method: "POST", body: `${select} FORMAT Native` });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (!answer.ok) throw new Error(new TextDecoder().decode(bytes));
  const half = bytes.length >> 1;
  return {
    rows: Number(JSON.parse(answer.headers.get("x-clickhouse-summary") ?? "{}").result_rows ?? 0),
    bytes: bytes.length,
    async *read() {
      yield bytes.subarray(0, half);
      yield bytes.subarray(half);
    },
  };
}
