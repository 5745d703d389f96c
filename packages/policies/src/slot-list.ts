/**
 * Doubly linked lists over the slots of a cache: every operation takes constant time and nothing is allocated after the
 * start. Several lists share one pair of arrays, since a slot is in at most one of them.
 */
import { assert } from "@centspan/base";

export type SlotList = {
  append(slot: number): void;
  /** The slot must be in this list. */
  remove(slot: number): void;
  /** −1 when the list is empty. */
  first(): number;
  /** What follows `slot`, −1 at the end. */
  after(slot: number): number;
  readonly size: number;
};

export type SlotLists = {
  /** A further list; at most as many as were asked for. */
  add(): SlotList;
  /** Whether a slot is in any list. */
  has(slot: number): boolean;
};

export function createSlotLists(slotCount: number, listCount: number): SlotLists {
  const next = new Int32Array(slotCount + listCount);
  const previous = new Int32Array(slotCount + listCount);
  const listed = new Uint8Array(slotCount);
  let lists = 0;
  return {
    add() {
      assert(lists < listCount, `only ${listCount} lists were asked for`);
      lists += 1;
      return createList(slotCount + lists - 1, { next, previous, listed });
    },
    has: (slot) => listed[slot] === 1,
  };
}

/** A list is a ring through a sentinel that stands behind the slots. */
function createList(
  sentinel: number,
  { next, previous, listed }: { next: Int32Array; previous: Int32Array; listed: Uint8Array },
): SlotList {
  const slotCount = listed.length;
  next[sentinel] = sentinel;
  previous[sentinel] = sentinel;
  let size = 0;
  const orNone = (slot: number | undefined): number => (slot === undefined || slot >= slotCount ? -1 : slot);
  return {
    append(slot) {
      const last = previous[sentinel] ?? sentinel;
      next[last] = slot;
      previous[slot] = last;
      next[slot] = sentinel;
      previous[sentinel] = slot;
      listed[slot] = 1;
      size += 1;
    },
    remove(slot) {
      const before = previous[slot] ?? sentinel;
      const after = next[slot] ?? sentinel;
      next[before] = after;
      previous[after] = before;
      listed[slot] = 0;
      size -= 1;
    },
    first: () => orNone(next[sentinel]),
    after: (slot) => orNone(next[slot]),
    get size() {
      return size;
    },
  };
}
