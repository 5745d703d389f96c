/**
 * Bytes to read from, and a growing run of bytes to write to. Both open their fields, because their users read and
 * write at full speed. Where they are walked, it is by words of four bytes: a call out of JavaScript costs more than
 * copying or comparing a short value here.
 */

export interface ByteSource {
  readonly bytes: Buffer;
  /** Of the same bytes. */
  readonly view: DataView;
}

export const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const INITIAL_BYTES = 256;
/** A sink that once held more gives its memory back when it is cleared. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** Beyond this a native copy is faster. */
const WALKED_BYTES = 192;

export class ByteSink implements ByteSource {
  bytes: Buffer;
  view: DataView;
  length = 0;

  constructor(initialBytes = INITIAL_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(initialBytes);
    this.view = viewOf(this.bytes);
  }

  /** Makes room for `extra` bytes behind `length`. */
  reserve(extra: number): void {
    if (this.length + extra > this.bytes.length) this.#grow(extra);
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEPT_BYTES) this.#replace(Buffer.allocUnsafeSlow(INITIAL_BYTES));
  }

  writeByte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  writeVarint(value: number): void {
    this.reserve(10);
    if (value < 0x80) {
      this.bytes[this.length++] = value;
      return;
    }
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  writeUint32(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.length, value, true);
    this.length += 4;
  }

  /** A whole number up to 2^53 as a UInt64. */
  writeUint64(value: number): void {
    this.writeUint32(value);
    this.writeUint32(Math.floor(value / 2 ** 32));
  }

  writeDouble(value: number): void {
    this.reserve(8);
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  /** Returns whether all of it is ASCII. A longer value that is not looked through is said to be none. */
  copyFrom(source: ByteSource, start: number, end: number): boolean {
    const count = end - start;
    this.reserve(count);
    let at = this.length;
    this.length += count;
    if (count > WALKED_BYTES) {
      source.bytes.copy(this.bytes, at, start, end);
      return false;
    }
    const from = source.view;
    const to = this.view;
    let seen = 0;
    let i = start;
    for (; i + 4 <= end; i += 4, at += 4) {
      const word = from.getUint32(i, true);
      to.setUint32(at, word, true);
      seen |= word;
    }
    for (; i < end; i++, at++) {
      const byte = from.getUint8(i);
      to.setUint8(at, byte);
      seen |= byte;
    }
    return (seen & 0x80808080) === 0;
  }

  /** Text as length and bytes, as ClickHouse's String and protobuf have it. */
  writeText(text: string): void {
    this.writeVarint(Buffer.byteLength(text));
    this.reserve(text.length * 3);
    this.length += this.bytes.write(text, this.length);
  }

  #grow(extra: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(this.length + extra, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.length);
    this.#replace(grown);
  }

  #replace(bytes: Buffer): void {
    this.bytes = bytes;
    this.view = viewOf(bytes);
  }
}

/** Whether `count` bytes are the same in both. */
export function equalBytes(a: ByteSource, aStart: number, b: ByteSource, bStart: number, count: number): boolean {
  const left = a.view;
  const right = b.view;
  let i = 0;
  for (; i + 4 <= count; i += 4)
    if (left.getUint32(aStart + i, true) !== right.getUint32(bStart + i, true)) return false;
  for (; i < count; i++) if (left.getUint8(aStart + i) !== right.getUint8(bStart + i)) return false;
  return true;
}
