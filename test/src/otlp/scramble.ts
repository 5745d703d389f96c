/** Numbers that look random and can be made again: the finaliser of MurmurHash3, a bijection of 32-bit integers. */
export function scramble(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A seeded stream of random numbers in [0, 1). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return scramble(state) / 2 ** 32;
  };
}
