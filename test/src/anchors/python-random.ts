/**
 * `random.Random(seed).shuffle` of CPython 3, for studies whose order of sessions was drawn with it: the Mersenne Twister
 * MT19937 (Matsumoto and Nishimura, 1998) seeded by array, and the shuffle of Fisher and Yates from the end.
 */
const SIZE = 624;
const MIDDLE = 397;

export function shuffleAsPython<T>(list: readonly T[], seed: number): T[] {
  const draw = createTwister(seed);
  const drawBelow = (bound: number): number => {
    const bits = 32 - Math.clz32(bound);
    for (;;) {
      const value = draw() >>> (32 - bits);
      if (value < bound) return value;
    }
  };
  const shuffled = [...list];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const [moved] = shuffled.splice(drawBelow(at + 1), 1, ...shuffled.slice(at, at + 1));
    if (moved !== undefined) shuffled[at] = moved;
  }
  return shuffled;
}

function createTwister(seed: number): () => number {
  const state = seedByArray(seed >>> 0);
  const get = (at: number): number => state[at % SIZE] ?? 0;
  let next = SIZE;
  const refill = (): void => {
    for (let at = 0; at < SIZE; at += 1) {
      const y = (get(at) & 0x80000000) | (get(at + 1) & 0x7fffffff);
      state[at] = get(at + MIDDLE) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    next = 0;
  };
  return () => {
    if (next === SIZE) refill();
    let y = get(next);
    next += 1;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
}

function seedByArray(key: number): Uint32Array {
  const state = new Uint32Array(SIZE);
  state[0] = 19_650_218;
  const mixed = (at: number): number => (state[at - 1] ?? 0) ^ ((state[at - 1] ?? 0) >>> 30);
  for (let at = 1; at < SIZE; at += 1) state[at] = Math.imul(1_812_433_253, mixed(at)) + at;
  let at = 1;
  const step = (factor: number, addend: (at: number) => number): void => {
    state[at] = ((state[at] ?? 0) ^ Math.imul(mixed(at), factor)) + addend(at);
    at += 1;
    if (at < SIZE) return;
    state[0] = state[SIZE - 1] ?? 0;
    at = 1;
  };
  for (let count = 0; count < SIZE; count += 1) step(1_664_525, () => key);
  for (let count = 1; count < SIZE; count += 1) step(1_566_083_941, (place) => -place);
  state[0] = 0x80000000;
  return state;
}
