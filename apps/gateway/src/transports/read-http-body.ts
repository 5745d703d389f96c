/** The body of an HTTP request, within its limits of size and time. */
import type { IncomingMessage } from "node:http";
import { CentspanError } from "@centspan/base";

export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Until it has come whole, however much of it there is. */
export const MAX_BODY_MS = 120_000;

export async function readHttpBody(request: IncomingMessage, maxMs = MAX_BODY_MS): Promise<Buffer> {
  checkHeaders(request);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new CentspanError("request_timeout", `body: did not come within ${maxMs} ms`, { field: "body" })),
      maxMs,
    );
  });
  try {
    return await Promise.race([collect(request), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    // A refused body must not take its connection with it: the answer still has to get through.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      total += chunk.length;
      if (total > MAX_BODY_BYTES) {
        throw new CentspanError("payload_too_large", `body: larger than ${MAX_BODY_BYTES} bytes`, { field: "body" });
      }
      chunks.push(chunk);
    }
  } catch (thrown) {
    request.resume();
    if (thrown instanceof CentspanError) throw thrown;
    throw new CentspanError("invalid_request", "body: ended early", { field: "body", cause: thrown });
  }
  return Buffer.concat(chunks, total);
}

function checkHeaders({ headers }: IncomingMessage): void {
  const refuse = (field: string, needs: string): CentspanError =>
    new CentspanError("unsupported_media_type", `${field}: must be ${needs}`, { field });
  if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")) {
    throw refuse("content-type", "application/json");
  }
  if (!/^(identity)?$/i.test(headers["content-encoding"] ?? "")) throw refuse("content-encoding", "absent or identity");
}
