/** Stage api.parse: the body as bytes and as JSON, within the limits of size and depth. */
import { isAscii, isUtf8 } from "node:buffer";
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
    if (!isUtf8(bytes)) throw refuse("must be UTF-8");
    const members = countMembers(bytes, MAX_DEPTH);
    if (members === null) throw refuse(`nests more than ${MAX_DEPTH} levels`);
    const json = parseBody(bytes);
    // Readers differ in which of the two they take: what was checked here need not be what is done there.
    if (countKept(json) !== members) throw refuse("has a member twice in one object");
    checkSpelling(json, exchange.protocol.members);
    return { bytes, json };
  });
}

const refuse = (what: string, cause?: unknown): CentspanError =>
  new CentspanError("invalid_request", `body: ${what}`, { field: "body", cause });

function parseBody(bytes: Buffer): unknown {
  try {
    return JSON.parse(decode(bytes));
  } catch (cause) {
    throw refuse("is not valid JSON", cause);
  }
}

/** Some servers take names whatever their case: one that is read here has to be spelled as it is read. */
function checkSpelling(json: unknown, names: ReadonlySet<string>): void {
  for (const name of Object.keys(Object(json))) {
    const lower = name.toLowerCase();
    if (lower === name || !names.has(lower)) continue;
    throw new CentspanError("invalid_request", `${name}: is spelled ${lower}`, { field: name });
  }
}

/** The runtime reads UTF-8 at half the speed, even where each byte is a character. */
const decode = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? "latin1" : "utf8");

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const OPENING = new Set(Buffer.from("[{"));
const CLOSING = new Set(Buffer.from("]}"));

/** Of all objects of a JSON text; null where arrays and objects stand more than `most` deep in each other. */
function countMembers(bytes: Buffer, most: number): number | null {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === undefined) break;
    if (byte === QUOTE) at = findStringEnd(bytes, at + 1);
    else if (byte === COLON) members += 1;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > most) return null;
  }
  return members;
}

/** What is left of them where the last of two with one name counts. */
function countKept(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inside: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let members = Array.isArray(value) ? 0 : inside.length;
  for (const each of inside) if (typeof each === "object") members += countKept(each);
  return members;
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
