/**
 * A frame: one block of one table, as it lies in a segment. 40 bytes of header, then the payload.
 * Layout (little-endian): magic, table u16, reserved u16, generation u64, written at (ms since the epoch) u64, rows u32,
 * payload bytes u32, CRC-32 of the payload u32, CRC-32 of the 36 bytes before u32.
 * Invariant: a frame of an earlier use of the same file never reads as one of this use, since it names its generation.
 */
import { crc32 } from "node:zlib";
import type { SignalTable } from "@centspan/model";

export const HEADER_BYTES = 40;
/** Another layout gets another magic. */
export const MAGIC = Buffer.from("CSPL");
/** The place of a table is its number on disk: add at the end. Null is damage, which is passed over. */
const TABLES: readonly (SignalTable | null)[] = ["spans", "logs", "metrics", null];

export type FrameHeader = {
  table: SignalTable | null;
  generation: number;
  writtenAtMs: number;
  rows: number;
  payloadBytes: number;
  payloadCrc: number;
};

export function writeHeader(frame: FrameHeader): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt16LE(TABLES.indexOf(frame.table), 4);
  header.writeBigUInt64LE(BigInt(frame.generation), 8);
  header.writeBigUInt64LE(BigInt(Math.round(frame.writtenAtMs)), 16);
  header.writeUInt32LE(frame.rows, 24);
  header.writeUInt32LE(frame.payloadBytes, 28);
  header.writeUInt32LE(frame.payloadCrc, 32);
  header.writeUInt32LE(crc32(header.subarray(0, 36)), 36);
  return header;
}

/** Null where these bytes are not the whole header of a frame of that generation. */
export function readHeader(bytes: Buffer, generation: number): FrameHeader | null {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  if (bytes.readUInt32LE(36) !== crc32(bytes.subarray(0, 36))) return null;
  const table = TABLES[bytes.readUInt16LE(4)];
  if (table === undefined || Number(bytes.readBigUInt64LE(8)) !== generation) return null;
  return {
    table,
    generation,
    writtenAtMs: Number(bytes.readBigUInt64LE(16)),
    rows: bytes.readUInt32LE(24),
    payloadBytes: bytes.readUInt32LE(28),
    payloadCrc: bytes.readUInt32LE(32),
  };
}
