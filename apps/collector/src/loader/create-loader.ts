/**
 * Brings what the spool holds into the store, a lane for each table, and lets the spool forget what is in.
 * Invariant: the spool forgets only what every table's lane has passed.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type BlockStore, SIGNALS, type SignalTable, TABLE_OF_SIGNAL } from "@centspan/model";
import { isBefore, type Position } from "../spool/checkpoint.ts";
import type { Spool } from "../spool/open-spool.ts";
import { keepRefused } from "./keep-refused.ts";
import { type Lane, startLane } from "./run-lane.ts";

type LoaderOptions = {
  spool: Spool;
  store: BlockStore;
  /** Where frames go that the store refuses. */
  refusedFolder: string;
  nowMs(): number;
  onFault(message: string): void;
};

export type LoaderState = {
  rows: Record<SignalTable, number>;
  /** Frames that the store has or that were kept aside. */
  frames: number;
  refusedFrames: number;
  isAway: boolean;
  oldestAtMs: number | null;
  lagMs: number | null;
  lastError: { atMs: number; message: string } | null;
};

export type Loader = {
  state(): LoaderState;
  /** Brings in what is left, unless the store is away or it takes longer; the rest stays in the spool. */
  close(patienceMs: number): Promise<void>;
};

const TABLES = SIGNALS.map((signal) => TABLE_OF_SIGNAL[signal]);

export function createLoader(options: LoaderOptions): Loader {
  const { spool, nowMs } = options;
  const closing = new AbortController();
  let lastError: LoaderState["lastError"] = null;

  /** A lane with nothing behind it holds nothing back. */
  const findPassed = (): Position =>
    lanes
      .filter(({ table, lane }) => spool.isBehind(table, lane.state.position))
      .reduce((first, { lane }) => (isBefore(lane.state.position, first) ? lane.state.position : first), spool.end());

  const lanes: { table: SignalTable; lane: Lane }[] = TABLES.map((table) => ({
    table,
    lane: startLane({
      table,
      spool,
      store: options.store,
      session: randomBytes(6).toString("hex"),
      nowMs,
      closing: closing.signal,
      keepRefused: (refused) => keepRefused(options.refusedFolder, refused),
      onLoaded: () => spool.release(findPassed()),
      onError(thrown) {
        const message = thrown instanceof Error ? thrown.message : String(thrown);
        // A store that stays away says the same for hours.
        if (message !== lastError?.message) options.onFault(`loader: ${table}: ${message}`);
        lastError = { atMs: nowMs(), message };
      },
    }),
  }));

  return {
    state() {
      const states = lanes.map(({ lane }) => lane.state);
      const sum = (count: (state: Lane["state"]) => number): number =>
        states.reduce((total, state) => total + count(state), 0);
      const [spans = 0, logs = 0, metrics = 0] = states.map((state) => state.rows);
      return {
        rows: { spans, logs, metrics },
        frames: sum((state) => state.frames),
        refusedFrames: sum((state) => state.refusedFrames),
        isAway: states.some((state) => state.isAway),
        oldestAtMs: findLeast(states.map((state) => state.oldestAtMs)),
        lagMs: findMost(states.map((state) => state.lagMs)),
        lastError,
      };
    },
    async close(patienceMs) {
      closing.abort();
      const finished = Promise.all(lanes.map(({ lane }) => lane.finished));
      await Promise.race([finished, sleep(patienceMs, undefined, { ref: false })]);
    },
  };
}

const isKnown = (value: number | null): value is number => value !== null;

function findLeast(values: readonly (number | null)[]): number | null {
  const known = values.filter(isKnown);
  return known.length === 0 ? null : Math.min(...known);
}

function findMost(values: readonly (number | null)[]): number | null {
  const known = values.filter(isKnown);
  return known.length === 0 ? null : Math.max(...known);
}
