/**
 * Whose work a request is: what the client says in headers, and what its key says. The key's side always wins and
 * can't be set by a header. Copied onto every span of the request, so that a call can be attributed from its own span.
 */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { CentspanError } from "@centspan/base";
import { isSubject, type Principal, SUBJECT_RULE } from "@centspan/model";
import { readSecret } from "@centspan/service";
import type { SpanAttributes } from "@centspan/telemetry";
import type { Spender } from "./budgets/budgets.ts";

/** Identity headers by the attribute they become. */
const HEADERS = {
  "centspan.task.id": "x-centspan-task",
  "centspan.task.type": "x-centspan-task-type",
  "centspan.run.id": "x-centspan-run",
  "centspan.role": "x-centspan-role",
  "centspan.repository": "x-centspan-repository",
  "centspan.harness.version": "x-centspan-harness-version",
} as const satisfies Partial<Record<keyof SpanAttributes, string>>;

const NAMED_HEADERS = Object.entries(HEADERS);

/** Where agents name their session, ours first; then those of Codex and Claude Code. */
const SESSION_HEADERS = ["x-centspan-session", "session-id", "x-claude-code-session-id"];

/** Node reads header bytes as Latin-1; clients that name a task in another script send UTF-8. */
const readHeader = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  if (typeof value !== "string" || value === "") return undefined;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString() : value;
};

/** A name that stands on every span, and may be an account's. */
const readName = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = readHeader(headers, name);
  if (value === undefined || isSubject(value)) return value;
  throw new CentspanError("invalid_request", `${name}: ${SUBJECT_RULE}`, { field: name });
};

/** What a request asks of whoever answers it; null when it asks nothing. */
export const readWish = (headers: IncomingHttpHeaders, name: string): string | null =>
  readHeader(headers, name) ?? null;

/** A whole number in a header; undefined when absent. */
export function readCountHeader(headers: IncomingHttpHeaders, name: string): number | undefined {
  const value = readHeader(headers, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value))
    throw new CentspanError("invalid_request", `${name}: must be a whole number`, { field: name });
  return Number(value);
}

export function readIdentity(headers: IncomingHttpHeaders): SpanAttributes {
  const said: Record<string, string> = {};
  const say = (attribute: string, text: string | undefined): void => {
    if (text !== undefined) said[attribute] = text;
  };
  for (const [attribute, header] of NAMED_HEADERS) say(attribute, readName(headers, header));
  say("gen_ai.conversation.id", readSession(headers, readName));
  return said;
}

const readSession = (headers: IncomingHttpHeaders, read: typeof readName): string | undefined =>
  SESSION_HEADERS.map((name) => read(headers, name)).find((value) => value !== undefined);

/**
 * The trace of a request that names its session and no trace: the same for all of them, whichever gateway they reach, so
 * that the session is one run. A key's own: the same name with another key is another session.
 */
export function deriveTraceId(headers: IncomingHttpHeaders): string | undefined {
  const session = readSession(headers, readHeader);
  if (session === undefined) return undefined;
  const hash = createHash("sha256").update(JSON.stringify([readSecret(headers), session]));
  return hash.digest("hex").slice(0, TRACE_ID_DIGITS);
}

const TRACE_ID_DIGITS = 32;

export const describeKey = (principal: Principal): SpanAttributes => ({
  "centspan.key.id": principal.keyId,
  "centspan.key.name": principal.keyName,
  "centspan.team.id": principal.team ?? undefined,
});

/**
 * The name of a run, thread or session as an upstream is told it: it serves all workspaces, and what one of them says of a name
 * must mean nothing to the same name of another. 32 characters, whatever it is.
 */
export const scopeName = (workspace: string, name: string): string =>
  createHash("sha256")
    .update(JSON.stringify([workspace, name]))
    .digest("hex")
    .slice(0, 32);

/** Whose budgets a request counts in. Its run is that which the client names, or else its session. */
export function describeSpender({ workspace, keyId, team }: Principal, identity: SpanAttributes): Spender {
  const run = identity["centspan.run.id"] ?? identity["gen_ai.conversation.id"];
  return { workspace, key: keyId, team: team ?? undefined, taskType: identity["centspan.task.type"], run };
}
