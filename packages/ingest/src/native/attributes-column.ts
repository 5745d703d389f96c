/**
 * Map(LowCardinality(String), String): attributes. A value is written straight into `value`; the caller then says
 * which key it belongs to. Invariant: a key is once in a row; of a repeated one the last value stays.
 */
import { type ByteSink, type ByteSource, viewOf } from "./byte-sink.ts";
import { type Column, ListColumn, TextColumn, TupleColumn } from "./column.ts";
import { NameColumn } from "./name-column.ts";

export class AttributesColumn implements Column {
  readonly #keys: NameColumn;
  readonly #values = new TextColumn();
  readonly #list: ListColumn<Column>;
  /** By key: the number of the row in which it was last seen, to tell a repeated key in one look. */
  #seenIn = new Uint32Array(256);
  #serial = 1;
  /** By key: the one that followed it last time. An emitter writes its attributes in the same order again and again. */
  readonly #follower: number[] = [];
  #previous = 0;
  #repeated = false;

  /** `classify` gives each distinct key a number that `appendKey` returns. */
  constructor(classify?: (key: string) => number) {
    this.#keys = new NameColumn(classify);
    this.#list = new ListColumn(new TupleColumn({ keys: this.#keys, values: this.#values }));
  }

  get rows(): number {
    return this.#list.rows;
  }

  /** Where the value of the next attribute is written. */
  get value(): TextColumn {
    return this.#values;
  }

  /** Returns the key's class. Its value follows, or was written before. */
  appendKey(source: ByteSource, start: number, end: number): number {
    const key = this.#findKey(source, start, end);
    this.#keys.appendIndex(key);
    if (key >= this.#seenIn.length) this.#growSeen(key);
    if (this.#seenIn[key] === this.#serial) this.#repeated = true;
    this.#seenIn[key] = this.#serial;
    return this.#keys.dictionary.classOf(key);
  }

  close(): void {
    if (this.#repeated) this.#dropRepeated();
    this.#list.close();
    this.#nextRow();
  }

  /** Appends a row equal to that one. */
  repeat(row: number): void {
    const first = this.#list.startOf(row);
    const last = this.#list.startOf(row + 1);
    this.#values.repeat(first, last);
    for (let i = first; i < last; i++) this.#keys.appendIndex(this.#keys.at(i));
    this.#list.close();
  }

  /** About what one more row equal to that one takes: its values, and two numbers for each. */
  weightOf(row: number): number {
    const first = this.#list.startOf(row);
    const last = this.#list.startOf(row + 1);
    if (first === last) return 0;
    return this.#values.endOf(last - 1) - this.#values.startOf(first) + (last - first) * 8;
  }

  /** Drops what was appended since the last `close` too. */
  truncate(rows: number): void {
    this.#list.truncate(rows);
    this.#nextRow();
  }

  clear(): void {
    this.#list.clear();
    this.#nextRow();
  }

  writePrefix(out: ByteSink): void {
    this.#list.writePrefix(out);
  }

  writeData(out: ByteSink): void {
    this.#list.writeData(out);
  }

  #nextRow(): void {
    this.#repeated = false;
    this.#previous = 0;
    this.#serial += 1;
    if (this.#serial < 2 ** 32) return;
    this.#seenIn.fill(0);
    this.#serial = 1;
  }

  #findKey(source: ByteSource, start: number, end: number): number {
    const { dictionary } = this.#keys;
    const expected = this.#follower[this.#previous] ?? 0;
    if (expected < dictionary.size && dictionary.holds(expected, source, start, end)) {
      this.#previous = expected;
      return expected;
    }
    const key = dictionary.intern(source, start, end);
    this.#follower[this.#previous] = key;
    this.#previous = key;
    return key;
  }

  #growSeen(key: number): void {
    const grown = new Uint32Array(Math.max(key + 1, this.#seenIn.length * 2));
    grown.set(this.#seenIn);
    this.#seenIn = grown;
  }

  /** Rare: writes the open row again behind itself without the values that were overwritten, then moves it down. */
  #dropRepeated(): void {
    const first = this.#list.startOf(this.rows);
    const last = this.#keys.rows;
    const lastAt = new Map<number, number>();
    for (let i = first; i < last; i++) lastAt.set(this.#keys.at(i), i);
    const kept = [...lastAt.values()]
      .sort((a, b) => a - b)
      .map((i) => ({
        key: this.#keys.at(i),
        value: Buffer.from(this.#values.sink.bytes.subarray(this.#values.startOf(i), this.#values.endOf(i))),
      }));
    this.#keys.truncate(first);
    this.#values.truncate(first);
    for (const { key, value } of kept) {
      this.#keys.appendIndex(key);
      this.#values.append({ bytes: value, view: viewOf(value) }, 0, value.length);
    }
  }
}
