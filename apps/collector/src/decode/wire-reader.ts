/**
 * Protobuf's wire format over a Buffer: a cursor that never reads past its end.
 * Facts: protobuf.dev/programming-guides/encoding. Must not: know any message.
 * Invariant: whatever the bytes are, a reader returns a value or throws BadValue; it never loops without progress.
 */
import { isUtf8 } from "node:buffer";
import { BadValue } from "./decoded-traces.ts";

export type Cursor = { readonly bytes: Buffer; at: number; readonly end: number };

export const createCursor = (bytes: Buffer): Cursor => ({ bytes, at: 0, end: bytes.length });

const truncated = (): BadValue => new BadValue("", "protobuf ends in the middle of a value");

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A varint up to 53 bits: tags and lengths. */
function readSmallVarint(cursor: Cursor): number {
  let value = 0;
  let scale = 1;
  for (let i = 0; i < 8; i++) {
    if (cursor.at >= cursor.end) throw truncated();
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (value > Number.MAX_SAFE_INTEGER) break;
      return value;
    }
    scale *= 128;
  }
  throw new BadValue("", "protobuf holds a tag or length that is too large");
}

/** int64: ten bytes at most, two's complement. */
export function readInt64(cursor: Cursor): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    if (cursor.at >= cursor.end) throw truncated();
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asIntN(64, value);
  }
  throw new BadValue("", "protobuf holds a varint longer than ten bytes");
}

/** An enum: an int32, negative ones included. */
export const readEnum = (cursor: Cursor): number => Number(BigInt.asIntN(32, readInt64(cursor)));

export function readFixed64(cursor: Cursor): bigint {
  const at = advance(cursor, 8);
  return cursor.bytes.readBigUInt64LE(at);
}

export function readDouble(cursor: Cursor): number {
  const at = advance(cursor, 8);
  return cursor.bytes.readDoubleLE(at);
}

function advance(cursor: Cursor, bytes: number): number {
  const at = cursor.at;
  if (bytes > cursor.end - at) throw truncated();
  cursor.at = at + bytes;
  return at;
}

/** A nested message (or any length-delimited value) as a cursor of its own. */
export function readMessage(cursor: Cursor): Cursor {
  const length = readSmallVarint(cursor);
  const at = advance(cursor, length);
  return { bytes: cursor.bytes, at, end: at + length };
}

export function readBytes(cursor: Cursor): Buffer {
  const { at, end, bytes } = readMessage(cursor);
  return bytes.subarray(at, end);
}

export const readHex = (cursor: Cursor): string => readBytes(cursor).toString("hex");

/** A string; protobuf strings are UTF-8, and bytes that are not are refused, not replaced. */
export function readString(cursor: Cursor): string {
  const { at, end, bytes } = readMessage(cursor);
  const text = bytes.toString("utf8", at, end);
  if (text.includes("\uFFFD") && !isUtf8(bytes.subarray(at, end))) throw new BadValue("", "must be UTF-8");
  return text;
}

/** Calls `onField` for each field; it reads the value, or returns false for one it doesn't know. */
export function readFields(cursor: Cursor, onField: (field: number, wire: number) => boolean): void {
  while (cursor.at < cursor.end) {
    const tag = readSmallVarint(cursor);
    const field = Math.floor(tag / 8);
    const wire = tag % 8;
    if (field === 0) throw new BadValue("", "protobuf holds field number 0");
    if (!onField(field, wire)) skipValue(cursor, wire);
  }
}

function skipValue(cursor: Cursor, wire: number): void {
  switch (wire) {
    case WIRE.varint:
      readInt64(cursor);
      return;
    case WIRE.fixed64:
      advance(cursor, 8);
      return;
    case WIRE.bytes:
      readMessage(cursor);
      return;
    case WIRE.fixed32:
      advance(cursor, 4);
      return;
    default:
      throw new BadValue("", `protobuf holds wire type ${wire}`);
  }
}

/** Fails when a field that a message defines has another wire type than its definition: then it is another message. */
export function expectWire(actual: number, expected: number, name: string): true {
  if (actual !== expected) throw new BadValue(name, `has wire type ${actual} instead of ${expected}`);
  return true;
}
