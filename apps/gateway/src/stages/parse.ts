/** Stage api.parse: the body as bytes and as JSON, within the limits of size and depth. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { CentspanError } from "@centspan/base";
import { setAttributes } from "@centspan/telemetry";
import { type Exchange, runStage } from "../exchange.ts";

export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Far beyond any tool schema. What reads the body after this recurses, and would run out of stack. */
const MAX_DEPTH = 256;

export type ParsedBody = { bytes: Buffer; json: unknown };

export function parse(exchange: Exchange): Promise<ParsedBody> {
  return runStage(exchange, "api.parse", async (span) => {
    const bytes = await readBytes(exchange.request);
    setAttributes(span, { "http.request.body.size": bytes.length });
    setAttributes(exchange.serverSpan, { "http.request.body.size": bytes.length });
    if (!isUtf8(bytes)) throw new CentspanError("invalid_request", "body: must be UTF-8", { field: "body" });
    if (exceedsDepth(bytes, MAX_DEPTH)) {
      throw new CentspanError("invalid_request", `body: nests more than ${MAX_DEPTH} levels`, { field: "body" });
    }
    try {
      return { bytes, json: JSON.parse(bytes.toString()) };
    } catch (cause) {
      throw new CentspanError("invalid_request", "body: is not valid JSON", { field: "body", cause });
    }
  });
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
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

const [QUOTE, BACKSLASH] = Buffer.from('"\\');
const OPENING = new Set(Buffer.from("[{"));
const CLOSING = new Set(Buffer.from("]}"));

/** Whether arrays and objects of a JSON text stand more than `most` deep in each other. */
function exceedsDepth(bytes: Buffer, most: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length && depth <= most; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) inString = !inString;
    else if (byte === undefined) break;
    else if (inString) at += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
  }
  return depth > most;
}
