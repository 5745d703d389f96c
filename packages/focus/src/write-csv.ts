import { stringify } from "csv-stringify/sync";
import { type FocusColumn, type FocusVersion, listColumns, writeValue } from "./columns.ts";
import type { FocusEntry } from "./describe-charge.ts";

/**
 * RFC 4180 with lines that end in LF; the header goes first, even of no entries. A name that a spreadsheet would take for a
 * formula, which a client can choose, has a quote before it, as spreadsheets have it themselves.
 */
export async function* writeCsv(
  version: FocusVersion,
  entries: AsyncIterable<readonly FocusEntry[]>,
): AsyncGenerator<Uint8Array> {
  const columns = listColumns(version);
  yield Buffer.from(stringify([columns.map(({ id }) => id)]));
  for await (const some of entries) {
    yield Buffer.from(stringify(some.map((entry) => columns.map((column) => writeCell(column, entry)))));
  }
}

function writeCell(column: FocusColumn, entry: FocusEntry): string | null {
  const value = writeValue(column, entry);
  return value !== null && column.kind === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}
