/**
 * LowCardinality(String): each row is an index into a dictionary of the block's distinct values. Values are found by
 * their bytes, so that no string is made for a value that was seen before.
 * Invariant: index 0 is the empty string, as the format asks for.
 */
import { isUtf8 } from "node:buffer";
import { BadValue } from "../admission.ts";
import { ByteSink, type ByteSource, equalBytes, viewOf } from "./byte-sink.ts";
import type { Column } from "./column.ts";
import { Uint32List } from "./uint32-list.ts";

const INITIAL_SLOTS = 64;

/** Makes it hard to choose values that all fall into one slot; no result depends on it. */
const HASH_SEED = Math.floor(Math.random() * 2 ** 32);

/** Distinct values in order of appearance. `classify` is asked once for each and its answer kept. */
export class Dictionary {
  readonly #classify: (text: string) => number;
  readonly #values = new ByteSink(1024);
  readonly #starts = new Uint32List();
  readonly #ends = new Uint32List();
  readonly #classes = new Uint32List();
  #slots = new Int32Array(INITIAL_SLOTS);

  constructor(classify: (text: string) => number = () => 0) {
    this.#classify = classify;
    this.clear();
  }

  get size(): number {
    return this.#ends.length;
  }

  classOf(index: number): number {
    return this.#classes.at(index);
  }

  /** Index of the value. A value is refused where it is no UTF-8, which need not be asked again of one that is here. */
  intern(source: ByteSource, start: number, end: number): number {
    if (start === end) return 0;
    const mask = this.#slots.length - 1;
    let slot = hashBytes(source, start, end) & mask;
    for (;;) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index < 0) return this.#add(slot, source, start, end);
      if (this.holds(index, source, start, end)) return index;
      slot = (slot + 1) & mask;
    }
  }

  internText(text: string): number {
    const bytes = Buffer.from(text);
    return this.intern({ bytes, view: viewOf(bytes) }, 0, bytes.length);
  }

  clear(): void {
    this.#values.clear();
    this.#starts.clear();
    this.#ends.clear();
    this.#classes.clear();
    if (this.#slots.length > INITIAL_SLOTS * 64) this.#slots = new Int32Array(INITIAL_SLOTS);
    else this.#slots.fill(0);
    this.#push(this.#values, 0, 0);
  }

  write(out: ByteSink): void {
    out.copyFrom(this.#values, 0, this.#values.length);
  }

  /** Whether the value of that index is this one. */
  holds(index: number, source: ByteSource, start: number, end: number): boolean {
    const at = this.#starts.at(index);
    const count = end - start;
    return this.#ends.at(index) - at === count && equalBytes(this.#values, at, source, start, count);
  }

  #add(slot: number, source: ByteSource, start: number, end: number): number {
    if (!isUtf8(source.bytes.subarray(start, end))) throw new BadValue("invalid_text", "must be UTF-8");
    const index = this.size;
    this.#push(source, start, end);
    this.#slots[slot] = index + 1;
    if (this.size * 2 > this.#slots.length) this.#rehash();
    return index;
  }

  #push(source: ByteSource, start: number, end: number): void {
    this.#values.writeVarint(end - start);
    this.#starts.push(this.#values.length);
    this.#values.copyFrom(source, start, end);
    this.#ends.push(this.#values.length);
    this.#classes.push(this.#classify(source.bytes.toString("utf8", start, end)));
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let index = 1; index < this.size; index++) {
      let slot = hashBytes(this.#values, this.#starts.at(index), this.#ends.at(index)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }
}

/** FNV-1a over words instead of bytes. */
function hashBytes({ view }: ByteSource, start: number, end: number): number {
  let hash = HASH_SEED;
  let i = start;
  for (; i + 4 <= end; i += 4) hash = mix(hash ^ view.getUint32(i, true));
  for (; i < end; i++) hash = mix(hash ^ view.getUint8(i));
  return hash;
}

const mix = (hash: number): number => {
  const mixed = Math.imul(hash, 0x01000193);
  return mixed ^ (mixed >>> 15);
};

const KEYS_WITH_OWN_DICTIONARY = 0x600;

export class NameColumn implements Column {
  readonly dictionary: Dictionary;
  readonly #indexes = new Uint32List();
  #latest = 0;

  constructor(classify?: (text: string) => number) {
    this.dictionary = new Dictionary(classify);
  }

  get rows(): number {
    return this.#indexes.length;
  }

  at(row: number): number {
    return this.#indexes.at(row);
  }

  /** Returns the value's index in the dictionary. The value of the row before is often the same. */
  append(source: ByteSource, start: number, end: number): number {
    const { dictionary } = this;
    const index = dictionary.holds(this.#latest, source, start, end)
      ? this.#latest
      : dictionary.intern(source, start, end);
    this.#latest = index;
    this.#indexes.push(index);
    return index;
  }

  /** A value that is in the dictionary. */
  appendIndex(index: number): void {
    this.#indexes.push(index);
  }

  /** Values that are no longer used stay in the dictionary, which the format allows. */
  truncate(rows: number): void {
    this.#indexes.length = rows;
  }

  clear(): void {
    this.#latest = 0;
    this.#indexes.clear();
    this.dictionary.clear();
  }

  writePrefix(out: ByteSink): void {
    out.writeUint64(1);
  }

  writeData(out: ByteSink): void {
    // Without rows there is nothing: no dictionary either.
    if (this.rows === 0) return;
    const width = this.dictionary.size <= 0x100 ? 0 : this.dictionary.size <= 0x10000 ? 1 : 2;
    out.writeUint64(KEYS_WITH_OWN_DICTIONARY | width);
    out.writeUint64(this.dictionary.size);
    this.dictionary.write(out);
    out.writeUint64(this.rows);
    out.reserve(this.rows << width);
    const { bytes } = out;
    let at = out.length;
    for (let row = 0; row < this.rows; row++) {
      const index = this.#indexes.at(row);
      bytes[at++] = index;
      if (width > 0) bytes[at++] = index >>> 8;
      if (width > 1) {
        bytes[at++] = index >>> 16;
        bytes[at++] = index >>> 24;
      }
    }
    out.length = at;
  }
}
