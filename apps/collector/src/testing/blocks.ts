/** For tests only: blocks of any bytes, folders that go away, and what a spool holds, as text. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Block, SignalTable, WholeBlock } from "@centspan/model";
import { onTestFinished } from "vitest";
import { NOWHERE } from "../spool/checkpoint.ts";
import type { Spool } from "../spool/open-spool.ts";

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "centspan-spool-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A block as a builder gives it. */
export function createBlock(text: string | Uint8Array, rows = 1): WholeBlock {
  const content = Buffer.from(text);
  return {
    rows,
    bytes: content.length,
    content,
    async *read() {
      yield content;
    },
  };
}

export async function readBlock(block: Block): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of block.read()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

const ALL = { rows: 1e9, bytes: 1e12, frames: 1e9 };

/** The content of every frame of a table that waits, in order. */
export async function readSpool(spool: Spool, table: SignalTable = "spans", from = NOWHERE): Promise<string[]> {
  const { frames } = await spool.find(table, from, ALL);
  return Promise.all(frames.map((frame) => readBlock(spool.join([frame]))));
}
