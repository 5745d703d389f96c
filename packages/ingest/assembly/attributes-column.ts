/**
 * Map(LowCardinality(String), String): attributes. A value is written straight into `values`; the caller says which key
 * it belongs to, before or after. Invariant: a key is once in a row; of a repeated one the last value stays.
 */
import { combine, hashNumber, hashText } from "./city-hash";
import { Column, endOfText, ListEnds, startOfText, TextColumn } from "./column";
import { classify } from "./host";
import { NameColumn } from "./name-column";
import { RowHashes } from "./row-hashes";
import { Sink } from "./sink";

/**
 * What is known of a key: the row in which it was last seen, to tell a repeated key in one look; the key that followed
 * it last time, since an emitter writes its attributes in the same order again and again; its class; and, while repeated
 * keys are dropped, its last place in the row.
 */
const NOTE_BYTES: u32 = 16;
const SEEN_IN: usize = 0;
const FOLLOWER: usize = 4;
const CLASS: usize = 8;
const LAST_AT: usize = 12;

export class AttributesColumn extends Column {
  readonly keys: NameColumn = new NameColumn();
  readonly values: TextColumn = new TextColumn();
  private readonly ends: ListEnds = new ListEnds();
  private readonly isClassified: bool;
  private readonly notes: Sink = new Sink();
  private serial: u32 = 1;
  private previous: u32 = 0;
  private isRepeated: bool = false;
  /** Where the values of the open row begin. */
  private openAt: u32 = 0;

  /** The host is asked for the class of each distinct key once. */
  constructor(isClassified: bool) {
    super();
    this.isClassified = isClassified;
    this.clear();
  }

  nest(): void {
    this.keys.nest();
    this.values.nest();
    this.ends.nest();
  }

  /** Attributes that the open row has. */
  get count(): u32 {
    return this.keys.indexes.length / 4 - this.ends.items;
  }

  /** Returns the key's class. Its value follows, or was written before. */
  appendKey(start: usize, count: u32): u32 {
    const key = this.findKey(start, count);
    this.keys.appendIndex(key);
    const note = this.noteOf(key);
    if (load<u32>(note, SEEN_IN) === this.serial) this.isRepeated = true;
    store<u32>(note, this.serial, SEEN_IN);
    return load<u32>(note, CLASS);
  }

  private findKey(start: usize, count: u32): u32 {
    const dictionary = this.keys.dictionary;
    const expected = load<u32>(this.noteOf(this.previous), FOLLOWER);
    if (dictionary.holds(expected, start, count)) {
      this.previous = expected;
      return expected;
    }
    const known = dictionary.size;
    const key = dictionary.intern(start, count, "key");
    if (key === known) this.writeNote(this.isClassified ? classify(start, count) : 0);
    store<u32>(this.noteOf(this.previous), key, FOLLOWER);
    this.previous = key;
    return key;
  }

  private noteOf(key: u32): usize {
    return this.notes.start + key * NOTE_BYTES;
  }

  private writeNote(keyClass: u32): void {
    const note = this.notes.extend(NOTE_BYTES);
    store<u64>(note, 0);
    store<u32>(note, keyClass, CLASS);
  }

  close(): void {
    if (this.isRepeated) this.dropRepeated();
    this.ends.items = this.keys.indexes.length / 4;
    this.ends.close();
    this.nextRow();
  }

  /** Appends a row that was taken by `takeRow`. */
  appendRow(keys: Sink, values: Sink): void {
    this.keys.indexes.write(keys.start, keys.length);
    this.values.sink.write(values.start, values.length);
    this.close();
  }

  /** Moves what is in the open row to there. */
  takeRow(keys: Sink, values: Sink): void {
    if (this.isRepeated) this.dropRepeated();
    const indexes = this.keys.indexes;
    const first = this.ends.closed * 4;
    keys.length = 0;
    keys.write(indexes.start + first, indexes.length - first);
    values.length = 0;
    values.write(this.values.sink.start + this.openAt, this.values.sink.length - this.openAt);
    this.dropRow();
  }

  /** Drops what is in the open row. */
  dropRow(): void {
    this.keys.indexes.length = this.ends.closed * 4;
    this.values.sink.length = this.openAt;
    this.nextRow();
  }

  private nextRow(): void {
    this.openAt = this.values.sink.length;
    this.isRepeated = false;
    this.previous = 0;
    this.serial += 1;
    if (this.serial > 0) return;
    for (let key: u32 = 0; key < this.keys.dictionary.size; key++) store<u32>(this.noteOf(key), 0, SEEN_IN);
    this.serial = 1;
  }

  reopen(): void {
    this.ends.reopen();
    this.nextRow();
  }

  clear(): void {
    this.keys.clear();
    this.notes.length = 0;
    this.writeNote(0);
    this.reopen();
  }

  writePrefix(out: Sink): void {
    this.keys.writePrefix(out);
  }

  writeData(out: Sink): void {
    this.ends.writeData(out);
    this.keys.writeData(out);
    this.values.writeData(out);
  }

  foldHashes(hashes: RowHashes): void {
    const keyHashes = this.keys.dictionary.hashValues();
    let key = this.keys.indexes.start;
    let at = this.values.sink.start;
    let item: u32 = 0;
    for (let row: u32 = 0, rows = this.ends.rows; row < rows; row++) {
      const end = this.ends.endOf(row);
      let hash = hashes.fold(row, hashNumber(end - item));
      for (; item < end; item++, key += 4) {
        const value = startOfText(at);
        at = endOfText;
        hash = combine(hash, combine(load<u64>(keyHashes + load<u32>(key) * 8), hashText(value, at - value)));
      }
      hashes.set(row, hash);
    }
  }

  /** Rare: moves the pairs of the open row together over those whose key comes again. */
  private dropRepeated(): void {
    const sink = this.values.sink;
    const first = this.keys.indexes.start + this.ends.closed * 4;
    const end = this.keys.indexes.end;
    for (let at = first; at < end; at += 4) store<u32>(this.noteOf(load<u32>(at)), u32(at - first), LAST_AT);
    let value = sink.start + this.openAt;
    let toValue = value;
    let to = first;
    for (let at = first; at < end; at += 4) {
      const key = load<u32>(at);
      startOfText(value);
      const next = endOfText;
      if (load<u32>(this.noteOf(key), LAST_AT) === u32(at - first)) {
        store<u32>(to, key);
        to += 4;
        memory.copy(toValue, value, next - value);
        toValue += next - value;
      }
      value = next;
    }
    this.keys.indexes.length = u32(to - this.keys.indexes.start);
    sink.length = u32(toValue - sink.start);
  }
}
