/**
 * LowCardinality(String): each row is an index into a dictionary of the block's distinct values, found by their bytes.
 * Invariant: index 0 is the empty string, as the format asks for.
 */
import { equalBytes, hashBytes, isUtf8 } from "./bytes";
import { hashText } from "./city-hash";
import { Column } from "./column";
import { refuseText } from "./failure";
import { RowHashes } from "./row-hashes";
import { MarkedSink, nestSink, Sink } from "./sink";

const INITIAL_SLOTS: u32 = 64;
/** Of an entry: where its text begins in the values, how long it is, and its hash. */
const ENTRY_BYTES: u32 = 12;

/** Distinct values in order of appearance. */
export class Dictionary {
  readonly values: Sink = new Sink();
  private readonly entries: Sink = new Sink();
  /** Index of an entry and 1, or 0: nothing there. */
  private readonly slots: Sink = new Sink();
  size: u32 = 0;

  constructor() {
    this.clear();
  }

  clear(): void {
    this.values.length = 0;
    this.entries.length = 0;
    this.size = 0;
    this.setSlots(INITIAL_SLOTS);
    this.push(this.values.start, 0, 0);
  }

  /** Whether the value of that index is this one. */
  holds(index: u32, start: usize, count: u32): bool {
    const entry = this.entries.start + index * ENTRY_BYTES;
    return load<u32>(entry, 4) === count && equalBytes(this.values.start + load<u32>(entry), start, count);
  }

  /** Index of the value. A value is refused where it is no UTF-8, which need not be asked again of one that is here. */
  intern(start: usize, count: u32, name: string): u32 {
    if (count === 0) return 0;
    const mask = this.slots.length / 4 - 1;
    const hash = hashBytes(start, count);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = load<u32>(this.slots.start + slot * 4);
      if (index === 0) break;
      if (this.holds(index - 1, start, count)) return index - 1;
    }
    if (!isUtf8(start, start + count)) refuseText(name);
    this.push(start, count, hash);
    if (this.size * 8 > this.slots.length) {
      this.setSlots(this.slots.length / 2);
      for (let index: u32 = 1; index < this.size; index++) this.fillSlot(index);
    } else this.fillSlot(this.size - 1);
    return this.size - 1;
  }

  /** The hash of each value, in order; they lie there until this is called again. */
  hashValues(): usize {
    hashesOfValues.length = 0;
    const hashes = hashesOfValues.extend(this.size * 8);
    for (let index: u32 = 0; index < this.size; index++) {
      const entry = this.entries.start + index * ENTRY_BYTES;
      store<u64>(hashes + index * 8, hashText(this.values.start + load<u32>(entry), load<u32>(entry, 4)));
    }
    return hashes;
  }

  private push(start: usize, count: u32, hash: u32): void {
    const entry = this.entries.extend(ENTRY_BYTES);
    this.values.writeText(start, count);
    store<u32>(entry, this.values.length - count);
    store<u32>(entry, count, 4);
    store<u32>(entry, hash, 8);
    this.size += 1;
  }

  private setSlots(count: u32): void {
    this.slots.length = 0;
    memory.fill(this.slots.extend(count * 4), 0, count * 4);
  }

  private fillSlot(index: u32): void {
    const mask = this.slots.length / 4 - 1;
    let slot = load<u32>(this.entries.start + index * ENTRY_BYTES, 8) & mask;
    while (load<u32>(this.slots.start + slot * 4) !== 0) slot = (slot + 1) & mask;
    store<u32>(this.slots.start + slot * 4, index + 1);
  }
}

const hashesOfValues = new Sink();

const ONE_DICTIONARY: u64 = 1;
const KEYS_WITH_OWN_DICTIONARY: u64 = 0x600;

export class NameColumn extends Column {
  readonly dictionary: Dictionary = new Dictionary();
  /** Of four bytes each. */
  readonly indexes: MarkedSink = new MarkedSink();
  private latest: u32 = 0;

  nest(): void {
    nestSink(this.indexes);
  }

  /** The value of the row before is often the same. */
  append(start: usize, count: u32, name: string): void {
    if (!this.dictionary.holds(this.latest, start, count)) this.latest = this.dictionary.intern(start, count, name);
    this.indexes.writeUint32(this.latest);
  }

  /** A value that is in the dictionary. Those no longer used stay there, which the format allows. */
  appendIndex(index: u32): void {
    this.indexes.writeUint32(index);
  }

  clear(): void {
    this.latest = 0;
    this.dictionary.clear();
  }

  foldHashes(hashes: RowHashes): void {
    const valueHashes = this.dictionary.hashValues();
    const start = this.indexes.start;
    for (let row: u32 = 0, rows = this.indexes.length / 4; row < rows; row++)
      hashes.fold(row, load<u64>(valueHashes + load<u32>(start + row * 4) * 8));
  }

  writePrefix(out: Sink): void {
    out.writeUint64(ONE_DICTIONARY);
  }

  writeData(out: Sink): void {
    const rows = this.indexes.length / 4;
    // Without rows there is nothing: no dictionary either.
    if (rows === 0) return;
    const size = this.dictionary.size;
    const values = this.dictionary.values;
    const width: u32 = size <= 0x100 ? 0 : size <= 0x10000 ? 1 : 2;
    out.writeUint64(KEYS_WITH_OWN_DICTIONARY | width);
    out.writeUint64(size);
    out.write(values.start, values.length);
    out.writeUint64(rows);
    let to = out.extend(rows << width);
    const end = this.indexes.end;
    if (width === 2) memory.copy(to, this.indexes.start, rows * 4);
    else if (width === 1)
      for (let from = this.indexes.start; from < end; from += 4, to += 2) store<u16>(to, load<u32>(from));
    else for (let from = this.indexes.start; from < end; from += 4, to += 1) store<u8>(to, load<u32>(from));
  }
}
