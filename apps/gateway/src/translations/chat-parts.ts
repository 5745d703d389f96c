/** What requests of several protocols have in common once they are said in Chat Completions. */
import { CentspanError } from "@centspan/base";
import type { z } from "zod";
import { formatPath } from "../format-path.ts";

export type ChatMessage = { role: string; content?: unknown; tool_calls?: object[]; tool_call_id?: string };
export type ChatPart = { type: "text"; text: string } | { type: "image_url"; image_url: object };

export const writeFunction = (name: string, description: unknown, parameters: unknown, strict?: unknown): object => ({
  type: "function",
  function: { name, description, parameters: parameters ?? {}, ...(strict != null && { strict }) },
});

export const chooseFunction = (name: string): object => ({ type: "function", function: { name } });

export const writeSchemaFormat = (name: string, schema: unknown, strict?: unknown): object => ({
  type: "json_schema",
  json_schema: { name, schema, ...(strict != null && { strict }) },
});

/** Calls belong to the message of the model that makes them. */
export function addCall(messages: ChatMessage[], id: string, name: string, text: string): void {
  const last = messages.at(-1);
  const call = { id, type: "function", function: { name, arguments: text } };
  if (last?.role === "assistant") last.tool_calls = [...(last.tool_calls ?? []), call];
  else messages.push({ role: "assistant", content: null, tool_calls: [call] });
}

/** Text alone is a text: older servers take nothing else. */
export function joinParts(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n") : parts;
}

/** Members under the names that they have there; a server that streams is asked for usage. */
export function copyMembers(
  source: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  for (const [name, other] of Object.entries(names)) if (source[name] != null) copied[other] = source[name];
  if (source.stream === true) copied.stream_options = { include_usage: true };
  return copied;
}

/** Names of members that are neither copied nor said in another way. */
export const listUnsaid = (source: Readonly<Record<string, unknown>>, said: ReadonlySet<string>): string[] =>
  Object.keys(source).filter((name) => !said.has(name) && source[name] != null);

/** Names a kind of thing that may come often, once. */
export function leaveOut(dropped: string[], kind: string): void {
  if (!dropped.includes(kind)) dropped.push(kind);
}

/** What the client's protocol lets pass unread is read here for the first time. */
export function read<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = formatPath([path, ...(issue?.path ?? [])]);
  throw new CentspanError("invalid_request", `${field}: ${issue?.message}`, { field });
}

/** Of what the model would see and Chat Completions has no words for. */
export const refuse = (field: string, what: unknown): CentspanError =>
  new CentspanError(
    "invalid_request",
    `${field}: ${JSON.stringify(what)} has no counterpart in Chat Completions, which is what serves this model`,
    { field },
  );
