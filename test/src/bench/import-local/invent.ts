/** What generated agents say and read: slices of one invented text, so that a gigabyte costs little to write. */
import { createRandom, type Random } from "@centspan/base";

const WORDS =
  "the cart total is wrong when a coupon has expired so we read src/cart.ts and find that applyCoupon returns early ; const sum = items.reduce((a, b) => a + b.price, 0); 합계 — « déjà vu » \t".split(
    " ",
  );
const POOL_CHARACTERS = 512 * 1024;

export type Inventor = {
  random: Random;
  text(characters: number): string;
  /** Between the two, and more often near the first. */
  between(least: number, most: number): number;
  chance(part: number): boolean;
  /** Unique within a generation. */
  id(prefix: string, length?: number): string;
  uuid(): string;
};

export function createInventor(seed: number): Inventor {
  const random = createRandom(seed);
  let pool = "";
  while (pool.length < POOL_CHARACTERS)
    pool += `${WORDS[random.integer(WORDS.length)]}${random.integer(12) === 0 ? "\n" : " "}`;
  let count = 0;
  const hex = (length: number): string => {
    count += 1;
    let text = count.toString(16).padStart(8, "0");
    while (text.length < length)
      text += random
        .integer(2 ** 32)
        .toString(16)
        .padStart(8, "0");
    return text.slice(0, length);
  };
  return {
    random,
    text(wanted) {
      const characters = Math.floor(wanted);
      const start = random.integer(Math.max(1, POOL_CHARACTERS - characters));
      return pool.slice(start, start + characters);
    },
    between: (least, most) => least + Math.floor((most - least) * random.next() ** 2),
    chance: (part) => random.next() < part,
    id: (prefix, length = 24) => prefix + hex(length),
    uuid() {
      const digits = hex(32);
      return [
        digits.slice(0, 8),
        digits.slice(8, 12),
        digits.slice(12, 16),
        digits.slice(16, 20),
        digits.slice(20),
      ].join("-");
    },
  };
}
