/**
 * Group commit: bodies go straight into the columns of the block that is being filled; when the write before is durable,
 * the blocks of all signals are taken and written together, and whatever arrives meanwhile is the next group.
 * Invariant: `durable` resolves once its own group is durable, and rejects when that group was not taken.
 */
import { type Admission, type BlockBuilder, type Body, createBlockBuilder } from "@centspan/ingest";
import { SIGNALS, type Signal, TABLE_OF_SIGNAL } from "@centspan/model";
import type { Origin } from "./find-origin.ts";
import type { TableBlock } from "./spool/frame-writer.ts";
import { mapSignals } from "./stats.ts";

export type GroupCommit = {
  /** Throws BadBody; then nothing of the body is in a block. */
  add(signal: Signal, origin: Origin, body: Body): { admission: Admission; durable: Promise<void> };
};

type Group = { durable: Promise<void>; resolve(): void; reject(error: unknown): void };

const NOTHING_TO_WRITE = Promise.resolve();

export function createGroupCommit(append: (blocks: readonly TableBlock[]) => Promise<void>): GroupCommit {
  const builders: Record<Signal, BlockBuilder> = mapSignals((signal) => createBlockBuilder(TABLE_OF_SIGNAL[signal]));
  let group: Group | null = null;
  let isRunning = false;

  const takeBlocks = (): TableBlock[] =>
    SIGNALS.filter((signal) => builders[signal].rows > 0).map((signal) => ({
      table: TABLE_OF_SIGNAL[signal],
      block: builders[signal].take(),
    }));

  const run = async (): Promise<void> => {
    for (let current = group; current !== null; current = group) {
      group = null;
      try {
        await append(takeBlocks());
        current.resolve();
      } catch (thrown) {
        current.reject(thrown);
      }
    }
    isRunning = false;
  };

  return {
    add(signal, { workspace, isTrusted }, body) {
      const admission = builders[signal].add(workspace, body, isTrusted);
      if (admission.accepted === 0) return { admission, durable: NOTHING_TO_WRITE };
      group ??= createGroup();
      if (!isRunning) {
        isRunning = true;
        // Requests that came together go together.
        setImmediate(run);
      }
      return { admission, durable: group.durable };
    },
  };
}

function createGroup(): Group {
  let resolve = (): void => undefined;
  let reject = (_error: unknown): void => undefined;
  const durable = new Promise<void>((onDurable, onFailure) => {
    resolve = onDurable;
    reject = onFailure;
  });
  return { durable, resolve, reject };
}
