/** A growing run of bytes. Its owner writes through it at full speed, so its two fields are open. */
const INITIAL_BYTES = 256;
/** A sink that once held more gives its memory back when it is cleared. */
const KEPT_BYTES = 4 * 1024 * 1024;

export class ByteSink {
  bytes: Buffer;
  length = 0;

  constructor(initialBytes = INITIAL_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(initialBytes);
  }

  /** Makes room for `extra` bytes behind `length`. */
  reserve(extra: number): void {
    if (this.length + extra <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.length + extra, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEPT_BYTES) this.bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  writeByte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  writeVarint(value: number): void {
    this.reserve(10);
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest = rest > 0x7fffffff ? Math.floor(rest / 128) : rest >>> 7;
    }
    this.bytes[this.length++] = rest;
  }

  writeUint32(value: number): void {
    this.reserve(4);
    const { bytes, length } = this;
    bytes[length] = value;
    bytes[length + 1] = value >>> 8;
    bytes[length + 2] = value >>> 16;
    bytes[length + 3] = value >>> 24;
    this.length = length + 4;
  }

  /** A whole number up to 2^53 as a UInt64. */
  writeUint64(value: number): void {
    this.writeUint32(value);
    this.writeUint32(Math.floor(value / 2 ** 32));
  }

  writeDouble(value: number): void {
    this.reserve(8);
    this.length = this.bytes.writeDoubleLE(value, this.length);
  }

  copyFrom(source: Buffer, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    // A call out of JavaScript costs more than copying a few bytes here.
    if (count > 40) source.copy(this.bytes, this.length, start, end);
    else for (let i = 0; i < count; i++) this.bytes[this.length + i] = source[start + i] ?? 0;
    this.length += count;
  }

  /** Text as length and bytes, as ClickHouse's String and protobuf have it. */
  writeText(text: string): void {
    this.writeVarint(Buffer.byteLength(text));
    this.writeUtf8(text);
  }

  writeUtf8(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.bytes.write(text, this.length);
  }
}
