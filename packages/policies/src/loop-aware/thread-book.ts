/**
 * Which thread holds which blocks: the latest chain of every live thread, and for every block how many live threads
 * share it. A block that no live thread holds any longer is let go, with the reason.
 * A slot is named with the generation of its block, since the slot may serve another block by the time it is asked for.
 */

export type Thread = {
  readonly runId: string | number;
  readonly slots: number[];
  readonly generations: number[];
};

export type ThreadBook = {
  /** The slot holds a new block. */
  renew(slot: number): void;
  /** How many live threads hold the block. */
  holders(slot: number): number;
  /** The thread holds this chain now; `drop` gets what it no longer holds and nobody else does, tail first. */
  hold(thread: Thread, chain: readonly number[], drop: (slot: number) => void, take: (slot: number) => void): void;
  /** The deepest block of the thread that is still resident, −1 when none is. */
  tailOf(thread: Thread): number;
};

export function createThreadBook(slotCount: number): ThreadBook {
  const generations = new Uint32Array(slotCount);
  const holders = new Uint32Array(slotCount);

  const isCurrent = ({ slots, generations: known }: Thread, at: number): boolean =>
    generations[slots[at] ?? 0] === known[at];

  return {
    renew(slot) {
      generations[slot] = (generations[slot] ?? 0) + 1;
      holders[slot] = 0;
    },
    holders: (slot) => holders[slot] ?? 0,
    hold(thread, chain, drop, take) {
      const { slots, generations: known } = thread;
      let same = 0;
      while (same < slots.length && slots[same] === chain[same] && isCurrent(thread, same)) same += 1;
      const current: boolean[] = slots.map((_, at) => at >= same && isCurrent(thread, at));
      const dropped: number[] = [];
      for (let at = slots.length - 1; at >= same; at -= 1) if (current[at]) dropped.push(slots[at] ?? 0);
      for (const slot of dropped) holders[slot] = (holders[slot] ?? 1) - 1;
      slots.length = same;
      known.length = same;
      for (let at = same; at < chain.length; at += 1) {
        const slot = chain[at] ?? 0;
        slots.push(slot);
        known.push(generations[slot] ?? 0);
        holders[slot] = (holders[slot] ?? 0) + 1;
        take(slot);
      }
      for (const slot of dropped) if (holders[slot] === 0) drop(slot);
    },
    tailOf(thread) {
      const { slots, generations: known } = thread;
      while (slots.length > 0 && !isCurrent(thread, slots.length - 1)) {
        slots.pop();
        known.pop();
      }
      return slots.at(-1) ?? -1;
    },
  };
}
