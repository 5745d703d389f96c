/**
 * A policy from an order over blocks: the first evictable block in that order goes. A binary heap that knows where each
 * block stands, so that every event costs O(log n) and memory follows the resident blocks alone.
 */
import { assert } from "@centspan/base";
import type { KvBlockId, KvPolicy, KvPolicyEvent } from "@centspan/model";

export type RankedBlock = {
  readonly block: KvBlockId;
  readonly depth: number;
  /** Counts of events: unique, and the same in every replay. */
  readonly insertedOrder: number;
  usedOrder: number;
  usedNs: bigint;
};

type Entry = RankedBlock & { heapIndex: number };

const NOT_IN_HEAP = -1;

/** `compare` is negative when `a` goes before `b`. It must be a total order. */
export function createRankedPolicy(compare: (a: RankedBlock, b: RankedBlock) => number): KvPolicy {
  const entries = new Map<KvBlockId, Entry>();
  const heap = createHeap(compare);
  let order = 0;

  const find = (block: KvBlockId): Entry => {
    const entry = entries.get(block);
    assert(entry, `block ${block} is not resident`);
    return entry;
  };

  return {
    onInsert({ block, depth, atNs }: KvPolicyEvent) {
      assert(!entries.has(block), `block ${block} is resident already`);
      order += 1;
      const entry = { block, depth, insertedOrder: order, usedOrder: order, usedNs: atNs, heapIndex: NOT_IN_HEAP };
      entries.set(block, entry);
    },
    onAccess({ block, atNs }: KvPolicyEvent) {
      const entry = find(block);
      order += 1;
      const evictable = heap.remove(entry);
      entry.usedOrder = order;
      entry.usedNs = atNs;
      if (evictable) heap.add(entry);
    },
    onRemove(block) {
      heap.remove(find(block));
      entries.delete(block);
    },
    setEvictable(block, evictable) {
      const entry = find(block);
      if (!evictable) heap.remove(entry);
      else if (entry.heapIndex === NOT_IN_HEAP) heap.add(entry);
    },
    chooseVictim: () => heap.first()?.block ?? null,
  };
}

function createHeap(compare: (a: RankedBlock, b: RankedBlock) => number) {
  const slots: Entry[] = [];

  const place = (entry: Entry, index: number): void => {
    slots[index] = entry;
    entry.heapIndex = index;
  };

  const rise = (entry: Entry): void => {
    let index = entry.heapIndex;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = slots[parentIndex];
      if (!parent || compare(entry, parent) >= 0) break;
      place(parent, index);
      index = parentIndex;
    }
    place(entry, index);
  };

  const sink = (entry: Entry): void => {
    let index = entry.heapIndex;
    for (;;) {
      const left = slots[2 * index + 1];
      const right = slots[2 * index + 2];
      const child = left && right && compare(right, left) < 0 ? right : left;
      if (!child || compare(entry, child) <= 0) break;
      const childIndex = child.heapIndex;
      place(child, index);
      index = childIndex;
    }
    place(entry, index);
  };

  return {
    first: (): Entry | undefined => slots[0],
    add(entry: Entry): void {
      entry.heapIndex = slots.length;
      slots.push(entry);
      rise(entry);
    },
    /** Whether it was there. */
    remove(entry: Entry): boolean {
      const index = entry.heapIndex;
      if (index === NOT_IN_HEAP) return false;
      entry.heapIndex = NOT_IN_HEAP;
      const last = slots.pop();
      if (last && last !== entry) {
        place(last, index);
        rise(last);
        sink(last);
      }
      return true;
    },
  };
}
