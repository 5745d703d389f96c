/** The body of an HTTP request, within its limit. */
import type { IncomingMessage } from "node:http";
import { CentspanError } from "@centspan/base";

export const MAX_BODY_BYTES = 32 * 1024 * 1024;

export async function readHttpBody(request: IncomingMessage): Promise<Buffer> {
  checkHeaders(request);
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
