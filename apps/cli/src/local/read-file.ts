/** The bytes of a history from a place on, as they would be uncompressed. Holds a piece of the file, never the whole. */
import { createReadStream } from "node:fs";
import { Decompress } from "fzstd";
import type { FoundFile } from "./find-histories.ts";

/** Read and told in a few hundredths of a second, so that whoever ends it waits no longer. */
const PIECE_BYTES = 1024 * 1024;

type Readable = Pick<FoundFile, "place" | "path" | "kind">;

/** Rejects with what the disk says, or for what is no Zstandard. */
export async function* readPieces(file: Readable, from: number): AsyncGenerator<Uint8Array> {
  const name = `${file.place}/${file.path}`;
  if (file.kind.compression === "none") {
    yield* createReadStream(name, { start: from, highWaterMark: PIECE_BYTES });
    return;
  }
  let skip = from;
  for await (const piece of decompress(createReadStream(name, { highWaterMark: PIECE_BYTES / 16 }))) {
    if (piece.length > skip) yield piece.subarray(skip);
    skip = Math.max(0, skip - piece.length);
  }
}

/** Nothing of Node 20 reads Zstandard. */
async function* decompress(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  const stream = new Decompress((piece) => pieces.push(piece));
  const take = (): Uint8Array[] => {
    const taken = pieces;
    pieces = [];
    return taken;
  };
  for await (const piece of compressed) {
    stream.push(piece);
    yield* take();
  }
  stream.push(new Uint8Array(), true);
  yield* take();
}

/** Fewer where the file ends before. */
export async function readSlice(file: Readable, from: number, bytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let read = 0;
  for await (const piece of readPieces(file, from)) {
    const part = piece.subarray(0, bytes - read);
    parts.push(part);
    read += part.length;
    if (read >= bytes) break;
  }
  return Buffer.concat(parts);
}
