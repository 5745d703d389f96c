/** Checked reading of ids and instants: `at` of the reader is at the value, and behind it afterwards. */
import { BadValue } from "./admission.ts";
import type { WireReader } from "./wire/wire-reader.ts";

/** Where an absent id begins. */
export const NO_ID = -1;

/** Passes an id of `bytes` bytes and returns where it begins; `NO_ID` where it is empty or all zero, which mean "none". */
export function passOptionalId(reader: WireReader, bytes: 8 | 16, name: string): number {
  const end = reader.readLength();
  const start = reader.at;
  reader.at = end;
  if (end - start !== bytes && end !== start) throw badId(bytes, name);
  for (let i = start; i < end; i++) if (reader.bytes[i] !== 0) return start;
  return NO_ID;
}

export const badId = (bytes: 8 | 16, name: string): BadValue =>
  new BadValue("invalid_id", `must be ${bytes} bytes, not all zero`, name);

/** Passes nanoseconds since 1970 that fit 64 signed bits, and returns where they begin. */
export function passInstant(reader: WireReader, name: string): number {
  const start = reader.pass(8);
  if ((reader.bytes[start + 7] ?? 0) > 0x7f) {
    throw new BadValue("invalid_time", "must be nanoseconds between 1970 and 2262", name);
  }
  return start;
}
