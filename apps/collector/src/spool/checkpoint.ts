/**
 * How far the store has what the spool holds: a hint that spares a restart the repetition of what is in already.
 * Not synced: one that is too old only repeats rows that change nothing. Invariant: never ahead of the store.
 */
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";

/** Everything before it is in the store. `offset` counts bytes within the segment of that generation. */
export type Position = { generation: number; offset: number };

/** Before everything: generations count from 1. */
export const NOWHERE: Position = { generation: 0, offset: 0 };

export const isBefore = (a: Position, b: Position): boolean =>
  a.generation < b.generation || (a.generation === b.generation && a.offset < b.offset);

const BYTES = 20;

export async function readCheckpoint(file: FileHandle): Promise<Position> {
  const bytes = Buffer.alloc(BYTES);
  const { bytesRead } = await file.read(bytes, 0, BYTES, 0);
  if (bytesRead < BYTES || bytes.readUInt32LE(16) !== crc32(bytes.subarray(0, 16))) return NOWHERE;
  return { generation: Number(bytes.readBigUInt64LE(0)), offset: Number(bytes.readBigUInt64LE(8)) };
}

export async function writeCheckpoint(file: FileHandle, position: Position): Promise<void> {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeBigUInt64LE(BigInt(position.generation), 0);
  bytes.writeBigUInt64LE(BigInt(position.offset), 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 16)), 16);
  await file.write(bytes, 0, BYTES, 0);
}
