/**
 * Writes protobuf into a buffer that grows: the few shapes that spans are made of. A nested message is opened with room for its
 * length and moved where that turns out to take another number of bytes.
 */
const FIRST_BYTES = 8 * 1024;
/** A buffer that grew is used again, unless one span has made it this large. */
const MOST_KEPT_BYTES = 1024 * 1024;
/** Longer texts are worth a call of the runtime's own encoder. */
const SHORT_CHARS = 48;
const TWO_32 = 2 ** 32;

export type ProtobufWriter = ReturnType<typeof createProtobufWriter>;

export function createProtobufWriter() {
  let bytes = Buffer.allocUnsafe(FIRST_BYTES);
  let at = 0;

  const reserve = (count: number): void => {
    if (at + count <= bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(bytes.length * 2, at + count));
    bytes.copy(grown, 0, 0, at);
    bytes = grown;
  };
  const writeVarint = (value: number): void => {
    reserve(10);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 128;
    bytes[at++] = rest;
  };
  const writeInteger = (value: number): void => {
    if (value >= 0 && Number.isSafeInteger(value)) {
      writeVarint(value);
      return;
    }
    reserve(10);
    // In two's complement.
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) bytes[at++] = Number(rest & 127n) | 128;
    bytes[at++] = Number(rest);
  };
  /** Whether all of it was ASCII; else nothing is written. */
  const writeAscii = (text: string): boolean => {
    reserve(text.length + 1);
    const start = at + 1;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      bytes[start + index] = code;
    }
    bytes[at] = text.length;
    at = start + text.length;
    return true;
  };

  return {
    get length() {
      return at;
    },
    varint: writeVarint,
    integer: writeInteger,
    tag(field: number, wireType: number): void {
      writeVarint(field * 8 + wireType);
    },
    text(text: string): void {
      if (text.length <= SHORT_CHARS && writeAscii(text)) return;
      const length = Buffer.byteLength(text);
      writeVarint(length);
      reserve(length);
      at += bytes.write(text, at);
    },
    raw(part: Uint8Array): void {
      reserve(part.length);
      bytes.set(part, at);
      at += part.length;
    },
    /** Bytes given as hexadecimal digits, behind their length. */
    hex(digits: string): void {
      writeVarint(digits.length / 2);
      reserve(digits.length / 2);
      for (let index = 0; index < digits.length; index += 2) {
        bytes[at++] = (readDigit(digits.charCodeAt(index)) << 4) | readDigit(digits.charCodeAt(index + 1));
      }
    },
    fixed32(value: number): void {
      reserve(4);
      at = bytes.writeUInt32LE(value, at);
    },
    double(value: number): void {
      reserve(8);
      at = bytes.writeDoubleLE(value, at);
    },
    /** Nanoseconds since the epoch, of which each product stays within what a number holds exactly. */
    instant(seconds: number, nanos: number): void {
      reserve(8);
      const upper = Math.floor(seconds / 65_536) * 1e9;
      const lower = (upper % 65_536) * 65_536 + (seconds % 65_536) * 1e9 + nanos;
      at = bytes.writeUInt32LE(lower % TWO_32, at);
      at = bytes.writeUInt32LE((Math.floor(upper / 65_536) + Math.floor(lower / TWO_32)) % TWO_32, at);
    },
    /** Returns what `close` needs. */
    open(): number {
      reserve(2);
      at += 1;
      return at;
    },
    /** Ends the message that `open` began. */
    close(start: number): void {
      const length = at - start;
      if (length < 128) {
        bytes[start - 1] = length;
        return;
      }
      const more = length < 16_384 ? 1 : Math.floor(Math.log2(length) / 7);
      reserve(more);
      bytes.copyWithin(start + more, start, at);
      at = start - 1;
      writeVarint(length);
      at += length;
    },
    /** What was written: a view that holds until the writer, which begins anew in the same memory, is written to again. */
    take(): Buffer {
      const taken = bytes.subarray(0, at);
      if (bytes.length > MOST_KEPT_BYTES) bytes = Buffer.allocUnsafe(FIRST_BYTES);
      at = 0;
      return taken;
    },
  };
}

/** Of lower-case digits. */
const readDigit = (code: number): number => (code < 58 ? code - 48 : code - 87);
