/**
 * Fields that messages of several signals have: read from the wire with the path of their complaints, appended to their
 * kind of column. Must not: know a message.
 */
import { seenFrom } from "./admission.ts";
import { readAttribute } from "./attributes.ts";
import { NO_ID } from "./ids.ts";
import type { AttributesColumn } from "./native/attributes-column.ts";
import type { ByteSource } from "./native/byte-sink.ts";
import type { FixedColumn, TextColumn } from "./native/column.ts";
import type { NameColumn } from "./native/name-column.ts";
import type { WireReader } from "./wire/wire-reader.ts";

export function readNested(reader: WireReader, list: string, index: number, read: (reader: WireReader) => void): void {
  try {
    const outer = reader.enter();
    read(reader);
    reader.leave(outer);
  } catch (thrown) {
    throw seenFrom(`${list}[${index}]`, thrown);
  }
}

export function readNestedAttribute(
  reader: WireReader,
  column: AttributesColumn,
  index: number,
  list = "attributes",
): void {
  try {
    readAttribute(reader, column);
  } catch (thrown) {
    throw seenFrom(`${list}[${index}]`, thrown);
  }
}

export function appendId(column: TextColumn, source: ByteSource, start: number, count: 8 | 16): void {
  if (start === NO_ID) column.appendEmpty();
  else column.appendHex(source, start, count);
}

export function appendInstant(column: FixedColumn, source: ByteSource, start: number): void {
  if (start === NO_ID) column.appendZero();
  else column.appendFrom(source, start);
}

/** Returns the value's index in the dictionary. */
export function appendName(column: NameColumn, bytes: ByteSource, start: number, end: number, name: string): number {
  try {
    return column.append(bytes, start, end);
  } catch (thrown) {
    throw seenFrom(name, thrown);
  }
}

export function appendText(column: TextColumn, bytes: ByteSource, start: number, end: number, name: string): void {
  try {
    column.appendUtf8(bytes, start, end);
  } catch (thrown) {
    throw seenFrom(name, thrown);
  }
}

/** Numbers that this version of the protocol doesn't define read as the first, "not specified": enums are open. */
export function appendEnum(column: NameColumn, names: readonly string[], value: number): void {
  const { dictionary } = column;
  // The names are the dictionary's first entries, in their order.
  if (dictionary.size === 1) for (const name of names) dictionary.internText(name);
  column.appendIndex(value >= 0 && value < names.length ? value + 1 : 1);
}
