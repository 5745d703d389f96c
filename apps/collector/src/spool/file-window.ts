/** A file read through a window: many small reads near each other cost one system call. */
import type { FileHandle } from "node:fs/promises";

/** The bytes from `offset`, at most a window full; fewer where the file ends. Valid until the next read. */
export type FileWindow = { readonly bytes: number; read(offset: number, length: number): Promise<Buffer> };

export function createFileWindow(file: FileHandle, bytes: number): FileWindow {
  const window = Buffer.allocUnsafe(bytes);
  let start = 0;
  let held = 0;
  return {
    bytes,
    async read(offset, length) {
      if (offset < start || offset + length > start + held) {
        start = offset;
        held = await readFully(file, window, offset);
      }
      return window.subarray(offset - start, Math.min(offset - start + length, held));
    },
  };
}

/** Fills the buffer from the file; returns how many bytes there were. */
export async function readFully(file: FileHandle, into: Buffer, offset: number): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
