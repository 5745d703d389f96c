/** Stage api.parse: the body as bytes and as JSON, within the limits of size and depth. */
import { isUtf8 } from "node:buffer";
import { CentspanError } from "@centspan/base";
import { setAttributes } from "@centspan/telemetry";
import { type Exchange, runStage } from "../exchange.ts";

/** Far beyond any tool schema. What reads the body after this recurses, and would run out of stack. */
const MAX_DEPTH = 256;

export type ParsedBody = { bytes: Buffer; json: unknown };

export function parse(exchange: Exchange): Promise<ParsedBody> {
  return runStage(exchange, "api.parse", async (span) => {
    const bytes = await exchange.readBody();
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

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set(Buffer.from("[{"));
const CLOSING = new Set(Buffer.from("]}"));

/** Whether arrays and objects of a JSON text stand more than `most` deep in each other. */
function exceedsDepth(bytes: Buffer, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length && depth <= most; at++) {
    const byte = bytes[at];
    if (byte === undefined) break;
    if (byte === QUOTE) at = findStringEnd(bytes, at + 1);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
  }
  return depth > most;
}

/** Where the string that begins at `from` has its closing quote. Most of a body is in strings: they are not read byte by byte. */
function findStringEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at - 1;
    while (before >= from && bytes[before] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return bytes.length;
}
