/**
 * Loop-aware eviction: blocks of ended runs and returned sub-agents go first, then what a thread's newer request no
 * longer shares, then blocks of no known thread (least recent first), then the tail of the thread that is least likely to
 * come back soon, by how long threads of its kind keep one waiting. Blocks that several live threads share go last.
 */
import type { KvBlocks, KvPolicy, KvThreadEvent } from "@centspan/model";
import { createSlotLists } from "../slot-list.ts";
import { createLooseBlocks, LOOSE_KINDS } from "./loose-blocks.ts";
import { createThreadBook, type Thread } from "./thread-book.ts";
import type { RecentWait, ThreadState, WaitModel } from "./wait-model.ts";

export type LoopAwareOptions = {
  /** What is known of the waits of a run's threads. */
  model(runId: string | number): WaitModel;
  /** Whether waits are added to the model as they end. */
  learns: boolean;
};

type LiveThread = Thread & {
  readonly threadId: string | number;
  state: ThreadState;
  stateSinceNs: number;
  requestedNs: number;
  /** Average of log(1 + wait), the newer the weightier. */
  logWait: number | null;
  /** Nobody expects it back before then. */
  awayUntilNs: number;
  /** What it was worth when threads were ranked last. */
  index: number;
};

const SECOND_NS = 1_000_000_000;
const NEWEST_WEIGHT = 0.5;
/** A thread without blocks that nobody has heard of for so long is dropped; its end was never told. */
const FORGOTTEN_AFTER_NS = 3_600 * SECOND_NS;
const NONE = -1;
/** Why a block belongs to no live thread. */
const LOOSE = 0;
const SUPERSEDED = 1;
const ENDED = 2;

export function createLoopAwarePolicy(blocks: KvBlocks, options: LoopAwareOptions): KvPolicy {
  const { slotCount, evictable, depths } = blocks;
  const lists = createSlotLists(slotCount, 2 + LOOSE_KINDS);
  const superseded = lists.add();
  const ended = lists.add();
  const loose = createLooseBlocks(blocks, lists);
  const book = createThreadBook(slotCount);
  const reasons = new Uint8Array(slotCount);
  const runs = new Map<string | number, Map<string | number, LiveThread>>();
  const threads = new Set<LiveThread>();
  /** Threads by how soon they are missed, least last; good for one instant, and for as long as nothing happens to them. */
  let ranked: LiveThread[] = [];
  let rankedNs = NONE;
  let released = { atNs: NONE, depth: 0 };

  const unlist = (slot: number): void => {
    if (loose.has(slot)) loose.remove(slot);
    else if (lists.has(slot)) (reasons[slot] === ENDED ? ended : superseded).remove(slot);
  };
  const letGo = (slot: number, reason: number, atNs: number, endsChain = false): void => {
    reasons[slot] = reason;
    if (evictable[slot] !== 1 || lists.has(slot)) return;
    if (reason === LOOSE) loose.add(slot, atNs, endsChain);
    else (reason === ENDED ? ended : superseded).append(slot);
  };
  const forget = (slot: number, atNs: number): number => {
    if (reasons[slot] === LOOSE && book.holders(slot) === 0) loose.forget(slot, atNs);
    unlist(slot);
    book.renew(slot);
    return slot;
  };

  const findThread = (event: KvThreadEvent): LiveThread => {
    const ofRun = runs.get(event.runId) ?? new Map<string | number, LiveThread>();
    const thread = ofRun.get(event.threadId) ?? createThread(event);
    runs.set(event.runId, ofRun.set(event.threadId, thread));
    threads.add(thread);
    return thread;
  };
  const removeThread = (thread: LiveThread): void => {
    const ofRun = runs.get(thread.runId);
    ofRun?.delete(thread.threadId);
    if (ofRun?.size === 0) runs.delete(thread.runId);
    threads.delete(thread);
  };
  const endThread = (thread: LiveThread, atNs: number): void => {
    removeThread(thread);
    // No answer will be followed by a request: a wait without end.
    if (options.learns) options.model(thread.runId).add("answering", recentWait(thread), Number.POSITIVE_INFINITY);
    book.hold(thread, [], (slot) => letGo(slot, ENDED, atNs), unlist);
  };
  const leastMissedFirst = (): LiveThread[] =>
    [...threads].sort((a, b) => a.index - b.index || a.requestedNs - b.requestedNs);
  const rankThreads = (atNs: number): void => {
    if (rankedNs === atNs) return;
    rankedNs = atNs;
    for (const thread of threads) if (isForgotten(thread, atNs)) removeThread(thread);
    for (const thread of threads) thread.index = computeIndex(thread, atNs, options);
    ranked = leastMissedFirst().reverse();
  };
  /** The tail of the thread that is missed least; a thread whose blocks are all in use or shared has none of its own. */
  const findOwnTail = (atNs: number): number => {
    rankThreads(atNs);
    for (let thread = ranked.at(-1); thread; thread = ranked.at(-1)) {
      const slot = book.tailOf(thread);
      if (slot >= 0 && evictable[slot] === 1 && book.holders(slot) === 1) return slot;
      ranked.pop();
    }
    return NONE;
  };
  const findSharedTail = (): number => {
    for (const thread of leastMissedFirst()) {
      const slot = book.tailOf(thread);
      if (slot >= 0 && evictable[slot] === 1) return slot;
    }
    return NONE;
  };
  const isForgotten = (thread: LiveThread, atNs: number): boolean =>
    atNs - thread.stateSinceNs > FORGOTTEN_AFTER_NS && book.tailOf(thread) < 0;

  return {
    onInsert(slot, atNs) {
      book.renew(slot);
      reasons[slot] = LOOSE;
      loose.onInsert(slot, atNs);
    },
    onAccess(slot, atNs) {
      loose.onUse(slot, atNs);
      if (!lists.has(slot)) return;
      unlist(slot);
      letGo(slot, reasons[slot] ?? LOOSE, atNs);
    },
    onHold: unlist,
    onRelease(slot, atNs) {
      const depth = depths[slot] ?? 0;
      // A chain is released from its tail: a block that does not follow the one behind it is a tail.
      const endsChain = released.atNs !== atNs || released.depth !== depth + 1;
      released = { atNs, depth };
      if (book.holders(slot) === 0) letGo(slot, reasons[slot] ?? LOOSE, atNs, endsChain);
      else rankedNs = NONE;
    },
    onRemove: (slot) => void forget(slot, 0),
    takeVictim(atNs) {
      for (const list of [ended, superseded]) if (list.size > 0) return forget(list.first(), atNs);
      const stray = loose.findVictim(atNs);
      if (stray >= 0) return forget(stray, atNs);
      const own = findOwnTail(atNs);
      return forget(own >= 0 ? own : findSharedTail(), atNs);
    },
    onThread(event) {
      rankedNs = NONE;
      if (event.kind === "ended" || event.kind === "run_ended") {
        const ofRun = runs.get(event.runId);
        const ending = event.kind === "ended" ? [ofRun?.get(event.threadId)] : [...(ofRun?.values() ?? [])];
        for (const thread of ending) if (thread) endThread(thread, event.atNs);
        return;
      }
      const thread = findThread(event);
      advance(thread, event, options);
      if (!("chain" in event) || !event.chain) return;
      book.hold(thread, event.chain, (slot) => letGo(slot, SUPERSEDED, event.atNs), unlist);
    },
  };
}

const createThread = ({ runId, threadId, atNs }: KvThreadEvent): LiveThread => ({
  runId,
  threadId,
  slots: [],
  generations: [],
  state: "answering",
  stateSinceNs: atNs,
  requestedNs: NONE,
  logWait: null,
  awayUntilNs: NONE,
  index: 0,
});

const recentWait = ({ logWait }: LiveThread): RecentWait => (logWait === null ? null : Math.expm1(logWait));

function computeIndex(thread: LiveThread, atNs: number, { model }: LoopAwareOptions): number {
  const { state, stateSinceNs, awayUntilNs } = thread;
  if (awayUntilNs > atNs) return 1 / ((awayUntilNs - atNs) / SECOND_NS + 1);
  return model(thread.runId).index(state, recentWait(thread), (atNs - stateSinceNs) / SECOND_NS);
}

/** What the event says about the thread's state, and what its wait teaches. */
function advance(thread: LiveThread, event: KvThreadEvent, { model, learns }: LoopAwareOptions): void {
  const { atNs, runId, kind } = event;
  if (kind === "requested") {
    // A request that begins again, after a preemption or a retry, ends no wait.
    if (thread.state !== "answering") {
      const waitS = (atNs - thread.stateSinceNs) / SECOND_NS;
      if (learns) {
        model(runId).add(thread.state, recentWait(thread), waitS);
        model(runId).add("answering", recentWait(thread), (atNs - thread.requestedNs) / SECOND_NS);
      }
      const newest = Math.log1p(waitS);
      thread.logWait = thread.logWait === null ? newest : thread.logWait + NEWEST_WEIGHT * (newest - thread.logWait);
    }
    thread.state = "answering";
    thread.stateSinceNs = atNs;
    thread.requestedNs = atNs;
    thread.awayUntilNs = NONE;
  } else if (kind === "waiting") {
    thread.state = event.waitsFor;
    thread.stateSinceNs = atNs;
  } else if (kind === "long_wait") {
    thread.awayUntilNs = atNs + event.expectedNs;
  }
}
