/**
 * The frames of a segment, in order. Recovery checks every byte and ends at the first frame that is not whole; the normal
 * run reads headers only, up to an end that is known to be durable.
 */
import { crc32 } from "node:zlib";
import { CentspanError } from "@centspan/base";
import type { FileWindow } from "./file-window.ts";
import { type FrameHeader, HEADER_BYTES, readHeader } from "./frame.ts";

/** `offset` is where the header begins. */
export type Frame = FrameHeader & { offset: number };

export const endOf = (frame: Frame): number => frame.offset + HEADER_BYTES + frame.payloadBytes;

/** Whole frames from the start of a file, which may end in a torn one or in what an earlier use left behind. */
export async function* recoverFrames(window: FileWindow, generation: number): AsyncGenerator<Frame> {
  for (let offset = 0; ; ) {
    const header = readHeader(await window.read(offset, HEADER_BYTES), generation);
    if (header === null) return;
    const frame = { ...header, offset };
    if (!(await isPayloadWhole(window, frame))) return;
    yield frame;
    offset = endOf(frame);
  }
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
