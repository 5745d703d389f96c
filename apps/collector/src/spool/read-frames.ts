/** Finding a table's frames in the segments, and reading their payloads as one block. */
import { type FileHandle, open } from "node:fs/promises";
import type { Block, SignalTable } from "@centspan/model";
import type { Position } from "./checkpoint.ts";
import { createFileWindow, readFully } from "./file-window.ts";
import { HEADER_BYTES } from "./frame.ts";
import type { Segment } from "./frame-writer.ts";
import { endOf, type Frame, listFrames } from "./scan-segment.ts";

export type Limit = { rows: number; bytes: number; frames: number };
export type FoundFrames = {
  frames: Frame[];
  /** Where to go on: behind the last of the frames and what of other tables follows it. */
  next: Position;
  /** Whether there would have been more, but for the limit. */
  hasMore: boolean;
};
type PathOf = (generation: number) => string;

const WINDOW_BYTES = 64 * 1024;

/** As many frames as the limit allows, but at least one if there is one. */
export async function findFrames(
  segments: readonly Segment[],
  pathOf: PathOf,
  table: SignalTable,
  from: Position,
  limit: Limit,
): Promise<FoundFrames> {
  const frames: Frame[] = [];
  let rows = 0;
  let bytes = 0;
  let next = from;
  for (const { generation, end } of segments.filter((segment) => segment.generation >= from.generation)) {
    const first = generation === from.generation ? from.offset : 0;
    if (first >= end) continue;
    const file = await open(pathOf(generation), "r");
    try {
      for await (const frame of listFrames(createFileWindow(file, WINDOW_BYTES), generation, first, end)) {
        if (frame.table === table) {
          rows += frame.rows;
          bytes += frame.payloadBytes;
          const isTooMuch = rows > limit.rows || bytes > limit.bytes || frames.length >= limit.frames;
          if (frames.length > 0 && isTooMuch) return { frames, next, hasMore: true };
          frames.push(frame);
        }
        next = { generation, offset: endOf(frame) };
      }
    } finally {
      await file.close();
    }
  }
  return { frames, next, hasMore: false };
}

export function joinFrames(frames: readonly Frame[], pathOf: PathOf): Block {
  return {
    rows: frames.reduce((sum, frame) => sum + frame.rows, 0),
    bytes: frames.reduce((sum, frame) => sum + frame.payloadBytes, 0),
    async *read() {
      let file: FileHandle | null = null;
      let generation = 0;
      const runs = planRuns(frames);
      // One for all: memory outside the heap that is forgotten at once makes the engine collect garbage.
      const buffer = Buffer.allocUnsafeSlow(runs.reduce((most, { start, end }) => Math.max(most, end - start), 0));
      try {
        for (const run of runs) {
          if (file === null || run.generation !== generation) {
            await file?.close();
            file = await open(pathOf(run.generation), "r");
            generation = run.generation;
          }
          const bytes = buffer.subarray(0, run.end - run.start);
          const filled = await readFully(file, bytes, run.start);
          if (filled < bytes.length) throw new Error(`spool segment ${generation} ends before byte ${run.end}`);
          for (const { start, end } of run.parts) yield bytes.subarray(start - run.start, end - run.start);
        }
      } finally {
        await file?.close();
      }
    },
  };
}

/** What is read at once, and the parts of it that are payload. */
type Run = { generation: number; start: number; end: number; parts: { start: number; end: number }[] };

const RUN_BYTES = 1024 * 1024;
/** Reading over so much that is not wanted costs less than another system call. */
const GAP_BYTES = 16 * 1024;

/** Payloads near each other are read together; a large one is read in pieces. */
function planRuns(frames: readonly Frame[]): Run[] {
  const runs: Run[] = [];
  for (const frame of frames) {
    const payloadEnd = endOf(frame);
    for (let start = frame.offset + HEADER_BYTES; start < payloadEnd; start += RUN_BYTES) {
      const part = { start, end: Math.min(start + RUN_BYTES, payloadEnd) };
      const run = runs.at(-1);
      const isNear =
        run !== undefined &&
        run.generation === frame.generation &&
        part.start - run.end <= GAP_BYTES &&
        part.end - run.start <= RUN_BYTES;
      if (isNear) {
        run.parts.push(part);
        run.end = part.end;
      } else runs.push({ generation: frame.generation, ...part, parts: [part] });
    }
  }
  return runs;
}
