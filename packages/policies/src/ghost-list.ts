/**
 * Keys of blocks that have gone, oldest first: what adaptive policies remember beyond what is resident. A ring of keys
 * with stale entries left in place; it is packed when they outnumber the live ones, so memory follows the live ones.
 */
import type { KvBlockId } from "@centspan/model";

export type GhostList = {
  /** The key must not be in the list. */
  append(key: KvBlockId): void;
  has(key: KvBlockId): boolean;
  /** Whether it was there. */
  remove(key: KvBlockId): boolean;
  /** The oldest key, which is forgotten; undefined when the list is empty. */
  dropOldest(): KvBlockId | undefined;
  readonly size: number;
};

export function createGhostList(): GhostList {
  /** Where in the order of appending each key stands. */
  const orders = new Map<KvBlockId, number>();
  let keys: KvBlockId[] = [];
  let firstOrder = 0;
  let head = 0;

  const skipStale = (): void => {
    for (let key = keys[head]; key !== undefined && orders.get(key) !== firstOrder + head; key = keys[head]) head += 1;
  };
  const pack = (): void => {
    if (keys.length <= 2 * orders.size + 64) return;
    const live = keys.filter((key, at) => at >= head && orders.get(key) === firstOrder + at);
    firstOrder += keys.length;
    keys = live;
    head = 0;
    for (const [at, key] of live.entries()) orders.set(key, firstOrder + at);
  };

  return {
    append(key) {
      orders.set(key, firstOrder + keys.length);
      keys.push(key);
      pack();
    },
    has: (key) => orders.has(key),
    remove: (key) => orders.delete(key),
    dropOldest() {
      skipStale();
      const key = keys[head];
      if (key !== undefined) orders.delete(key);
      head += 1;
      return key;
    },
    get size() {
      return orders.size;
    },
  };
}
