/**
 * A binary heap over the slots of a cache that knows where each slot stands: the least by (rank, tie) first. Every
 * operation takes O(log n) and nothing is allocated after the start.
 */

export type SlotHeap = {
  /** Adds the slot, or moves it when it is there. */
  put(slot: number, rank: number, tie: number): void;
  /** Whether it was there. */
  remove(slot: number): boolean;
  has(slot: number): boolean;
  /** −1 when the heap is empty. */
  first(): number;
  rankOf(slot: number): number;
  readonly size: number;
};

export function createSlotHeap(slotCount: number): SlotHeap {
  const ranks = new Float64Array(slotCount);
  const ties = new Float64Array(slotCount);
  const heap = new Int32Array(slotCount);
  const places = new Int32Array(slotCount).fill(-1);
  let size = 0;

  const goesBefore = (a: number, b: number): boolean => {
    const rankA = ranks[a] ?? 0;
    const rankB = ranks[b] ?? 0;
    return rankA < rankB || (rankA === rankB && (ties[a] ?? 0) < (ties[b] ?? 0));
  };
  const place = (slot: number, index: number): void => {
    heap[index] = slot;
    places[slot] = index;
  };
  const rise = (slot: number, from: number): void => {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex] ?? 0;
      if (!goesBefore(slot, parent)) break;
      place(parent, index);
      index = parentIndex;
    }
    place(slot, index);
  };
  const sink = (slot: number, from: number): void => {
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= size) break;
      if (child + 1 < size && goesBefore(heap[child + 1] ?? 0, heap[child] ?? 0)) child += 1;
      const candidate = heap[child] ?? 0;
      if (!goesBefore(candidate, slot)) break;
      place(candidate, index);
      index = child;
    }
    place(slot, index);
  };
  const settle = (slot: number, index: number): void => {
    rise(slot, index);
    sink(slot, places[slot] ?? 0);
  };

  return {
    put(slot, rank, tie) {
      ranks[slot] = rank;
      ties[slot] = tie;
      const index = places[slot] ?? -1;
      if (index >= 0) settle(slot, index);
      else {
        size += 1;
        rise(slot, size - 1);
      }
    },
    remove(slot) {
      const index = places[slot] ?? -1;
      if (index < 0) return false;
      places[slot] = -1;
      size -= 1;
      const last = heap[size] ?? 0;
      if (last !== slot) settle(last, index);
      return true;
    },
    has: (slot) => (places[slot] ?? -1) >= 0,
    first: () => (size === 0 ? -1 : (heap[0] ?? -1)),
    rankOf: (slot) => ranks[slot] ?? 0,
    get size() {
      return size;
    },
  };
}
