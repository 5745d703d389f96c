/**
 * Entries as Parquet, a row group at a time: decimals as DECIMAL(38, 12), instants as timestamps, JSON as text as CSV has
 * it. Invariant: no amount passes through a float.
 */
import { assert, type Decimal, parseDecimal } from "@centspan/base";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { type FocusColumn, type FocusVersion, listColumns, writeValue } from "./columns.ts";
import type { FocusEntry } from "./describe-charge.ts";

const SCALE = 12;
const UNIT = parseDecimal("1000000000000");
const ROWS_PER_GROUP = 50_000;

type SchemaElement = ParquetWriter["schema"][number];

function describeColumn({ id, kind }: FocusColumn): SchemaElement {
  const common = { name: id, repetition_type: "OPTIONAL" } as const;
  if (kind === "decimal") {
    const decimal = { converted_type: "DECIMAL", precision: 38, scale: SCALE } as const;
    return { ...common, type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, ...decimal };
  }
  if (kind === "datetime") return { ...common, type: "INT64", converted_type: "TIMESTAMP_MILLIS" };
  return { ...common, type: "BYTE_ARRAY", converted_type: "UTF8" };
}

function readValue(column: FocusColumn, entry: FocusEntry): bigint | string | null {
  if (column.kind === "decimal") {
    const value = column.value(entry);
    return value === null ? null : toUnscaled(value);
  }
  if (column.kind === "datetime") {
    const value = column.value(entry);
    return value === null ? null : value / 1_000_000n;
  }
  return writeValue(column, entry);
}

function toUnscaled(amount: Decimal): bigint {
  const unscaled = amount.times(UNIT);
  assert(unscaled.eq(unscaled.round(0, 0)), `an amount of at most ${SCALE} decimals, not ${amount.toFixed()}`);
  return BigInt(unscaled.toFixed(0));
}

export async function* writeParquet(
  version: FocusVersion,
  entries: AsyncIterable<readonly FocusEntry[]>,
): AsyncGenerator<Uint8Array> {
  const columns = listColumns(version);
  const writer = new ByteWriter();
  const schema = [{ name: "root", num_children: columns.length }, ...columns.map(describeColumn)];
  const parquet = new ParquetWriter({ writer, schema, createdBy: "centspan" });
  const take = (): Uint8Array => {
    const bytes = Uint8Array.from(writer.getBytes());
    // Offsets in the file go on; only what was handed out is let go.
    writer.index = 0;
    return bytes;
  };
  let group: FocusEntry[] = [];
  const writeGroup = async () => {
    const columnData = columns.map((column) => ({
      name: column.id,
      data: group.map((entry) => readValue(column, entry)),
    }));
    await parquet.write({ columnData, rowGroupSize: ROWS_PER_GROUP });
    group = [];
  };
  for await (const some of entries) {
    group.push(...some);
    if (group.length < ROWS_PER_GROUP) continue;
    await writeGroup();
    yield take();
  }
  if (group.length > 0) await writeGroup();
  await parquet.finish();
  yield take();
}
