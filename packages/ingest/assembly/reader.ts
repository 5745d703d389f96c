/**
 * Protobuf's wire format: one position that never passes `end`, the end of the message being read.
 * Facts: protobuf.dev/programming-guides/encoding. Must not: know any message.
 * Invariant: whatever the bytes are, a method returns a value or refuses; none loops without progress.
 */
import { refuseTruncated } from "./failure";
import { refuse } from "./host";

export const VARINT: u32 = 0;
export const FIXED64: u32 = 1;
export const BYTES: u32 = 2;
export const FIXED32: u32 = 5;

export class Reader {
  at: usize = 0;
  end: usize = 0;

  @inline
  get more(): bool {
    return this.at < this.end;
  }

  /** A tag or a length: a varint of 32 bits. */
  @inline
  readSmall(): u32 {
    const at = this.at;
    if (at < this.end) {
      const byte = load<u8>(at);
      if (byte < 0x80) {
        this.at = at + 1;
        return byte;
      }
    }
    return this.readLongSmall();
  }

  private readLongSmall(): u32 {
    const value = u64(this.readInt64());
    if (value > u64(u32.MAX_VALUE)) refuse("malformed", "protobuf holds a tag or length that is too large", "", 0);
    return u32(value);
  }

  @inline
  readTag(): u32 {
    const tag = this.readSmall();
    if (tag < 8) refuse("malformed", "protobuf holds field number 0", "", 0);
    return tag;
  }

  /** int64: ten bytes at most, two's complement. */
  readInt64(): i64 {
    let value: u64 = 0;
    for (let shift: u64 = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) refuseTruncated();
      const byte = load<u8>(this.at++);
      value |= u64(byte & 0x7f) << shift;
      if (byte < 0x80) return i64(value);
    }
    refuse("malformed", "protobuf holds a varint longer than ten bytes", "", 0);
    return 0;
  }

  /** An int32, uint32 or enum: the low 32 bits, as protobuf says. */
  readInt32(): i32 {
    return i32(this.readInt64());
  }

  /** Zigzag: small numbers of either sign are short. */
  readSint32(): i32 {
    const value = u32(this.readInt64());
    return i32(value >>> 1) ^ -i32(value & 1);
  }

  /** Passes `count` bytes and returns where they begin. */
  @inline
  pass(count: usize): usize {
    const at = this.at;
    if (count > this.end - at) refuseTruncated();
    this.at = at + count;
    return at;
  }

  /** Passes a length and returns where the value ends; `at` is where it begins. */
  @inline
  readLength(): usize {
    const length = usize(this.readSmall());
    if (length > this.end - this.at) refuseTruncated();
    return this.at + length;
  }

  /** Passes a length-delimited value and returns where it begins; it ends at the new position. */
  @inline
  passBytes(): usize {
    const end = this.readLength();
    const start = this.at;
    this.at = end;
    return start;
  }

  /** Narrows the reader to the message at the position. Returns the end to give back to `leave`. */
  @inline
  enter(): usize {
    const outer = this.end;
    this.end = this.readLength();
    return outer;
  }

  @inline
  leave(outer: usize): void {
    this.at = this.end;
    this.end = outer;
  }

  skip(tag: u32): void {
    const wire = tag & 7;
    if (wire === BYTES) this.at = this.readLength();
    else if (wire === VARINT) this.readInt64();
    else if (wire === FIXED64) this.pass(8);
    else if (wire === FIXED32) this.pass(4);
    else refuse("malformed", "protobuf holds wire type #", "", wire);
  }

  /**
   * Called for a tag that no case of a message took. A field that the message defines (`names`, by number) came with
   * another wire type: then it is another message. Any other field is of a later version, and skipped.
   */
  skipUnknown(tag: u32, names: StaticArray<string>): void {
    const field = tag >>> 3;
    if (field < u32(names.length) && names[field].length > 0)
      refuse("malformed", "has wire type #, which is not its own", names[field], tag & 7);
    this.skip(tag);
  }
}
