/**
 * Which slot holds a key. Numbers are hashed into a flat table (open addressing, backward-shift deletion), several times
 * faster than a Map and with nothing to collect; strings go to a Map, whose hashes the runtime caches.
 */
import type { KvBlockId } from "@centspan/model";

export type KeyIndex = {
  /** −1 when the key is not there. */
  find(key: KvBlockId): number;
  /** The key must not be there. */
  add(key: KvBlockId, slot: number): void;
  /** The key must be there. */
  remove(key: KvBlockId): void;
};

const NONE = -1;
const EMPTY = Number.NaN;

export function createKeyIndex(slotCount: number): KeyIndex {
  const named = new Map<string, number>();
  const numbered = createNumberIndex(slotCount);
  return {
    find: (key) => (typeof key === "number" ? numbered.find(key) : (named.get(key) ?? NONE)),
    add(key, slot) {
      if (typeof key === "number") numbered.add(key, slot);
      else named.set(key, slot);
    },
    remove(key) {
      if (typeof key === "number") numbered.remove(key);
      else named.delete(key);
    },
  };
}

/** At most half of the table is in use. */
function createNumberIndex(slotCount: number) {
  const bits = Math.ceil(Math.log2(slotCount + 1)) + 1;
  const mask = 2 ** bits - 1;
  const shift = 32 - bits;
  const tableKeys = new Float64Array(mask + 1).fill(EMPTY);
  const tableSlots = new Int32Array(mask + 1);

  /** Fibonacci hashing; keys beyond 32 bits are folded first. */
  const findHome = (key: number): number => {
    const folded = (key | 0) === key ? key : (key | 0) ^ ((key / 4_294_967_296) | 0);
    return Math.imul(folded, 0x9e3779b1) >>> shift;
  };
  /** The place of the key, or the empty one where the search for it ends. */
  const seek = (key: number): number => {
    let place = findHome(key);
    for (;;) {
      const found = tableKeys[place] ?? EMPTY;
      if (found === key || Number.isNaN(found)) return place;
      place = (place + 1) & mask;
    }
  };
  return {
    find(key: number): number {
      const place = seek(key);
      return tableKeys[place] === key ? (tableSlots[place] ?? NONE) : NONE;
    },
    add(key: number, slot: number): void {
      const place = seek(key);
      tableKeys[place] = key;
      tableSlots[place] = slot;
    },
    /** Moves back what stands behind the gap, so that every key stays reachable from its home. */
    remove(key: number): void {
      let gap = seek(key);
      for (let place = (gap + 1) & mask; ; place = (place + 1) & mask) {
        const moved = tableKeys[place] ?? EMPTY;
        if (Number.isNaN(moved)) break;
        if (((place - findHome(moved)) & mask) < ((place - gap) & mask)) continue;
        tableKeys[gap] = moved;
        tableSlots[gap] = tableSlots[place] ?? NONE;
        gap = place;
      }
      tableKeys[gap] = EMPTY;
    },
  };
}
