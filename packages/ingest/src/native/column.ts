/**
 * Columns of a block, in ClickHouse's Native format. Rows are appended by the methods of each kind; all can be cut back
 * to their first rows, which is how a refused record or body leaves nothing behind.
 * Format: clickhouse.com/docs, "Native"; a column is its state prefix, then its data.
 */
import { isUtf8 } from "node:buffer";
import { BadValue } from "../admission.ts";
import { ByteSink, type ByteSource } from "./byte-sink.ts";
import { Uint32List } from "./uint32-list.ts";

export interface Column {
  readonly rows: number;
  truncate(rows: number): void;
  /** Takes all rows away, and what was kept because of them. */
  clear(): void;
  writePrefix(out: ByteSink): void;
  writeData(out: ByteSink): void;
}

/** Numbers, instants and truth values: `width` bytes each, little-endian. */
export class FixedColumn implements Column {
  readonly #width: number;
  readonly #sink = new ByteSink();

  constructor(width: 1 | 4 | 8) {
    this.#width = width;
  }

  get rows(): number {
    return this.#sink.length / this.#width;
  }

  appendByte(value: number): void {
    this.#sink.writeByte(value);
  }

  appendUint32(value: number): void {
    this.#sink.writeUint32(value);
  }

  /** A whole number up to 2^53. */
  appendUint64(value: number): void {
    this.#sink.writeUint64(value);
  }

  appendDouble(value: number): void {
    this.#sink.writeDouble(value);
  }

  appendZero(): void {
    for (let i = 0; i < this.#width; i++) this.#sink.writeByte(0);
  }

  /** The bytes as they stand in `source`, which has numbers little-endian too. */
  appendFrom(source: ByteSource, at: number): void {
    this.#sink.copyFrom(source, at, at + this.#width);
  }

  truncate(rows: number): void {
    this.#sink.length = rows * this.#width;
  }

  clear(): void {
    this.#sink.clear();
  }

  writePrefix(): void {}

  writeData(out: ByteSink): void {
    out.copyFrom(this.#sink, 0, this.#sink.length);
  }
}

const HEX_PAIRS = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, "0")).readUInt16BE(),
);

/** String. */
export class TextColumn implements Column {
  readonly #sink = new ByteSink(4096);
  readonly #ends = new Uint32List();

  get rows(): number {
    return this.#ends.length;
  }

  /** Where the next value will be written. A caller may write it there by itself and then say `close`. */
  get sink(): ByteSink {
    return this.#sink;
  }

  close(): void {
    this.#ends.push(this.#sink.length);
  }

  /** A value that is known to be UTF-8. */
  append(source: ByteSource, start: number, end: number): void {
    this.#sink.writeVarint(end - start);
    this.#sink.copyFrom(source, start, end);
    this.close();
  }

  /** A value that is refused, not mended, where it is no UTF-8. */
  appendUtf8(source: ByteSource, start: number, end: number): void {
    this.#sink.writeVarint(end - start);
    const isAscii = this.#sink.copyFrom(source, start, end);
    this.close();
    if (!isAscii && !isUtf8(source.bytes.subarray(start, end))) throw new BadValue("invalid_text", "must be UTF-8");
  }

  /** Two lower-case hexadecimal digits for each of `count` bytes. */
  appendHex({ view }: ByteSource, start: number, count: number): void {
    const sink = this.#sink;
    sink.writeVarint(count * 2);
    sink.reserve(count * 2);
    for (let i = 0; i < count; i++) sink.view.setUint16(sink.length + i * 2, HEX_PAIRS[view.getUint8(start + i)] ?? 0);
    sink.length += count * 2;
    this.close();
  }

  /** Text of fewer than 128 ASCII characters, such as a number's. */
  appendAscii(text: string): void {
    const sink = this.#sink;
    const count = text.length;
    sink.writeByte(count);
    sink.reserve(count);
    for (let i = 0; i < count; i++) sink.bytes[sink.length + i] = text.charCodeAt(i);
    sink.length += count;
    this.close();
  }

  appendText(text: string): void {
    this.#sink.writeText(text);
    this.close();
  }

  appendEmpty(): void {
    this.#sink.writeByte(0);
    this.close();
  }

  /** Appends the rows from `first` on up to `last` once more. */
  repeat(first: number, last: number): void {
    const start = this.#offsetOf(first);
    const shift = this.#sink.length - start;
    this.#sink.reserve(this.#offsetOf(last) - start);
    this.#sink.copyFrom(this.#sink, start, this.#offsetOf(last));
    for (let row = first; row < last; row++) this.#ends.push(this.#ends.at(row) + shift);
  }

  /** Where a row's bytes begin in the sink. */
  startOf(row: number): number {
    let start = this.#offsetOf(row);
    while ((this.#sink.bytes[start++] ?? 0) > 0x7f);
    return start;
  }

  endOf(row: number): number {
    return this.#ends.at(row);
  }

  truncate(rows: number): void {
    this.#sink.length = this.#offsetOf(rows);
    this.#ends.length = rows;
  }

  clear(): void {
    this.#sink.clear();
    this.#ends.clear();
  }

  writePrefix(): void {}

  writeData(out: ByteSink): void {
    out.copyFrom(this.#sink, 0, this.#sink.length);
  }

  #offsetOf(row: number): number {
    return row === 0 ? 0 : this.#ends.at(row - 1);
  }
}

/** Array(item): the item's rows of a row are those appended before its `close`. */
export class ListColumn<Item extends Column> implements Column {
  readonly item: Item;
  readonly #ends = new Uint32List();

  constructor(item: Item) {
    this.item = item;
  }

  get rows(): number {
    return this.#ends.length;
  }

  /** Index of a row's first item; of the row after the last: the first item that no row has yet. */
  startOf(row: number): number {
    return row === 0 ? 0 : this.#ends.at(row - 1);
  }

  close(): void {
    this.#ends.push(this.item.rows);
  }

  truncate(rows: number): void {
    this.#ends.length = rows;
    this.item.truncate(this.startOf(rows));
  }

  clear(): void {
    this.#ends.clear();
    this.item.clear();
  }

  writePrefix(out: ByteSink): void {
    this.item.writePrefix(out);
  }

  writeData(out: ByteSink): void {
    out.reserve(this.rows * 8);
    for (let row = 0; row < this.rows; row++) out.writeUint64(this.#ends.at(row));
    this.item.writeData(out);
  }
}

/** Tuple, and the pairs of a Map: columns of equal length. */
export class TupleColumn<Members extends Record<string, Column>> implements Column {
  readonly members: Members;
  readonly #columns: readonly Column[];

  constructor(members: Members) {
    this.members = members;
    this.#columns = Object.values(members);
  }

  get rows(): number {
    return this.#columns[0]?.rows ?? 0;
  }

  truncate(rows: number): void {
    for (const column of this.#columns) column.truncate(rows);
  }

  clear(): void {
    for (const column of this.#columns) column.clear();
  }

  writePrefix(out: ByteSink): void {
    for (const column of this.#columns) column.writePrefix(out);
  }

  writeData(out: ByteSink): void {
    for (const column of this.#columns) column.writeData(out);
  }
}

/** Nullable(value). */
export class NullableColumn implements Column {
  readonly #nulls = new FixedColumn(1);
  readonly value: FixedColumn;

  constructor(value: FixedColumn) {
    this.value = value;
  }

  get rows(): number {
    return this.#nulls.rows;
  }

  /** After the value was appended to `value`. */
  closeValue(): void {
    this.#nulls.appendByte(0);
  }

  appendNull(): void {
    this.#nulls.appendByte(1);
    this.value.appendZero();
  }

  truncate(rows: number): void {
    this.#nulls.truncate(rows);
    this.value.truncate(rows);
  }

  clear(): void {
    this.#nulls.clear();
    this.value.clear();
  }

  writePrefix(): void {}

  writeData(out: ByteSink): void {
    this.#nulls.writeData(out);
    this.value.writeData(out);
  }
}
