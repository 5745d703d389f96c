/**
 * A `response.create` message: a Responses request that may build on the connection's latest response.
 * The body that goes on is put together from the texts of both, so that nothing of either changes.
 */
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { readMembers, writeMembers } from "../json-members.ts";

const messageSchema = z.looseObject({
  type: z.literal("response.create"),
  generate: z.boolean().optional(),
  previous_response_id: z.string().nullish(),
  client_metadata: z.record(z.string(), z.unknown()).nullish(),
});

export type CreateMessage = {
  /** False for a prewarm: everything is got ready and nothing generated. */
  generates: boolean;
  previousResponseId: string | null;
  /** What the message says that a request would say in headers: trace context, session, identity. */
  headers: Record<string, string>;
  members: Map<string, string>;
};

export function readCreateMessage(text: string): CreateMessage {
  const parsed = messageSchema.safeParse(parseObject(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue === undefined || issue.path.length === 0 ? "message" : issue.path.map(String).join(".");
    throw new CentspanError("invalid_request", `${field}: ${issue?.message ?? "is not a message"}`, { field });
  }
  const { generate, previous_response_id: previous, client_metadata: metadata } = parsed.data;
  return {
    generates: generate !== false,
    previousResponseId: previous ?? null,
    headers: readHeaders(metadata ?? {}),
    members: readMembers(text),
  };
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CentspanError("invalid_request", "message: is not valid JSON", { field: "message", cause });
  }
}

/** Codex names its trace so; others may say it plainly. Names of ours are those of the headers. */
const TRACE_NAMES = ["ws_request_header_traceparent", "traceparent"];

const OURS = /^(x-centspan-[a-z-]+|idempotency-key)$/;

function readHeaders(metadata: Record<string, unknown>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== "string" || value === "") continue;
    if (TRACE_NAMES.includes(name)) headers.traceparent = value;
    else if (name === "session_id") headers["session-id"] = value;
    else if (OURS.test(name)) headers[name] = value;
  }
  for (const [name, value] of Object.entries(headers)) headers[name] = toHeader(name, value);
  return headers;
}

/** As many as all headers of an HTTP request may have. */
const MAX_HEADER_BYTES = 16 * 1024;

/** As it would have come in a header: bytes that a header can hold, read one by one. */
function toHeader(name: string, value: string): string {
  const bytes = Buffer.from(value);
  if (bytes.length > MAX_HEADER_BYTES) {
    const field = `client_metadata.${name}`;
    throw new CentspanError("invalid_request", `${field}: longer than ${MAX_HEADER_BYTES} bytes`, { field });
  }
  if (bytes.some((byte) => (byte < 0x20 && byte !== 0x09) || byte === 0x7f)) {
    const field = `client_metadata.${name}`;
    throw new CentspanError("invalid_request", `${field}: must have no control characters`, { field });
  }
  return bytes.toString("latin1");
}

/** Of the connection, not of the request. */
const TRANSPORT_MEMBERS = ["type", "generate", "previous_response_id", "stream", "input"];

/** The items of the whole input: those of the response before, then the message's own. */
export function joinInput({ members }: CreateMessage, before: string): string {
  return joinItems(before, readItems(members.get("input") ?? "[]"));
}

export function writeBody({ members }: CreateMessage, input: string): Buffer {
  const body = new Map(members);
  for (const name of TRANSPORT_MEMBERS) body.delete(name);
  body.set("input", `[${input}]`);
  body.set("stream", "true");
  const metadata = body.get("client_metadata");
  if (metadata?.startsWith("{")) body.set("client_metadata", withoutOurs(metadata));
  return Buffer.from(writeMembers(body));
}

/** What was read of it as headers goes on as headers, to whom they are for. */
function withoutOurs(metadata: string): string {
  const members = readMembers(metadata);
  for (const name of members.keys()) if (OURS.test(name)) members.delete(name);
  return writeMembers(members);
}

export const joinItems = (...lists: readonly string[]): string => lists.filter((list) => list !== "").join(",");

/** What stands between an array's brackets. A text is one message of the user. */
function readItems(input: string): string {
  return input.startsWith("[") ? input.slice(1, -1).trim() : `{"type":"message","role":"user","content":${input}}`;
}
