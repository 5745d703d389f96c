/**
 * Protobuf's wire format over a Buffer: one position that never passes `end`, the end of the message being read.
 * Facts: protobuf.dev/programming-guides/encoding. Must not: know any message.
 * Invariant: whatever the bytes are, a method returns a value or throws BadValue; none loops without progress.
 */

import { BadValue } from "../admission.ts";
import { type ByteSource, viewOf } from "../native/byte-sink.ts";

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Tag of a field with its wire type, as it stands in the bytes: compared with what `readTag` returns. */
export const tagOf = (field: number, wire: number): number => field * 8 + wire;

const truncated = (): BadValue => new BadValue("malformed", "protobuf ends in the middle of a value");

export class WireReader implements ByteSource {
  readonly bytes: Buffer;
  readonly view: DataView;
  at = 0;
  end: number;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.end = bytes.length;
  }

  get more(): boolean {
    return this.at < this.end;
  }

  /** A tag or a length: a varint up to 53 bits. */
  readSmallVarint(): number {
    const { at } = this;
    const byte = this.bytes[at] ?? 0x80;
    if (byte < 0x80 && at < this.end) {
      this.at = at + 1;
      return byte;
    }
    return this.#readLongVarint();
  }

  #readLongVarint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      if (this.at >= this.end) throw truncated();
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw new BadValue("malformed", "protobuf holds a tag or length that is too large");
  }

  readTag(): number {
    const tag = this.readSmallVarint();
    if (tag < 8) throw new BadValue("malformed", "protobuf holds field number 0");
    return tag;
  }

  /** int64 as text: its digits are exact. */
  readInt64Text(): string {
    const start = this.at;
    let value = 0;
    // Seven bytes are 49 bits: what is longer, or negative, is for BigInt.
    for (let i = 0, scale = 1; i < 7 && this.at < this.end; i++, scale *= 128) {
      const byte = this.view.getUint8(this.at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return String(value);
    }
    this.at = start;
    return this.readInt64().toString();
  }

  /** int64: ten bytes at most, two's complement. */
  readInt64(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.at >= this.end) throw truncated();
      const byte = this.bytes[this.at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new BadValue("malformed", "protobuf holds a varint longer than ten bytes");
  }

  /** An int32, uint32 or enum: the low 32 bits, as protobuf says. */
  readInt32(): number {
    const { at } = this;
    const byte = this.bytes[at] ?? 0x80;
    if (byte < 0x80 && at < this.end) {
      this.at = at + 1;
      return byte;
    }
    return Number(BigInt.asIntN(32, this.readInt64()));
  }

  /** Passes `count` bytes and returns where they begin. */
  pass(count: number): number {
    const { at } = this;
    if (count > this.end - at) throw truncated();
    this.at = at + count;
    return at;
  }

  /** Passes the length of a length-delimited value and returns where the value ends; `at` is where it begins. */
  readLength(): number {
    const length = this.readSmallVarint();
    if (length > this.end - this.at) throw truncated();
    return this.at + length;
  }

  /** Passes a length-delimited value and returns where it begins; it ends at the new position. */
  passBytes(): number {
    const end = this.readLength();
    const start = this.at;
    this.at = end;
    return start;
  }

  readDouble(): number {
    return this.view.getFloat64(this.pass(8), true);
  }

  /** Narrows the reader to the message at the position. Returns the end to give back to `leave`. */
  enter(): number {
    const outer = this.end;
    this.end = this.readLength();
    return outer;
  }

  leave(outer: number): void {
    this.at = this.end;
    this.end = outer;
  }

  skip(tag: number): void {
    switch (tag & 7) {
      case WIRE.varint:
        this.readInt64();
        return;
      case WIRE.fixed64:
        this.pass(8);
        return;
      case WIRE.bytes:
        this.at = this.readLength();
        return;
      case WIRE.fixed32:
        this.pass(4);
        return;
      default:
        throw new BadValue("malformed", `protobuf holds wire type ${tag & 7}`);
    }
  }
}

/**
 * Called for a tag that no case of a message took. A field that the message defines came with another wire type: then
 * it is another message. Any other field is of a later version, and skipped.
 */
export function skipUnknown(reader: WireReader, tag: number, fields: Readonly<Record<number, string>>): void {
  const name = fields[tag >>> 3];
  if (name !== undefined) throw new BadValue("malformed", `has wire type ${tag & 7}, which is not its own`, name);
  reader.skip(tag);
}
