/**
 * What a spool that was left behind holds: segments in order, each up to its first frame that is not whole, since nothing
 * behind one was ever acknowledged. Segments that the store has entirely are put away at once.
 */
import { open } from "node:fs/promises";
import type { Tails } from "./arrivals.ts";
import { isBefore, NOWHERE, type Position } from "./checkpoint.ts";
import { createFileWindow } from "./file-window.ts";
import type { Segment } from "./frame-writer.ts";
import { endOf, recoverFrames } from "./scan-segment.ts";
import type { SegmentFolder } from "./segment-folder.ts";

export type Recovered = {
  segments: Segment[];
  /** Frames that the store has not confirmed. */
  frames: number;
  tails: Tails;
};

const WINDOW_BYTES = 4 * 1024 * 1024;

export async function recoverSegments(files: SegmentFolder, start: Position): Promise<Recovered> {
  const recovered: Recovered = {
    segments: [],
    frames: 0,
    tails: { spans: NOWHERE, logs: NOWHERE, metrics: NOWHERE },
  };
  for (const generation of files.found) {
    const end = generation < start.generation ? 0 : await recoverSegment(files, generation, start, recovered);
    if (end > 0 && isBefore(start, { generation, offset: end })) recovered.segments.push({ generation, end });
    else await files.retire(generation, true);
  }
  return recovered;
}

/** Where the last whole frame of a segment ends. */
async function recoverSegment(
  files: SegmentFolder,
  generation: number,
  start: Position,
  recovered: Recovered,
): Promise<number> {
  const file = await open(files.pathOf(generation), "r");
  try {
    let end = 0;
    for await (const frame of recoverFrames(createFileWindow(file, WINDOW_BYTES), generation)) {
      end = endOf(frame);
      recovered.tails[frame.table] = { generation, offset: end };
      if (!isBefore({ generation, offset: frame.offset }, start)) recovered.frames += 1;
    }
    return end;
  } finally {
    await file.close();
  }
}
