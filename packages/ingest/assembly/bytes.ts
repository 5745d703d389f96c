/** Copying, comparing and checking runs of bytes. Short ones are walked: a call of the memory's own copy costs more. */

const WALKED_BYTES: usize = 256;
const HIGH_BITS: u64 = 0x8080808080808080;

/** The two runs don't overlap. */
export function copyBytes(to: usize, from: usize, count: usize): void {
  if (count > WALKED_BYTES) memory.copy(to, from, count);
  else copyText(to, from, count);
}

/** Copies, and returns whether all of it is ASCII. */
export function copyText(to: usize, from: usize, count: usize): bool {
  if (count >= 16) {
    if (count > WALKED_BYTES) {
      memory.copy(to, from, count);
      return isAscii(from, count);
    }
    // The last sixteen bytes overlap those before.
    const last = count - 16;
    let seen = v128.load(from + last);
    v128.store(to + last, seen);
    for (let i: usize = 0; i < last; i += 16) {
      const word = v128.load(from + i);
      v128.store(to + i, word);
      seen = v128.or(seen, word);
    }
    return i8x16.bitmask(seen) === 0;
  }
  if (count >= 8) {
    const first = load<u64>(from);
    const last = load<u64>(from + count - 8);
    store<u64>(to, first);
    store<u64>(to + count - 8, last);
    return ((first | last) & HIGH_BITS) === 0;
  }
  if (count >= 4) {
    const first = load<u32>(from);
    const last = load<u32>(from + count - 4);
    store<u32>(to, first);
    store<u32>(to + count - 4, last);
    return ((first | last) & u32(HIGH_BITS)) === 0;
  }
  let seen: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    const byte = load<u8>(from + i);
    store<u8>(to + i, byte);
    seen |= byte;
  }
  return seen < 0x80;
}

function isAscii(start: usize, count: usize): bool {
  const last = start + count - 16;
  let seen = v128.load(last);
  for (let at = start; at < last; at += 16) seen = v128.or(seen, v128.load(at));
  return i8x16.bitmask(seen) === 0;
}

/** Whether `count` bytes are the same in both. */
export function equalBytes(a: usize, b: usize, count: usize): bool {
  if (count >= 8) {
    const last = count - 8;
    for (let i: usize = 0; i < last; i += 8) if (load<u64>(a + i) !== load<u64>(b + i)) return false;
    return load<u64>(a + last) === load<u64>(b + last);
  }
  if (count >= 4) return load<u32>(a) === load<u32>(b) && load<u32>(a + count - 4) === load<u32>(b + count - 4);
  for (let i: usize = 0; i < count; i++) if (load<u8>(a + i) !== load<u8>(b + i)) return false;
  return true;
}

/** Makes it hard to choose values that all fall into one slot; no result depends on it. */
let seed: u64 = 0;
export function seedHash(value: u64): void {
  seed = value;
}

export function hashBytes(start: usize, count: usize): u32 {
  let hash = seed ^ u64(count);
  let i: usize = 0;
  for (; i + 8 <= count; i += 8) hash = mix(hash ^ load<u64>(start + i));
  for (; i < count; i++) hash = mix(hash ^ load<u8>(start + i));
  return u32(hash);
}

function mix(hash: u64): u64 {
  const mixed = hash * 0x9e3779b97f4a7c15;
  return mixed ^ (mixed >> 32);
}

/** UTF-8 as Unicode's table 3-7 has it: no surrogates, nothing longer than it need be, nothing past U+10FFFF. */
export function isUtf8(start: usize, end: usize): bool {
  let at = start;
  while (at < end) {
    if (at + 8 <= end && (load<u64>(at) & HIGH_BITS) === 0) {
      at += 8;
      continue;
    }
    const first = load<u8>(at++);
    if (first < 0x80) continue;
    if (first < 0xc2 || first > 0xf4) return false;
    const more: usize = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (end - at < more) return false;
    const low: u8 = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high: u8 = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    const second = load<u8>(at);
    if (second < low || second > high) return false;
    for (let i: usize = 1; i < more; i++) if ((load<u8>(at + i) & 0xc0) !== 0x80) return false;
    at += more;
  }
  return true;
}
