/**
 * A request's body in the pieces that it came in, decompressed, within limits.
 * Invariant: no more is held in memory than the limits say, however well the body was compressed.
 */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip, createInflate, type Gunzip, type Inflate } from "node:zlib";
import { CentspanError } from "@centspan/base";

type ReadBodyOptions = {
  maxBytes: number;
  /** Told of every piece that is held; may throw. */
  onBytes(bytes: number): void;
};

/** Few and large: every piece costs a turn of the thread pool. */
const CHUNK_BYTES = 256 * 1024;
const DECOMPRESSORS: Record<string, () => Gunzip | Inflate> = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  "x-gzip": () => createGunzip({ chunkSize: CHUNK_BYTES }),
  deflate: () => createInflate({ chunkSize: CHUNK_BYTES }),
};

export function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<Buffer[]> {
  if (Number(request.headers["content-length"]) > options.maxBytes) throw createTooLarge(options.maxBytes);
  const source = decompress(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let total = 0;
    const fail = (thrown: unknown): void => {
      source.removeAllListeners("data");
      request.unpipe();
      if (source !== request) source.destroy();
      // The answer still has to get through: the rest of the body is read and forgotten.
      request.resume();
      reject(translateStreamError(thrown));
    };
    source.on("data", (chunk: Buffer) => {
      total += chunk.length;
      try {
        if (total > options.maxBytes) throw createTooLarge(options.maxBytes);
        options.onBytes(chunk.length);
      } catch (thrown) {
        fail(thrown);
        return;
      }
      chunks.push(chunk);
    });
    source.on("end", () => resolve(chunks));
    source.on("error", fail);
    if (source !== request) request.on("error", fail);
    request.on("close", () => {
      if (!request.complete) fail(createEndedEarly());
    });
  });
}

function decompress(request: IncomingMessage): Readable {
  const encoding = (request.headers["content-encoding"] ?? "").trim().toLowerCase() || "identity";
  if (encoding === "identity") return request;
  const create = Object.hasOwn(DECOMPRESSORS, encoding) ? DECOMPRESSORS[encoding] : undefined;
  if (create) return request.pipe(create());
  throw new CentspanError("unsupported_media_type", `content-encoding: ${encoding} is not gzip, deflate or identity`, {
    field: "content-encoding",
  });
}

const createTooLarge = (maxBytes: number): CentspanError =>
  new CentspanError("payload_too_large", `body: larger than ${maxBytes} bytes after decompression`, { field: "body" });

const createEndedEarly = (cause?: unknown): CentspanError =>
  new CentspanError("invalid_request", "body: ended early", { field: "body", cause });

function translateStreamError(thrown: unknown): unknown {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  if (code.startsWith("Z_")) {
    return new CentspanError("invalid_request", "body: is not valid for its content-encoding", {
      field: "body",
      cause: thrown,
    });
  }
  return code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE" ? createEndedEarly(thrown) : thrown;
}
