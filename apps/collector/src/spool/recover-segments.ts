/**
 * What a spool that was left behind holds beyond the checkpoint: segments in order, each up to its last whole frame. What
 * follows that was never acknowledged; what is damaged before it is kept beside the spool, said, and passed over.
 * Segments that the store has entirely are put away at once.
 */
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { Tails } from "./arrivals.ts";
import { NOWHERE, type Position } from "./checkpoint.ts";
import { createFileWindow, readFully } from "./file-window.ts";
import { HEADER_BYTES, writeHeader } from "./frame.ts";
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

export async function recoverSegments(
  files: SegmentFolder,
  start: Position,
  onFault: (message: string) => void,
): Promise<Recovered> {
  const recovered: Recovered = {
    segments: [],
    frames: 0,
    tails: { spans: NOWHERE, logs: NOWHERE, metrics: NOWHERE },
  };
  for (const generation of files.found) {
    const from = generation === start.generation ? start.offset : 0;
    const end =
      generation < start.generation ? 0 : await recoverSegment(files, { generation, from }, recovered, onFault);
    if (end > from) recovered.segments.push({ generation, end });
    else await files.retire(generation, true);
  }
  return recovered;
}

/** Where the last whole frame of a segment ends. */
async function recoverSegment(
  files: SegmentFolder,
  { generation, from }: { generation: number; from: number },
  recovered: Recovered,
  onFault: (message: string) => void,
): Promise<number> {
  const file = await open(files.pathOf(generation), "r+");
  try {
    let end = from;
    const passOver = async (start: number, next: number): Promise<void> => {
      const kept = `${generation}-${start}.damaged`;
      await passOverDamage(file, generation, start, next, await files.openBeside(kept));
      onFault(`spool: segment ${generation} is damaged from byte ${start} to ${next}: kept as ${kept}`);
    };
    for await (const frame of recoverFrames(createFileWindow(file, WINDOW_BYTES), generation, from, passOver)) {
      end = endOf(frame);
      if (frame.table === null) continue;
      recovered.tails[frame.table] = { generation, offset: end };
      recovered.frames += 1;
    }
    return end;
  } finally {
    await file.close();
  }
}

/** Keeps the bytes in `beside`, and makes a frame of them that is of no table. Frames are longer than headers. */
async function passOverDamage(
  file: FileHandle,
  generation: number,
  start: number,
  end: number,
  beside: FileHandle,
): Promise<void> {
  const bytes = Buffer.alloc(end - start);
  await readFully(file, bytes, start);
  try {
    await beside.writeFile(bytes);
    await beside.sync();
  } finally {
    await beside.close();
  }
  const payload = bytes.subarray(HEADER_BYTES);
  const of = { table: null, generation, writtenAtMs: 0, rows: 0 };
  const header = writeHeader({ ...of, payloadBytes: payload.length, payloadCrc: crc32(payload) });
  await file.write(header, 0, HEADER_BYTES, start);
  await file.datasync();
}
