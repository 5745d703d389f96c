/** Growing runs of bytes. Those of columns can be cut back to a mark, which is how what is refused leaves nothing. */
import { copyBytes } from "./bytes";

const INITIAL_BYTES: u32 = 256;

export class Sink {
  start: usize = heap.alloc(INITIAL_BYTES);
  length: u32 = 0;
  private capacity: u32 = INITIAL_BYTES;

  @inline
  get end(): usize {
    return this.start + this.length;
  }

  /** Makes room for so many bytes more and returns where they begin. */
  @inline
  reserve(extra: u32): usize {
    if (extra > this.capacity - this.length) this.grow(extra);
    return this.end;
  }

  private grow(extra: u32): void {
    this.capacity = max(this.length + extra, this.capacity * 2);
    this.start = heap.realloc(this.start, this.capacity);
  }

  /** Reserves the bytes as written. */
  @inline
  extend(count: u32): usize {
    const at = this.reserve(count);
    this.length += count;
    return at;
  }

  @inline
  writeByte(value: u32): void {
    store<u8>(this.extend(1), value);
  }

  @inline
  writeUint32(value: u32): void {
    store<u32>(this.extend(4), value);
  }

  @inline
  writeUint64(value: u64): void {
    store<u64>(this.extend(8), value);
  }

  writeVarint(value: u32): void {
    let rest = value;
    for (; rest > 0x7f; rest >>= 7) this.writeByte((rest & 0x7f) | 0x80);
    this.writeByte(rest);
  }

  write(from: usize, count: u32): void {
    copyBytes(this.extend(count), from, count);
  }

  /** Length and bytes, as ClickHouse's String and protobuf have it. */
  writeText(from: usize, count: u32): void {
    this.writeVarint(count);
    this.write(from, count);
  }

  /** Bytes that lie in this sink once more. */
  repeat(offset: u32, count: u32): void {
    const to = this.extend(count);
    copyBytes(to, this.start + offset, count);
  }
}

/** A sink of a column: it can be cut back to where it was when a body began, and those of lists to where a record did. */
export class MarkedSink extends Sink {
  atBody: u32 = 0;
  atRecord: u32 = 0;

  constructor() {
    super();
    marked.push(this);
  }
}

const marked: MarkedSink[] = [];
/** Those of lists. They grow while a record is read, all others when it is known to be good. */
const nested: MarkedSink[] = [];

export function nestSink(sink: MarkedSink): void {
  nested.push(sink);
}

export function markRecord(): void {
  for (let i = 0, count = nested.length; i < count; i++) {
    const sink = unchecked(nested[i]);
    sink.atRecord = sink.length;
  }
}
export function cutToRecord(): void {
  for (let i = 0; i < nested.length; i++) nested[i].length = nested[i].atRecord;
}

export function markBody(): void {
  for (let i = 0; i < marked.length; i++) marked[i].atBody = marked[i].length;
}
export function cutToBody(): void {
  for (let i = 0; i < marked.length; i++) marked[i].length = marked[i].atBody;
}
export function cutAll(): void {
  for (let i = 0; i < marked.length; i++) marked[i].length = 0;
}
