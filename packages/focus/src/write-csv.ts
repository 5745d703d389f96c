import { stringify } from "csv-stringify/sync";
import { type FocusVersion, listColumns, writeValue } from "./columns.ts";
import type { FocusEntry } from "./describe-charge.ts";

/** RFC 4180 with lines that end in LF; the header goes first, even of no entries. */
export async function* writeCsv(
  version: FocusVersion,
  entries: AsyncIterable<readonly FocusEntry[]>,
): AsyncGenerator<Uint8Array> {
  const columns = listColumns(version);
  yield Buffer.from(stringify([columns.map(({ id }) => id)]));
  for await (const some of entries) {
    yield Buffer.from(stringify(some.map((entry) => columns.map((column) => writeValue(column, entry)))));
  }
}
