/** What is still to arrive, in order of time and, at one instant, in the order it became known. */
import type { ServingRequest } from "../serving-types.ts";

/** A request on its way to the cluster, or a part of one on its way to the replica chosen for it. */
export type Arrival = { request: ServingRequest; replica: number | null };

export type Arrivals = {
  nextNs(): number;
  /** The next one. There must be one. */
  take(): Arrival | undefined;
  add(arrival: Arrival): void;
};

/** Those known from the start come from a sorted list; those that answers bring, from a heap. */
export function createArrivals(first: readonly ServingRequest[]): Arrivals {
  const heap: { arrival: Arrival; order: number }[] = [];
  let taken = 0;
  let added = 0;

  const isBefore = (a: number, b: number): boolean => {
    const [left, right] = [heap[a], heap[b]];
    if (left === undefined || right === undefined) return false;
    const difference = left.arrival.request.arrivalNs - right.arrival.request.arrivalNs;
    return difference < 0 || (difference === 0 && left.order < right.order);
  };
  const swap = (a: number, b: number): void => {
    const [left, right] = [heap[a], heap[b]];
    if (left === undefined || right === undefined) return;
    heap[a] = right;
    heap[b] = left;
  };
  const sink = (): void => {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = isBefore(right, left) ? right : left;
      if (!isBefore(child, at)) return;
      swap(child, at);
      at = child;
    }
  };
  const firstNs = (): number => first[taken]?.arrivalNs ?? Number.POSITIVE_INFINITY;
  const heapNs = (): number => heap[0]?.arrival.request.arrivalNs ?? Number.POSITIVE_INFINITY;

  return {
    nextNs: () => Math.min(firstNs(), heapNs()),
    take() {
      const next = first[taken];
      if (next !== undefined && firstNs() <= heapNs()) {
        taken += 1;
        return { request: next, replica: null };
      }
      const top = heap[0];
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) heap[0] = last;
      sink();
      return top?.arrival;
    },
    add(arrival) {
      heap.push({ arrival, order: added });
      added += 1;
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isBefore(at, parent)) break;
        swap(at, parent);
        at = parent;
      }
    },
  };
}
