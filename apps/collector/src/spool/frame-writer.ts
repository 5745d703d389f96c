/**
 * Appends: one write and one sync at a time; whatever waits meanwhile is the next write.
 * Invariant: a segment in which a write or a sync failed ends at its last durable frame and is not written again,
 * because after a failed sync nobody knows what the disk has.
 */
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { assert } from "@centspan/base";
import type { SignalTable, WholeBlock } from "@centspan/model";
import { HEADER_BYTES, writeHeader } from "./frame.ts";

export type TableBlock = { table: SignalTable; block: WholeBlock };

/** `end` is where its last durable frame ends. */
export type Segment = { readonly generation: number; end: number };

type FrameWriterOptions = {
  /** A segment that is this long is followed by the next. */
  segmentBytes: number;
  nowMs(): number;
  create(): Promise<{ generation: number; file: FileHandle }>;
  /** Nothing became durable in that segment, and nothing will. */
  discard(generation: number): Promise<void>;
  /** Throws where so many bytes more are too many. */
  requireRoom(bytes: number): void;
  onAppended(segment: Segment, blocks: readonly TableBlock[], bytes: number): void;
};

export type FrameWriter = {
  append(blocks: readonly TableBlock[]): Promise<void>;
  /** The segment that is being written, if any. */
  active(): Segment | null;
  close(): Promise<void>;
};

type Waiting = { blocks: readonly TableBlock[]; resolve(): void; reject(error: unknown): void };

export function createFrameWriter(options: FrameWriterOptions): FrameWriter {
  let open: { segment: Segment; file: FileHandle } | null = null;
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;

  const retire = async (): Promise<void> => {
    const retired = open;
    open = null;
    await retired?.file.close().catch(() => undefined);
    if (retired?.segment.end === 0) await options.discard(retired.segment.generation);
  };

  const requireSegment = async () => {
    if (open !== null && open.segment.end >= options.segmentBytes) await retire();
    if (open === null) {
      const { generation, file } = await options.create();
      open = { segment: { generation, end: 0 }, file };
    }
    return open;
  };

  const write = async (blocks: readonly TableBlock[]): Promise<void> => {
    const bytes = blocks.reduce((sum, { block }) => sum + HEADER_BYTES + block.content.length, 0);
    options.requireRoom(bytes);
    const { segment, file } = await requireSegment();
    const writtenAtMs = options.nowMs();
    const buffers = blocks.flatMap((block) => frameBlock(block, segment.generation, writtenAtMs));
    try {
      await writeAll(file, buffers, segment.end, bytes);
      await file.datasync();
    } catch (thrown) {
      await retire();
      throw thrown;
    }
    segment.end += bytes;
    options.onAppended(segment, blocks, bytes);
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await write(group.flatMap((entry) => entry.blocks));
        for (const entry of group) entry.resolve();
      } catch (thrown) {
        for (const entry of group) entry.reject(thrown);
      }
    }
    running = null;
  };

  return {
    append: (blocks) =>
      new Promise((resolve, reject) => {
        waiting.push({ blocks, resolve, reject });
        running ??= run();
      }),
    active: () => open?.segment ?? null,
    async close() {
      await running;
      await retire();
    },
  };
}

const MAX_PAYLOAD_BYTES = 0xffff_ffff;

function frameBlock({ table, block }: TableBlock, generation: number, writtenAtMs: number): Uint8Array[] {
  const { rows, content } = block;
  assert(content.length <= MAX_PAYLOAD_BYTES, "a frame's length has 32 bits");
  const payloadCrc = crc32(content);
  return [writeHeader({ table, rows, payloadBytes: content.length, payloadCrc, generation, writtenAtMs }), content];
}

async function writeAll(file: FileHandle, buffers: Uint8Array[], offset: number, bytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(buffers, offset);
  if (bytesWritten === bytes) return;
  // Cut short, as a full disk does it: going on gives the reason, or what is missing.
  let skip = bytesWritten;
  let at = offset;
  for (const buffer of buffers) {
    const done = Math.min(skip, buffer.length);
    skip -= done;
    for (let from = done; from < buffer.length; ) {
      const more = await file.write(buffer, from, buffer.length - from, at + from);
      if (more.bytesWritten === 0) throw new Error("the disk takes no more bytes");
      from += more.bytesWritten;
    }
    at += buffer.length;
  }
}
