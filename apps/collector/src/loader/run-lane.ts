/**
 * One table's way from the spool into the store: frames in order, many in one insert, one insert at a time.
 * A store that is away is asked again for ever. A block that it refuses is halved until what it refuses is alone.
 * Invariant: a frame is kept aside only where the store takes others beside it. A store that refuses everything lacks a
 * table or a right, and is asked again too: the spool is not emptied for that.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { CentspanError } from "@centspan/base";
import type { Block, BlockStore, SignalTable } from "@centspan/model";
import type { Position } from "../spool/checkpoint.ts";
import type { Spool } from "../spool/open-spool.ts";
import type { Frame } from "../spool/scan-segment.ts";

const LIMIT = { rows: 500_000, bytes: 256 * 1024 * 1024, frames: 50_000 };
/**
 * From one insert to the next, so that parts are few: the larger the last one was, the longer the next may gather, since
 * every row of a small part is merged again. From ten thousand rows a second on it is the longest pause. The first after a
 * pause goes at once; so does the rest of a backlog.
 */
const LEAST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 2_500;
const ROWS_PER_PAUSE_MS = 10;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export type LaneOptions = {
  table: SignalTable;
  spool: Spool;
  store: BlockStore;
  /** Names this opening of the spool: positions are unique within it. */
  session: string;
  nowMs(): number;
  keepRefused(refused: { table: SignalTable; block: Block; name: string; error: unknown }): Promise<void>;
  onLoaded(): Promise<void>;
  onError(error: unknown): void;
  /** Once aborted, the lane ends when it has nothing left to do or the store is away. */
  closing: AbortSignal;
};

export type LaneState = {
  /** Everything of the table before it is in the store. */
  position: Position;
  rows: number;
  frames: number;
  refusedFrames: number;
  isAway: boolean;
  /** When the oldest frame was written that is on its way; null while there is none. */
  oldestAtMs: number | null;
  /** How long the oldest frame of the last insert had waited when it was in. */
  lagMs: number | null;
};

export type Lane = { state: Readonly<LaneState>; finished: Promise<void> };

export function startLane(options: LaneOptions): Lane {
  const state: LaneState = {
    position: options.spool.start,
    rows: 0,
    frames: 0,
    refusedFrames: 0,
    isAway: false,
    oldestAtMs: null,
    lagMs: null,
  };
  return { state, finished: runLane(options, state) };
}

async function runLane(options: LaneOptions, state: LaneState): Promise<void> {
  const { table, spool, closing } = options;
  let notBeforeMs = 0;
  for (;;) {
    await spool.waitBehind(table, state.position, closing);
    if (!spool.isBehind(table, state.position)) return;
    await pause(notBeforeMs - performance.now(), closing);
    const startedMs = performance.now();
    try {
      const { rows, hasMore } = await loadNext(options, state);
      const pauseMs = Math.min(Math.max(rows / ROWS_PER_PAUSE_MS, LEAST_PAUSE_MS), MOST_PAUSE_MS);
      notBeforeMs = hasMore ? 0 : startedMs + pauseMs;
    } catch (thrown) {
      if (thrown === GIVEN_UP) return;
      throw thrown;
    }
  }
}

async function loadNext(options: LaneOptions, state: LaneState): Promise<{ rows: number; hasMore: boolean }> {
  const { frames, next, hasMore, refusals } = await persist(options, async () => {
    const found = await options.spool.find(options.table, state.position, LIMIT);
    state.oldestAtMs = found.frames[0]?.writtenAtMs ?? null;
    const outcome: Outcome = { taken: 0, refusals: [] };
    await insertFrames(options, state, found.frames, outcome);
    if (outcome.taken === 0) requireNoRefusal(outcome);
    return { ...found, refusals: outcome.refusals };
  });
  for (const { block, name } of refusals) {
    // Asked again, now that others are in: it may have been the store's trouble, which passed meanwhile.
    const error = await tryInsert(options, state, block, name);
    if (error === null) {
      state.rows += block.rows;
      continue;
    }
    await persist(options, () => options.keepRefused({ table: options.table, block, name, error }));
    state.refusedFrames += 1;
  }
  if (state.oldestAtMs !== null) state.lagMs = options.nowMs() - state.oldestAtMs;
  state.oldestAtMs = null;
  state.frames += frames.length;
  state.position = next;
  await options.onLoaded();
  return { rows: frames.reduce((sum, frame) => sum + frame.rows, 0), hasMore };
}

/** What became of the frames that were found: how many are in, and those that were refused when they came alone. */
type Outcome = { taken: number; refusals: { block: Block; name: string; error: unknown }[] };

/** So many refused alone, and none taken: the others would fare no better. */
const HOPELESS = 16;

async function insertFrames(
  options: LaneOptions,
  state: LaneState,
  frames: readonly Frame[],
  outcome: Outcome,
): Promise<void> {
  const [first] = frames;
  const last = frames.at(-1);
  if (first === undefined || last === undefined) return;
  const block = options.spool.join(frames);
  const span = `${first.generation}.${first.offset}-${last.generation}.${last.offset}`;
  const name = `${options.session}-${options.table}-${span}`;
  const error = await tryInsert(options, state, block, name);
  if (error === null) {
    outcome.taken += frames.length;
    state.rows += block.rows;
  } else if (first === last) {
    outcome.refusals.push({ block, name, error });
    if (outcome.taken === 0 && outcome.refusals.length >= HOPELESS) requireNoRefusal(outcome);
  } else {
    const middle = frames.length >> 1;
    await insertFrames(options, state, frames.slice(0, middle), outcome);
    await insertFrames(options, state, frames.slice(middle), outcome);
  }
}

function requireNoRefusal({ refusals }: Outcome): void {
  const [refusal] = refusals;
  if (refusal) throw new Error(`the warehouse refuses everything: ${String(refusal.error)}`, { cause: refusal.error });
}

/** Null when it is in; else why the store refuses it for what it is. */
function tryInsert(options: LaneOptions, state: LaneState, block: Block, name: string): Promise<unknown> {
  return persist(options, async () => {
    try {
      await options.store.insertBlock(options.table, block, name);
      state.isAway = false;
      return null;
    } catch (thrown) {
      state.isAway = isAway(thrown);
      if (state.isAway) throw thrown;
      return thrown;
    }
  });
}

const isAway = (thrown: unknown): boolean => thrown instanceof CentspanError && thrown.code === "store_unavailable";

/** Nobody waits any more for what did not succeed; it stays in the spool. */
const GIVEN_UP = new Error("given up");

/** Does the work again and again, with growing pauses, until it succeeds. */
async function persist<T>({ closing, onError }: LaneOptions, work: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_RETRY_MS)) {
    try {
      return await work();
    } catch (thrown) {
      if (thrown === GIVEN_UP) throw thrown;
      onError(thrown);
      if (closing.aborted) throw GIVEN_UP;
      await pause(pauseMs, closing);
    }
  }
}

/** Cut short when the lane is to close. */
async function pause(ms: number, closing: AbortSignal): Promise<void> {
  if (ms <= 0 || closing.aborted) return;
  await sleep(ms, undefined, { signal: closing }).catch(() => undefined);
}
