/**
 * The frames of a segment, in order. Recovery checks every byte and ends behind the last frame that is whole; the normal
 * run reads headers only, up to an end that is known to be durable.
 */
import { crc32 } from "node:zlib";
import { CentspanError } from "@centspan/base";
import type { FileWindow } from "./file-window.ts";
import { type FrameHeader, HEADER_BYTES, MAGIC, readHeader } from "./frame.ts";

/** `offset` is where the header begins. */
export type Frame = FrameHeader & { offset: number };

export const endOf = (frame: Frame): number => frame.offset + HEADER_BYTES + frame.payloadBytes;

/**
 * Whole frames, from where one begins. The file may end in a torn one or in what an earlier use left behind; where whole
 * ones follow one that is not, what lies between them is damage.
 */
export async function* recoverFrames(
  window: FileWindow,
  generation: number,
  from: number,
  onDamage: (start: number, end: number) => Promise<void>,
): AsyncGenerator<Frame> {
  for (let offset = from; ; ) {
    const frame = await readWhole(window, generation, offset);
    if (frame !== null) {
      yield frame;
      offset = endOf(frame);
      continue;
    }
    const next = await findWhole(window, generation, offset + 1);
    if (next === null) return;
    await onDamage(offset, next);
    offset = next;
  }
}

async function readWhole(window: FileWindow, generation: number, offset: number): Promise<Frame | null> {
  const header = readHeader(await window.read(offset, HEADER_BYTES), generation);
  if (header === null) return null;
  const frame = { ...header, offset };
  return (await isPayloadWhole(window, frame)) ? frame : null;
}

/** Where the next whole frame begins. */
async function findWhole(window: FileWindow, generation: number, from: number): Promise<number | null> {
  for (let offset = from; ; ) {
    const bytes = await window.read(offset, window.bytes);
    if (bytes.length < HEADER_BYTES) return null;
    const at = findHeader(bytes, generation);
    // A header may lie across the end of the window.
    if (at < 0) offset += bytes.length - HEADER_BYTES + 1;
    else if ((await readWhole(window, generation, offset + at)) !== null) return offset + at;
    else offset += at + 1;
  }
}

function findHeader(bytes: Buffer, generation: number): number {
  let at = bytes.indexOf(MAGIC);
  while (at >= 0 && readHeader(bytes.subarray(at), generation) === null) at = bytes.indexOf(MAGIC, at + 1);
  return at;
}

async function isPayloadWhole(window: FileWindow, frame: Frame): Promise<boolean> {
  let crc = 0;
  for (let done = 0; done < frame.payloadBytes; ) {
    const wanted = Math.min(window.bytes, frame.payloadBytes - done);
    const bytes = await window.read(frame.offset + HEADER_BYTES + done, wanted);
    if (bytes.length < wanted) return false;
    crc = crc32(bytes, crc);
    done += wanted;
  }
  return crc === frame.payloadCrc;
}

/** Frames between two offsets where frames begin. */
export async function* listFrames(
  window: FileWindow,
  generation: number,
  from: number,
  end: number,
): AsyncGenerator<Frame> {
  for (let offset = from; offset < end; ) {
    const header = readHeader(await window.read(offset, HEADER_BYTES), generation);
    if (header === null) {
      throw new CentspanError("internal", `spool segment ${generation} is damaged at byte ${offset}`);
    }
    const frame = { ...header, offset };
    yield frame;
    offset = endOf(frame);
  }
}
