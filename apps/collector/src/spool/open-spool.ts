/**
 * The spool: blocks that were acknowledged and that the store may not have yet, in files, in order.
 * Must not: know what is in a block, or forget one before `release` said that the store has it.
 * Invariants: `append` resolves once its blocks survive a crash; what is read comes from the files, in normal running as
 * after a crash; more than `maxBytes` never waits, except for a single write into an empty spool.
 */
import type { FileHandle } from "node:fs/promises";
import { CentspanError } from "@centspan/base";
import type { Block, SignalTable } from "@centspan/model";
import { type Arrivals, createArrivals } from "./arrivals.ts";
import { createBacklog } from "./backlog.ts";
import { type Position, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { createFrameWriter, type TableBlock } from "./frame-writer.ts";
import { type FoundFrames, findFrames, joinFrames, type Limit } from "./read-frames.ts";
import { type Recovered, recoverSegments } from "./recover-segments.ts";
import type { Frame } from "./scan-segment.ts";
import { openSegmentFolder, type SegmentFolder } from "./segment-folder.ts";

type SpoolOptions = {
  folder: string;
  maxBytes: number;
  segmentBytes?: number;
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Told of what went wrong with a file where nothing is lost by it. */
  onFault(message: string): void;
};

export type Spool = Omit<Arrivals, "add"> & {
  /** Where the store stood when the spool was opened. */
  readonly start: Position;
  /** Resolves once the blocks are durable; rejects with `store_unavailable`, and then none of them was taken. */
  append(blocks: readonly TableBlock[]): Promise<void>;
  /** Throws `store_unavailable` while the bound is reached. */
  requireRoom(): void;
  /** Frames of a table from a position on. */
  find(table: SignalTable, from: Position, limit: Limit): Promise<FoundFrames>;
  /** What the frames hold, from the files each time it is read. */
  join(frames: readonly Frame[]): Block;
  /** Everything before the position is in the store. */
  release(position: Position): Promise<void>;
  state(): SpoolState;
  close(): Promise<void>;
};

export type SpoolState = {
  /** Bytes that wait for the store. */
  bytes: number;
  maxBytes: number;
  segments: number;
  /** Frames that waited at opening or were appended since. */
  frames: number;
  /** Why the last append failed, unless one succeeded since. */
  refusal: { atMs: number; error: CentspanError } | null;
};

const SEGMENT_BYTES = 32 * 1024 * 1024;

export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const files = await openSegmentFolder(options.folder);
  const checkpoint = await files.openBeside("loaded");
  const start = await readCheckpoint(checkpoint);
  // Its bytes are taken now: when the disk is full later, it can still be written.
  await writeCheckpoint(checkpoint, start).catch((thrown) => options.onFault(`spool: checkpoint: ${String(thrown)}`));
  files.skipTo(start.generation + 1);
  return createSpool(options, { files, checkpoint, start, ...(await recoverSegments(files, start, options.onFault)) });
}

type Contents = Recovered & { files: SegmentFolder; checkpoint: FileHandle; start: Position };

function createSpool(options: SpoolOptions, { files, checkpoint, start, segments, tails, frames }: Contents): Spool {
  const { maxBytes, nowMs, segmentBytes = SEGMENT_BYTES } = options;
  const backlog = createBacklog({ segments, released: start, maxBytes });
  const { add, ...arrivals } = createArrivals(tails);
  let releasing: Promise<void> = Promise.resolve();
  let appendedFrames = frames;
  let refusal: SpoolState["refusal"] = null;

  const reporting = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      options.onFault(`spool: a file could not be put away: ${String(thrown)}`);
    }
  };

  const writer = createFrameWriter({
    segmentBytes,
    nowMs,
    create: files.create,
    discard: (generation) => reporting(() => files.retire(generation, false)),
    requireRoom: backlog.requireRoom,
    onAppended(segment, blocks, bytes) {
      backlog.add(segment, bytes);
      appendedFrames += blocks.length;
      refusal = null;
      const tables = blocks.map(({ table }) => table);
      add(tables, { generation: segment.generation, offset: segment.end });
    },
  });

  const retireReleased = async (): Promise<void> => {
    for (let done = backlog.takeReleased(writer.active()); done; done = backlog.takeReleased(writer.active())) {
      await files.retire(done.generation, done.end <= 2 * segmentBytes);
    }
  };

  const release = async (position: Position): Promise<void> => {
    if (!backlog.release(position)) return;
    await reporting(() => writeCheckpoint(checkpoint, position));
    await reporting(retireReleased);
  };

  return {
    ...arrivals,
    start,
    async append(blocks) {
      try {
        await writer.append(blocks);
      } catch (thrown) {
        const error = thrown instanceof CentspanError ? thrown : createUnwritable(thrown);
        refusal = { atMs: nowMs(), error };
        throw error;
      }
    },
    requireRoom: () => backlog.requireRoom(0),
    find: (table, from, limit) => findFrames(backlog.segments, files.pathOf, table, from, limit),
    join: (found) => joinFrames(found, files.pathOf),
    release(position) {
      releasing = releasing.then(() => release(position));
      return releasing;
    },
    state: () => ({
      bytes: backlog.bytes,
      maxBytes,
      segments: backlog.segments.length,
      frames: appendedFrames,
      refusal,
    }),
    async close() {
      await writer.close();
      await releasing;
      await reporting(retireReleased);
      await checkpoint.close();
      await files.close();
    },
  };
}

function createUnwritable(thrown: unknown): CentspanError {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  const reason = code === "ENOSPC" || code === "EDQUOT" ? "the disk is full" : `${code || "an error"} of the disk`;
  return new CentspanError("store_unavailable", `the spool can't be written: ${reason}`, {
    retryAfterS: 5,
    cause: thrown,
  });
}
