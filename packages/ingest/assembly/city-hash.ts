/**
 * The hashes that ClickHouse's cityHash64 makes, so that a block can bring what the server would compute of its rows.
 * CityHash64 1.0.2 by Geoff Pike and Jyrki Alakuijala; numbers and lists as ClickHouse's FunctionsHashing.h has them.
 */
const K0: u64 = 0xc3a5c85c97cb3127;
const K1: u64 = 0xb492b66fbe98f273;
const K2: u64 = 0x9ae16a3b2f90404f;
const K3: u64 = 0xc949d7c7509e6557;
const PAIR: u64 = 0x9ddfea08eb382d69;

/** Of two hashes, in their order. */
export function combine(first: u64, second: u64): u64 {
  const low = mix((first ^ second) * PAIR);
  return mix((second ^ low) * PAIR) * PAIR;
}

export function hashNumber(value: u64): u64 {
  let hash = value ^ 0x4cf2d2baae6da887;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

export function hashText(start: usize, count: usize): u64 {
  if (count > 64) return hashLong(start, count);
  if (count > 32) return hash33to64(start, count);
  if (count > 16) return hash17to32(start, count);
  return hashShort(start, count);
}

function mix(value: u64): u64 {
  return value ^ (value >> 47);
}

function hashShort(at: usize, count: usize): u64 {
  const last = at + count;
  if (count > 8) {
    const tail = load<u64>(last - 8);
    return combine(load<u64>(at), rotr<u64>(tail + count, count)) ^ tail;
  }
  if (count >= 4) return combine(count + (u64(load<u32>(at)) << 3), load<u32>(last - 4));
  if (count === 0) return K2;
  const ends = u64(load<u8>(at)) + (u64(load<u8>(at + (count >> 1))) << 8);
  const size = count + (u64(load<u8>(last - 1)) << 2);
  return mix((ends * K2) ^ (size * K3)) * K2;
}

function hash17to32(at: usize, count: usize): u64 {
  const last = at + count;
  const a = load<u64>(at) * K1;
  const b = load<u64>(at + 8);
  const c = load<u64>(last - 8) * K2;
  const d = load<u64>(last - 16) * K0;
  return combine(rotr<u64>(a - b, 43) + rotr<u64>(c, 30) + d, a + rotr<u64>(b ^ K3, 20) - c + count);
}

function hash33to64(at: usize, count: usize): u64 {
  const last = at + count;
  fold32(at, load<u64>(at) + (count + load<u64>(last - 16)) * K0, load<u64>(at + 24));
  const head = first;
  const headMix = second;
  fold32(last - 32, load<u64>(at + 16) + load<u64>(last - 32), load<u64>(last - 8));
  const both = mix((head + second) * K2 + (first + headMix) * K0);
  return mix(both * K0 + headMix) * K2;
}

/** What a step gives that has two results. */
let first: u64 = 0;
let second: u64 = 0;

/** Of the middle two words at `at`, whose first and last are in `a` and `z`. */
function fold32(at: usize, a: u64, z: u64): void {
  const next = a + load<u64>(at + 8);
  const sum = next + load<u64>(at + 16);
  first = sum + z;
  second = rotr<u64>(a + z, 52) + rotr<u64>(sum, 31) + rotr<u64>(a, 37) + rotr<u64>(next, 7);
}

/** Of the four words at `at`. */
function seed32(at: usize, a: u64, b: u64): void {
  const begun = a + load<u64>(at);
  const last = load<u64>(at + 24);
  const sum = begun + load<u64>(at + 8) + load<u64>(at + 16);
  first = sum + last;
  second = rotr<u64>(b + begun + last, 21) + rotr<u64>(sum, 44) + begun;
}

function hashLong(start: usize, count: usize): u64 {
  let at = start;
  const last = at + count;
  const end = at + ((count - 1) & ~63);
  let x = load<u64>(at);
  let y = load<u64>(last - 16) ^ K1;
  let z = load<u64>(last - 56) ^ K0;
  seed32(last - 64, count, y);
  let v = first;
  let vMix = second;
  seed32(last - 32, count * K1, K0);
  let w = first;
  let wMix = second;
  z += mix(vMix) * K1;
  x = rotr<u64>(z + x, 39) * K1;
  y = rotr<u64>(y, 33) * K1;
  for (; at < end; at += 64) {
    x = (rotr<u64>(x + y + v + load<u64>(at + 16), 37) * K1) ^ wMix;
    y = (rotr<u64>(y + vMix + load<u64>(at + 48), 42) * K1) ^ v;
    z = rotr<u64>(z ^ w, 33);
    seed32(at, vMix * K1, x + w);
    v = first;
    vMix = second;
    seed32(at + 32, z + wMix, y);
    w = first;
    wMix = second;
    const swapped = z;
    z = x;
    x = swapped;
  }
  return combine(combine(v, w) + mix(y) * K1 + z, combine(vMix, wMix) + x);
}
