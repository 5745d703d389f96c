/** Protobuf's wire format read as a list of fields, slowly. What breaks it is Bad, what readers may differ on Unsure. */
import { Bad, Unsure } from "./verdict.ts";

export type Field = { number: number; wire: number; value: Buffer };

export function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = readShort(bytes, at);
    const number = Math.floor(tag.value / 8);
    const wire = tag.value % 8;
    if (number === 0) throw new Bad("field 0");
    if (number >= 2 ** 29) throw new Unsure("a field number beyond the protocol");
    const { start, next } = passValue(bytes, tag.next, wire);
    fields.push({ number, wire, value: bytes.subarray(start, next) });
    at = next;
  }
  return fields;
}

function passValue(bytes: Buffer, at: number, wire: number): { start: number; next: number } {
  if (wire === 0) return { start: at, next: readVarint(bytes, at).next };
  if (wire === 2) {
    const length = readShort(bytes, at);
    return take(bytes, length.next, length.value);
  }
  if (wire === 1) return take(bytes, at, 8);
  if (wire === 5) return take(bytes, at, 4);
  throw new Bad(`wire type ${wire}`);
}

function take(bytes: Buffer, start: number, length: number) {
  if (start + length > bytes.length) throw new Bad("too short");
  return { start, next: start + length };
}

/** A tag or a length: of more than five bytes it is no longer canonical, and readers differ. */
function readShort(bytes: Buffer, at: number): { value: number; next: number } {
  const { value, next } = readVarint(bytes, at);
  if (next - at > 5) {
    if (value > BigInt(bytes.length) * 8n + 7n && next - at > 8) throw new Bad("too large");
    throw new Unsure("a padded varint");
  }
  return { value: Number(value), next };
}

export function readVarint(bytes: Buffer, start: number): { value: bigint; next: number } {
  let value = 0n;
  for (let at = start; at < start + 10; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) throw new Bad("too short");
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
    if (byte < 0x80) return { value, next: at + 1 };
  }
  throw new Bad("a varint of more than ten bytes");
}
