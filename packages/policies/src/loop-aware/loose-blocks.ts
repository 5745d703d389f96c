/**
 * Blocks that belong to no known thread. Each kind of block (how often it was used, whether it ended its chain) is a queue
 * in order of last use; what goes is the head of the queue least likely to be used again soon, by how long blocks of its
 * kind went unused before. What has gone is remembered for a while, so that waits which end in a miss are learned from too.
 * Until enough is known it is LRU.
 */
import type { KvBlockId, KvBlocks } from "@centspan/model";
import { createGhostList } from "../ghost-list.ts";
import type { SlotList, SlotLists } from "../slot-list.ts";
import { createWaitHistogram } from "./wait-histogram.ts";

const SECOND_NS = 1_000_000_000;
const ENOUGH_SAMPLES = 1_000;
/** Ghosts per block of the cache. */
const GHOSTS = 4;
/** Upper ends of the classes by number of uses; more is one more class, and the tail of a chain used once another. */
const USES = [1, 2, 4];
const TAIL = USES.length + 1;
export const LOOSE_KINDS = TAIL + 1;

type Ghost = { kind: number; usedNs: number; uses: number };

export type LooseBlocks = {
  onInsert(slot: number, atNs: number): void;
  onUse(slot: number, atNs: number): void;
  /** The block may go; `endsChain` when it is the last of the chain it was released with. */
  add(slot: number, atNs: number, endsChain: boolean): void;
  has(slot: number): boolean;
  remove(slot: number): void;
  /** The block that should go, −1 when there is none. */
  findVictim(atNs: number): number;
  /** The block went, whatever the reason. */
  forget(slot: number, atNs: number): void;
};

export function createLooseBlocks({ slotCount, capacityBlocks, keys }: KvBlocks, lists: SlotLists): LooseBlocks {
  const queues: SlotList[] = Array.from({ length: LOOSE_KINDS }, () => lists.add());
  const histograms = queues.map(() => createWaitHistogram());
  const kinds = new Uint8Array(slotCount);
  const listed = new Uint8Array(slotCount);
  /** Released, and not used since. */
  const isWaiting = new Uint8Array(slotCount);
  const uses = new Uint16Array(slotCount);
  const usedNs = new Float64Array(slotCount);
  const addedOrder = new Float64Array(slotCount);
  const ghosts = new Map<KvBlockId, Ghost>();
  const ghostOrder = createGhostList();
  let samples = 0;
  let order = 0;
  let size = 0;

  const learn = (kind: number, waitS: number): void => {
    samples += 1;
    histograms[kind]?.end(waitS);
  };
  const remember = (key: KvBlockId, ghost: Ghost): void => {
    ghosts.set(key, ghost);
    ghostOrder.remove(key);
    ghostOrder.append(key);
    if (ghostOrder.size <= GHOSTS * capacityBlocks) return;
    const oldest = ghostOrder.dropOldest();
    if (oldest !== undefined) ghosts.delete(oldest);
  };
  const worth = (slot: number, kind: number, atNs: number): number =>
    histograms[kind]?.index((atNs - (usedNs[slot] ?? 0)) / SECOND_NS) ?? 0;

  return {
    onInsert(slot, atNs) {
      const key = keys[slot];
      const ghost = key === undefined ? undefined : ghosts.get(key);
      uses[slot] = 1;
      usedNs[slot] = atNs;
      isWaiting[slot] = 0;
      if (key === undefined || !ghost) return;
      ghosts.delete(key);
      ghostOrder.remove(key);
      learn(ghost.kind, (atNs - ghost.usedNs) / SECOND_NS);
      uses[slot] = ghost.uses + 1;
    },
    onUse(slot, atNs) {
      if (isWaiting[slot] === 1) learn(kinds[slot] ?? 0, (atNs - (usedNs[slot] ?? 0)) / SECOND_NS);
      isWaiting[slot] = 0;
      uses[slot] = Math.min(60_000, (uses[slot] ?? 0) + 1);
      usedNs[slot] = atNs;
    },
    add(slot, atNs, endsChain) {
      const count = uses[slot] ?? 1;
      const kind = count === 1 && endsChain ? TAIL : USES.filter((most) => count > most).length;
      order += 1;
      addedOrder[slot] = order;
      usedNs[slot] = atNs;
      kinds[slot] = kind;
      listed[slot] = 1;
      size += 1;
      if (isWaiting[slot] === 0) histograms[kind]?.begin();
      isWaiting[slot] = 1;
      queues[kind]?.append(slot);
    },
    has: (slot) => listed[slot] === 1,
    remove(slot) {
      listed[slot] = 0;
      size -= 1;
      queues[kinds[slot] ?? 0]?.remove(slot);
    },
    findVictim(atNs) {
      let victim = -1;
      if (size === 0) return victim;
      let least = 0;
      for (const [kind, queue] of queues.entries()) {
        const slot = queue.first();
        if (slot < 0) continue;
        const value = samples < ENOUGH_SAMPLES ? 0 : worth(slot, kind, atNs);
        const isOlder = value === least && (addedOrder[slot] ?? 0) < (addedOrder[victim] ?? 0);
        if (victim >= 0 && value >= least && !isOlder) continue;
        victim = slot;
        least = value;
      }
      return victim;
    },
    forget(slot, atNs) {
      const key = keys[slot];
      if (key !== undefined)
        remember(key, { kind: kinds[slot] ?? 0, usedNs: usedNs[slot] ?? atNs, uses: uses[slot] ?? 1 });
    },
  };
}
