/**
 * Marks up to which Anthropic's prompt cache is written: on the last tool, the system text and the last message of the
 * user, so that each turn reads what the turn before wrote. Three of the four that are allowed; none where the client set its own.
 */
import { readElements, readMembers, writeElements, writeMembers } from "../json-members.ts";

const MARK = '{"type":"ephemeral"}';
/** The name as JSON writes it. Within a text its quotes would be escaped. */
const MARK_NAME = '"cache_control"';

/** `members` of a Messages request, as text; `json` is what they say. Returns how many were placed. */
export function placeBreakpoints(members: Map<string, string>, json: Readonly<Record<string, unknown>>): number {
  if (members.has("cache_control")) return 0;
  const parts = ["tools", "system", "messages"];
  if (parts.some((name) => members.get(name)?.includes(MARK_NAME))) return 0;
  let placed = 0;
  const mark = (name: string, write: (text: string, value: unknown) => string | null): void => {
    const text = members.get(name);
    const marked = text === undefined ? null : write(text, json[name]);
    if (marked === null) return;
    members.set(name, marked);
    placed += 1;
  };
  // Deferred tools stand behind the prefix, and may not have a mark.
  mark("tools", (text, value) => markLast(text, value, (tool) => Object(tool).defer_loading !== true));
  mark("system", markContent);
  mark("messages", (text, value) => {
    const last = Array.isArray(value) ? Object(value.at(-1)) : {};
    if (last.role !== "user") return null;
    const elements = readElements(text);
    const message = readMembers(elements.at(-1) ?? "{}");
    const content = markContent(message.get("content") ?? "null", last.content);
    if (content === null) return null;
    message.set("content", content);
    return writeElements([...elements.slice(0, -1), writeMembers(message)]);
  });
  return placed;
}

/** A text becomes a block that can have a mark; null where there is nothing to mark. */
function markContent(text: string, value: unknown): string | null {
  if (typeof value === "string") {
    return value === "" ? null : `[{"type":"text","text":${text},"cache_control":${MARK}}]`;
  }
  return markLast(text, value);
}

const UNMARKABLE = new Set(["thinking", "redacted_thinking"]);

/** The last of those that count. */
function markLast(text: string, value: unknown, counts: (element: unknown) => boolean = () => true): string | null {
  const at = Array.isArray(value) ? value.findLastIndex(counts) : -1;
  const last = Array.isArray(value) ? value[at] : null;
  if (typeof last !== "object" || last === null || UNMARKABLE.has(last.type) || last.text === "") return null;
  const elements = readElements(text);
  const members = readMembers(elements[at] ?? "{}");
  members.set("cache_control", MARK);
  return writeElements(elements.with(at, writeMembers(members)));
}
