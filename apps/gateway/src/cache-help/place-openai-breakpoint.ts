/**
 * A mark up to which OpenAI's prompt cache is written: behind the instructions that a conversation begins with, so that other
 * conversations find them. The provider's own mark, on the newest message, stays. From gpt-5.6 on: a cache is then read at marks alone.
 */
import { takesCacheMarks } from "@centspan/pricing";
import { readElements, readMembers, writeElements, writeMembers } from "../json-members.ts";

const MARK = '{"mode":"explicit"}';
/** The name as JSON writes it. Within a text its quotes would be escaped. */
const MARK_NAME = '"prompt_cache_breakpoint"';

/** Where the protocol has its items, and what it calls a text. */
export type MarkedItems = { items: string; textType: string };

export function placeOpenAiBreakpoint(
  members: Map<string, string>,
  json: Readonly<Record<string, unknown>>,
  model: string,
  { items, textType }: MarkedItems,
): number {
  const text = members.get(items) ?? "";
  const list = json[items];
  if (
    !takesCacheMarks(model) ||
    !Array.isArray(list) ||
    members.has("prompt_cache_options") ||
    text.includes(MARK_NAME)
  ) {
    return 0;
  }
  const firstOther = list.findIndex((item) => !INSTRUCTING.has(Object(item).role));
  const at = (firstOther < 0 ? list.length : firstOther) - 1;
  if (at < 0) return 0;
  const elements = readElements(text);
  const item = readMembers(elements[at] ?? "{}");
  const content = markContent(item.get("content") ?? "null", Object(list[at]).content, textType);
  if (content === null) return 0;
  item.set("content", content);
  elements[at] = writeMembers(item);
  members.set(items, writeElements(elements));
  return 1;
}

const INSTRUCTING = new Set(["system", "developer"]);

function markContent(text: string, value: unknown, textType: string): string | null {
  if (typeof value === "string") {
    return value === "" ? null : `[{"type":"${textType}","text":${text},"prompt_cache_breakpoint":${MARK}}]`;
  }
  if (!Array.isArray(value) || Object(value.at(-1)).type !== textType) return null;
  const blocks = readElements(text);
  const last = readMembers(blocks.at(-1) ?? "{}");
  last.set("prompt_cache_breakpoint", MARK);
  return writeElements([...blocks.slice(0, -1), writeMembers(last)]);
}
