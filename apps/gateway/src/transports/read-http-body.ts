/** The body of an HTTP request, within its limits of size and time. */
import type { IncomingMessage } from "node:http";
import { CentspanError } from "@centspan/base";
import type { ByteShare } from "@centspan/service";

export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Until it has come whole, however much of it there is. */
export const MAX_BODY_MS = 120_000;

/** `share`: of what all bodies may hold. */
export type BodyLimits = { maxMs?: number; share?: ByteShare };

/** A refused body must not take its connection with it: the answer still has to get through. */
export async function readHttpBody(request: IncomingMessage, limits: BodyLimits = {}): Promise<Buffer> {
  const { maxMs = MAX_BODY_MS, share } = limits;
  checkHeaders(request);
  const chunks: Buffer[] = [];
  let total = 0;
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const late = `body: did not come within ${maxMs} ms`;
      timer = setTimeout(() => reject(new CentspanError("request_timeout", late, { field: "body" })), maxMs);
      const cut = (cause?: unknown): void =>
        reject(new CentspanError("invalid_request", "body: ended early", { field: "body", cause }));
      request
        .on("data", (chunk: Buffer) => {
          total += chunk.length;
          if (total > MAX_BODY_BYTES) {
            reject(new CentspanError("payload_too_large", TOO_LARGE, { field: "body" }));
            return;
          }
          try {
            share?.add(chunk.length);
            chunks.push(chunk);
          } catch (thrown) {
            reject(thrown);
          }
        })
        .once("end", () => {
          // Every request is closed once, and an error is not made for each.
          request.off("close", cut);
          resolve();
        })
        .once("error", cut)
        .once("close", cut);
    });
  } catch (thrown) {
    request.removeAllListeners("data").resume();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
  const [first] = chunks;
  const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, total);
  // The request's listeners know of them until its answer has ended.
  chunks.length = 0;
  return body;
}

const TOO_LARGE = `body: larger than ${MAX_BODY_BYTES} bytes`;

function checkHeaders({ headers }: IncomingMessage): void {
  const refuse = (field: string, needs: string): CentspanError =>
    new CentspanError("unsupported_media_type", `${field}: must be ${needs}`, { field });
  if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")) {
    throw refuse("content-type", "application/json");
  }
  if (!/^(identity)?$/i.test(headers["content-encoding"] ?? "")) throw refuse("content-encoding", "absent or identity");
}
