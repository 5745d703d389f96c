/** Fields that messages of several signals have. Where a field stands is an address; that of an absent one is 0. */
import { refuse } from "./host";
import { Reader } from "./reader";

/** Passes an id of `count` bytes; one that is empty or all zero is absent. */
export function passOptionalId(reader: Reader, count: u32, name: string): usize {
  const end = reader.readLength();
  const start = reader.at;
  reader.at = end;
  if (end === start) return 0;
  if (end - start !== count) refuseId(count, name);
  for (let i: u32 = 0; i < count; i += 8) if (load<u64>(start + i) !== 0) return start;
  return 0;
}

export function refuseId(count: u32, name: string): void {
  refuse("invalid_id", "must be # bytes, not all zero", name, count);
}

/** Passes nanoseconds since 1970 that fit 64 signed bits. */
export function passInstant(reader: Reader, name: string): usize {
  const start = reader.pass(8);
  if (load<i64>(start) < 0) refuse("invalid_time", "must be nanoseconds between 1970 and 2262", name, 0);
  return start;
}
