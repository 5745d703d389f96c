/**
 * Protobuf's wire format into a growing buffer (facts: protobuf.dev/programming-guides/encoding).
 * Must not: know any message. A nested message is written first and its length put before it when it closes; most are
 * shorter than 128 bytes and need not move. `rewind` forgets everything from a position on, opened messages included.
 */

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Bytes of a varint up to 2^53. */
const MAX_VARINT = 8;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

export class ProtobufWriter {
  #bytes: Buffer;
  #at = 0;

  constructor(sizeHint: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(sizeHint, 256));
  }

  get position(): number {
    return this.#at;
  }

  rewind(position: number): void {
    this.#at = position;
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  /** A whole number from 0 to 2^53. */
  varint(value: number): void {
    this.#reserve(MAX_VARINT);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#at++] = (rest % 0x80) + 0x80;
    this.#bytes[this.#at++] = rest;
  }

  /** Any whole number of 64 bits, signed ones in two's complement. */
  varint64(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    for (; rest > MAX_SAFE; rest >>= 7n) {
      this.#reserve(1);
      this.#bytes[this.#at++] = Number(rest & 0x7fn) + 0x80;
    }
    this.varint(Number(rest));
  }

  fixed32(value: number): void {
    this.#reserve(4);
    this.#at = this.#bytes.writeUInt32LE(value, this.#at);
  }

  fixed64(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#at);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  text(value: string, encoding: "utf8" | "hex" | "base64"): void {
    const size = Buffer.byteLength(value, encoding);
    this.varint(size);
    this.#reserve(size);
    this.#at += this.#bytes.write(value, this.#at, encoding);
  }

  /** Begins a nested message; its end is `close` with what this returns. */
  open(): number {
    this.#reserve(1);
    return this.#at++;
  }

  close(opened: number): void {
    const start = opened + 1;
    const size = this.#at - start;
    let prefix = 1;
    for (let rest = size; rest >= 0x80; rest = Math.floor(rest / 0x80)) prefix += 1;
    this.#reserve(MAX_VARINT);
    if (prefix > 1) this.#bytes.copyWithin(opened + prefix, start, this.#at);
    this.#at = opened;
    this.varint(size);
    this.#at = opened + prefix + size;
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + size));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}
