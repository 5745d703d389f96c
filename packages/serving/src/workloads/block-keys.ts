/**
 * Block keys on spans: only what is new of a prompt. A key is a hash of its block and all before it, so one that was seen before
 * stands for the whole way to it: of each prompt the last known key and those after it are written, and who reads all of them
 * in their order puts the ways together again.
 * Invariant: prompts that are read from one reader share a key exactly when they share everything up to it, as far as spans say.
 */
import type { KvBlockId } from "@centspan/model";

export type WrittenBlocks = { knownBlocks: number; keys: string };

/** `known`: leading blocks that an earlier prompt had too. */
export const writeBlockKeys = (keys: readonly KvBlockId[], known: number): WrittenBlocks => ({
  knownBlocks: known,
  keys: keys
    .slice(Math.max(0, known - 1))
    .map((key) => (typeof key === "number" ? key.toString(36) : key))
    .join("."),
});

export type BlockKeyReader = {
  /** Keys as small numbers, first block first; none where none were written. */
  read(written: WrittenBlocks): number[];
};

export function createBlockKeyReader(): BlockKeyReader {
  const numbers = new Map<string, number>();
  /** By number of a key, the number of the key before it; −1 where it was never seen. */
  const before: number[] = [];
  const numberOf = (key: string): number => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = before.push(-1) - 1;
    numbers.set(key, number);
    return number;
  };
  /** The way to a key of which so many blocks were known. What came before anybody was listening has keys of its own. */
  const trace = (last: number, depth: number): number[] => {
    const way = [last];
    for (let at = last; way.length < depth; ) {
      let earlier = before[at] ?? -1;
      if (earlier < 0) {
        earlier = before.push(-1) - 1;
        before[at] = earlier;
      }
      way.push(earlier);
      at = earlier;
    }
    return way.reverse();
  };
  return {
    read({ knownBlocks, keys }) {
      if (keys === "") return [];
      const [first = 0, ...others] = keys.split(".").map(numberOf);
      const way = trace(first, Math.max(1, knownBlocks));
      for (const key of others) {
        before[key] = way.at(-1) ?? -1;
        way.push(key);
      }
      return way;
    },
  };
}
