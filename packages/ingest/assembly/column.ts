/**
 * Columns of a block, in ClickHouse's Native format. A column's rows are what is in its sinks; what it knows beside them
 * is found again by `reopen` after they were cut back.
 * Format: clickhouse.com/docs, "Native"; a column is its state prefix, then its data.
 */
import { copyBytes, copyText, isUtf8 } from "./bytes";
import { combine, hashNumber, hashText } from "./city-hash";
import { refuseText } from "./failure";
import { countDigits, writeDigits } from "./numbers";
import { RowHashes } from "./row-hashes";
import { MarkedSink, nestSink, Sink } from "./sink";

export abstract class Column {
  /** Says that its rows grow while a record is read. */
  abstract nest(): void;
  /** After the sinks were cut back to a mark. */
  reopen(): void {}
  /** After all rows were taken away: forgets what was kept because of them. */
  clear(): void {
    this.reopen();
  }
  writePrefix(_out: Sink): void {}
  abstract writeData(out: Sink): void;
  /** Folds each row's value into its hash. Only columns of what spans say have one. */
  foldHashes(_hashes: RowHashes): void {
    unreachable();
  }
}

/** Numbers, instants and truth values, little-endian. */
export class FixedColumn extends Column {
  readonly sink: MarkedSink = new MarkedSink();

  nest(): void {
    nestSink(this.sink);
  }

  writeData(out: Sink): void {
    out.write(this.sink.start, this.sink.length);
  }

  /** The eight bytes there; 0 for an absent one. */
  appendEight(at: usize): void {
    this.sink.writeUint64(at === 0 ? 0 : load<u64>(at));
  }
}

/** UInt32. */
export class Uint32Column extends FixedColumn {
  foldHashes(hashes: RowHashes): void {
    const start = this.sink.start;
    for (let row: u32 = 0, rows = this.sink.length / 4; row < rows; row++)
      hashes.fold(row, hashNumber(load<u32>(start + row * 4)));
  }
}

/** DateTime64, which the server hashes as the bytes that it is. */
export class InstantColumn extends FixedColumn {
  foldHashes(hashes: RowHashes): void {
    const start = this.sink.start;
    for (let row: u32 = 0, rows = this.sink.length / 8; row < rows; row++)
      hashes.fold(row, hashText(start + row * 8, 8));
  }
}

/** String. */
export class TextColumn extends Column {
  readonly sink: MarkedSink = new MarkedSink();
  /** Offset at which the latest value begins, behind its length. */
  latest: u32 = 0;

  nest(): void {
    nestSink(this.sink);
  }

  writeData(out: Sink): void {
    out.write(this.sink.start, this.sink.length);
  }

  /** Writes the length of a value; returns where its bytes go, which have room. */
  @inline
  private open(count: u32): usize {
    const sink = this.sink;
    const at = sink.reserve(count + 5);
    if (count < 0x80) {
      store<u8>(at, count);
      sink.length += 1;
    } else sink.writeVarint(count);
    this.latest = sink.length;
    sink.length += count;
    return sink.start + this.latest;
  }

  /** A value that is known to be UTF-8. */
  append(start: usize, count: u32): void {
    copyBytes(this.open(count), start, count);
  }

  /** A value that is refused, not mended, where it is no UTF-8. */
  appendUtf8(start: usize, count: u32, name: string): void {
    if (!copyText(this.open(count), start, count) && !isUtf8(start, start + count)) refuseText(name);
  }

  /** A value that lies in the sink itself, from that offset on. */
  appendCopy(sink: Sink, offset: u32, count: u32): void {
    const to = this.open(count);
    copyBytes(to, sink.start + offset, count);
  }

  /** Two lower-case hexadecimal digits for each byte; nothing for an absent id. */
  appendHex(start: usize, count: u32): void {
    if (start === 0) {
      this.appendEmpty();
      return;
    }
    const to = this.open(count * 2);
    for (let i: u32 = 0; i < count; i += 8) v128.store(to + i * 2, hexOf(load<u64>(start + i)));
  }

  appendInt64(value: i64): void {
    const sign = u32(value < 0);
    const digits = value < 0 ? u64(-value) : u64(value);
    const count = countDigits(digits);
    const to = this.open(sign + count);
    if (sign) store<u8>(to, 0x2d);
    writeDigits(digits, to + sign + count);
  }

  appendEmpty(): void {
    this.sink.writeByte(0);
    this.latest = this.sink.length;
  }

  foldHashes(hashes: RowHashes): void {
    const end = this.sink.end;
    for (let row: u32 = 0, at = this.sink.start; at < end; row++) {
      const value = startOfText(at);
      at = endOfText;
      hashes.fold(row, hashText(value, at - value));
    }
  }
}

/** Where the text begins whose length stands there; it goes to `endOfText`. */
export function startOfText(at: usize): usize {
  const length = load<u8>(at);
  if (length > 0x7f) return startOfLongText(at);
  endOfText = at + 1 + length;
  return at + 1;
}
export let endOfText: usize = 0;

function startOfLongText(at: usize): usize {
  let shift: usize = 0;
  let count: usize = 0;
  let next = at;
  for (; load<u8>(next) > 0x7f; next++, shift += 7) count |= usize(load<u8>(next) & 0x7f) << shift;
  count |= usize(load<u8>(next)) << shift;
  endOfText = next + 1 + count;
  return next + 1;
}

/** Sixteen hexadecimal digits of eight bytes. */
function hexOf(bytes: u64): v128 {
  const high = v128.and(i64x2.splat(i64(bytes >> 4)), i8x16.splat(0x0f));
  const low = v128.and(i64x2.splat(i64(bytes)), i8x16.splat(0x0f));
  const nibbles = i8x16.shuffle(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  return i8x16.swizzle(HEX_DIGITS, nibbles);
}

const HEX_DIGITS: v128 = i8x16(48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102);

/** Where the rows of an Array end in its items. */
export class ListEnds extends Column {
  readonly sink: MarkedSink = new MarkedSink();
  /** Items so far, those of the open row too. */
  items: u32 = 0;

  nest(): void {
    nestSink(this.sink);
  }

  get rows(): u32 {
    return this.sink.length / 8;
  }

  /** The number of items in that row and those before it. */
  @inline
  endOf(row: u32): u32 {
    return load<u32>(this.sink.start + row * 8);
  }

  /** Items of the rows that are closed. */
  get closed(): u32 {
    const sink = this.sink;
    return sink.length === 0 ? 0 : load<u32>(sink.end - 8);
  }

  /** Items of the open row so far. */
  get open(): u32 {
    return this.items - this.closed;
  }

  close(): void {
    this.sink.writeUint64(this.items);
  }

  reopen(): void {
    this.items = this.closed;
  }

  writeData(out: Sink): void {
    out.write(this.sink.start, this.sink.length);
  }
}

/** Array of numbers of eight bytes. */
export class NumberListColumn extends Column {
  readonly ends: ListEnds = new ListEnds();
  readonly item: FixedColumn = new FixedColumn();

  nest(): void {
    this.ends.nest();
    this.item.nest();
  }

  append(value: u64): void {
    this.item.sink.writeUint64(value);
    this.ends.items += 1;
  }

  reopen(): void {
    this.ends.reopen();
  }

  writeData(out: Sink): void {
    this.ends.writeData(out);
    this.item.writeData(out);
  }
}

/** Array(Tuple(…)): the members are columns of equal length. */
export class TupleListColumn extends Column {
  readonly ends: ListEnds = new ListEnds();
  readonly members: Column[] = [];
  private readonly itemHashes: RowHashes = new RowHashes();

  nest(): void {
    this.ends.nest();
    for (let i = 0; i < this.members.length; i++) this.members[i].nest();
  }

  reopen(): void {
    this.ends.reopen();
    for (let i = 0; i < this.members.length; i++) this.members[i].reopen();
  }

  clear(): void {
    this.ends.reopen();
    for (let i = 0; i < this.members.length; i++) this.members[i].clear();
  }

  foldHashes(hashes: RowHashes): void {
    const items = this.itemHashes;
    items.begin(this.ends.closed);
    for (let i = 0; i < this.members.length; i++) {
      this.members[i].foldHashes(items);
      items.closeColumn();
    }
    let item: u32 = 0;
    for (let row: u32 = 0, rows = this.ends.rows; row < rows; row++) {
      const end = this.ends.endOf(row);
      let hash = hashes.fold(row, hashNumber(end - item));
      if (item === end) continue;
      for (; item < end; item++) hash = combine(hash, items.get(item));
      hashes.set(row, hash);
    }
  }

  writePrefix(out: Sink): void {
    for (let i = 0; i < this.members.length; i++) this.members[i].writePrefix(out);
  }

  writeData(out: Sink): void {
    this.ends.writeData(out);
    for (let i = 0; i < this.members.length; i++) this.members[i].writeData(out);
  }
}

/** Nullable(value), eight bytes each. */
export class NullableColumn extends Column {
  private readonly nulls: MarkedSink = new MarkedSink();
  private readonly value: MarkedSink = new MarkedSink();

  nest(): void {
    nestSink(this.nulls);
    nestSink(this.value);
  }

  append(value: u64): void {
    this.nulls.writeByte(0);
    this.value.writeUint64(value);
  }

  appendNull(): void {
    this.nulls.writeByte(1);
    this.value.writeUint64(0);
  }

  writeData(out: Sink): void {
    out.write(this.nulls.start, this.nulls.length);
    out.write(this.value.start, this.value.length);
  }
}
