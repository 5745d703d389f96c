/** How the records of a signal are read: the columns that they fill, and the reader, once the rows are there. */
import type { Column } from "./native/column.ts";
import type { RowWriter } from "./row-writer.ts";
import type { RecordReader } from "./walk-export.ts";

export type SignalReader = {
  columns: Readonly<Record<string, Column>>;
  open(rows: RowWriter): { startBody(body: Buffer): void; readRecord: RecordReader };
};
