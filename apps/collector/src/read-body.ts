/**
 * A request's body as bytes, decompressed, within limits: one for a body, one for all bodies held at once.
 * Invariant: no more is held in memory than the limits say, however well the body was compressed.
 */
import type { IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import { CentspanError } from "@centspan/base";
import { createOverload } from "./group-commit.ts";

/** What all requests hold together. `open` starts one request's share; `close` gives it back. */
type ByteBudget = { open(): { add(bytes: number): void; close(): void } };

export function createByteBudget(maxBytes: number): ByteBudget {
  let heldBytes = 0;
  return {
    open() {
      let share = 0;
      return {
        add(bytes) {
          // A share that stands alone is only bound by the limit on one body.
          if (heldBytes > share && heldBytes + bytes > maxBytes) throw createOverload(`${heldBytes} bytes`);
          share += bytes;
          heldBytes += bytes;
        },
        close() {
          heldBytes -= share;
          share = 0;
        },
      };
    },
  };
}

type ReadBodyOptions = { maxBytes: number; onBytes(bytes: number): void };

export async function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    for await (const chunk of decompress(request)) {
      total += chunk.length;
      if (total > options.maxBytes) throw createTooLarge(options.maxBytes);
      options.onBytes(chunk.length);
      chunks.push(chunk);
    }
  } catch (thrown) {
    request.resume();
    throw translateStreamError(thrown);
  }
  return Buffer.concat(chunks, total);
}

function decompress(request: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = (request.headers["content-encoding"] ?? "identity").toLowerCase();
  // A refused body must not take its connection with it: the answer still has to get through.
  if (encoding === "identity" || encoding === "") return request.iterator({ destroyOnReturn: false });
  if (encoding !== "gzip") {
    throw new CentspanError("unsupported_media_type", `content-encoding: ${encoding} is not gzip or identity`, {
      field: "content-encoding",
    });
  }
  const gunzip = createGunzip();
  request.once("error", (error) => gunzip.destroy(error));
  return request.pipe(gunzip);
}

const createTooLarge = (maxBytes: number): CentspanError =>
  new CentspanError("payload_too_large", `body: larger than ${maxBytes} bytes after decompression`, { field: "body" });

function translateStreamError(thrown: unknown): unknown {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  if (code.startsWith("Z_")) {
    return new CentspanError("invalid_request", "body: is not valid gzip", { field: "body", cause: thrown });
  }
  if (code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE") {
    return new CentspanError("invalid_request", "body: ended early", { field: "body", cause: thrown });
  }
  return thrown;
}
