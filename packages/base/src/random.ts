/**
 * Randomness as a port: a seeded generator for everything that must be replayable.
 * xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018), seeded by splitmix32.
 */
export type Random = {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Uniform integer in [0, bound). */
  integer(bound: number): number;
};

export function createRandom(seed: number): Random {
  let mix = seed >>> 0;
  const splitmix = (): number => {
    mix = (mix + 0x9e3779b9) | 0;
    let z = mix ^ (mix >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  let a = splitmix();
  let b = splitmix();
  let c = splitmix();
  let d = splitmix();
  const rotate = (x: number, k: number): number => (x << k) | (x >>> (32 - k));
  const draw = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = rotate(d, 11);
    return result;
  };
  return {
    next: () => draw() / 4_294_967_296,
    integer(bound) {
      if (!Number.isSafeInteger(bound) || bound < 1 || bound > 4_294_967_296) {
        throw new RangeError(`bound out of range: ${bound}`);
      }
      // Rejection keeps small bounds unbiased.
      const limit = 4_294_967_296 - (4_294_967_296 % bound);
      let value = draw();
      while (value >= limit) value = draw();
      return value % bound;
    },
  };
}
