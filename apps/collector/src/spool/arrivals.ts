/** Where each table's last frame ends, and word to those who wait for more of a table. */
import type { SignalTable } from "@centspan/model";
import { isBefore, NOWHERE, type Position } from "./checkpoint.ts";

export type Tails = Record<SignalTable, Position>;

export type Arrivals = {
  add(tables: readonly SignalTable[], end: Position): void;
  /** Whether a frame of the table lies behind the position. */
  isBehind(table: SignalTable, position: Position): boolean;
  /** Resolves when one does, or when `signal` says that nobody needs to know any more. */
  waitBehind(table: SignalTable, position: Position, signal: AbortSignal): Promise<void>;
  /** Where the last frame of all ends. */
  end(): Position;
};

export function createArrivals(tails: Tails): Arrivals {
  let waiting: (() => void)[] = [];
  const waitForAny = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      waiting.push(wake);
      signal.addEventListener("abort", wake);
    });
  const isBehind = (table: SignalTable, position: Position): boolean => isBefore(position, tails[table]);
  return {
    add(tables, end) {
      for (const table of tables) tails[table] = end;
      const told = waiting;
      waiting = [];
      for (const wake of told) wake();
    },
    isBehind,
    async waitBehind(table, position, signal) {
      while (!isBehind(table, position) && !signal.aborted) await waitForAny(signal);
    },
    end: () => Object.values(tails).reduce((last, tail) => (isBefore(last, tail) ? tail : last), NOWHERE),
  };
}
