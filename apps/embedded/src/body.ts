/**
 * A request's body: kept in memory while small, written to a file beyond that, decompressed and counted on the way.
 * It is read to its end before the engine sees any of it, so that a broken upload inserts nothing.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ClickHouseException } from "./exceptions.ts";

const MEMORY_LIMIT_BYTES = 1024 * 1024;

const DECOMPRESSORS = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

export type Body = {
  size: number;
  /** All of it, or its beginning when `inFile`. */
  head: Buffer;
  inFile: boolean;
};

export async function readBody(request: IncomingMessage, file: string, maxBytes: number): Promise<Body> {
  const body: Body = { size: 0, head: Buffer.alloc(0), inFile: false };
  const chunks: Buffer[] = [];
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      body.size += chunk.length;
      if (body.size > maxBytes) {
        throw new ClickHouseException(307, "TOO_MANY_BYTES", `The request body is larger than ${maxBytes} bytes`);
      }
      yield chunk;
    }
  };
  const keep = async (source: AsyncIterable<Buffer>) => {
    const iterator = source[Symbol.asyncIterator]();
    let next = await iterator.next();
    while (!next.done && body.size <= MEMORY_LIMIT_BYTES) {
      chunks.push(next.value);
      next = await iterator.next();
    }
    body.head = Buffer.concat(chunks);
    if (next.done) return;
    body.inFile = true;
    const rest = { [Symbol.asyncIterator]: () => iterator };
    const all = async function* () {
      yield body.head;
      yield next.value;
      yield* rest;
    };
    await pipeline(Readable.from(all(), { objectMode: false }), createWriteStream(file, { mode: 0o600 }));
  };
  const decompress = decompressor(request.headers["content-encoding"]);
  if (decompress) await pipeline(request, decompress, counted, keep);
  else await pipeline(request, counted, keep);
  return body;
}

/** The bytes of the body from `start` on, as a file the engine can read. */
export async function bodyAsFile(body: Body, file: string, start: number): Promise<string> {
  if (!body.inFile) {
    await writeFile(file, body.head.subarray(start), { mode: 0o600 });
    return file;
  }
  if (start === 0) return file;
  const dataFile = `${file}.data`;
  await pipeline(createReadStream(file, { start }), createWriteStream(dataFile, { mode: 0o600 }));
  return dataFile;
}

/** All of the body, which a query is and data need not be. */
export async function wholeBody(body: Body, file: string, maxBytes: number): Promise<Buffer> {
  if (!body.inFile) return body.head;
  if (body.size <= maxBytes) return readFile(file);
  const message = `A query that carries no insert data may not be larger than ${maxBytes} bytes`;
  throw new ClickHouseException(66, "QUERY_IS_TOO_LARGE", message);
}

export async function removeBodyFiles(file: string): Promise<void> {
  await rm(file, { force: true });
  await rm(`${file}.data`, { force: true });
}

function decompressor(encoding: string | undefined): Transform | undefined {
  if (encoding === undefined || encoding === "" || encoding === "identity") return undefined;
  const create = DECOMPRESSORS.get(encoding.toLowerCase());
  if (create) return create();
  const known = [...DECOMPRESSORS.keys()].join(", ");
  throw new ClickHouseException(48, "NOT_IMPLEMENTED", `Content-Encoding ${encoding} is not one of ${known}`);
}
