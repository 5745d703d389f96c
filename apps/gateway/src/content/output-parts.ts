/** What a model says, put together from the pieces it comes in. Bounded: what is beyond is left out, and said to be. */
import { CUT_MARGIN } from "@centspan/telemetry/content";

export type OutputPart =
  | { type: "text"; text: string; cut: boolean }
  | { type: "tool_call"; id: string; name: string; text: string; cut: boolean };

export type OutputParts = {
  /** More of the text with this key, which begins with its first piece. */
  addText(key: string, more: unknown): void;
  /** More of a call's arguments. Id and name count where they are texts. */
  addCall(key: string, call: { id?: unknown; name?: unknown }, more: unknown): void;
  /** What came in pieces comes again as a whole. */
  drop(key: string): void;
  list(): OutputPart[];
};

/** How a protocol tells of them: the JSON of one event, and that of a whole answer. */
export type OutputReader = {
  readEvent(json: unknown, parts: OutputParts): void;
  readAnswer(json: unknown, parts: OutputParts): void;
};

const MAX_PARTS = 1_000;

export function createOutputParts(maxChars: number): OutputParts {
  const parts = new Map<string, OutputPart>();
  let room = maxChars + CUT_MARGIN;
  const find = (key: string, create: () => OutputPart): OutputPart | undefined => {
    const found = parts.get(key) ?? (parts.size < MAX_PARTS ? create() : undefined);
    if (found !== undefined) parts.set(key, found);
    return found;
  };
  const append = (part: OutputPart | undefined, more: unknown): void => {
    if (part === undefined || typeof more !== "string") return;
    part.text += more.slice(0, room);
    part.cut ||= more.length > room;
    room -= Math.min(room, more.length);
  };
  return {
    addText: (key, more) =>
      append(
        find(key, () => ({ type: "text", text: "", cut: false })),
        more,
      ),
    addCall(key, { id, name }, more) {
      const part = find(key, () => ({ type: "tool_call", id: "", name: "", text: "", cut: false }));
      if (part?.type === "tool_call") {
        if (typeof id === "string") part.id = id;
        if (typeof name === "string") part.name = name;
      }
      append(part, more);
    },
    drop(key) {
      room += parts.get(key)?.text.length ?? 0;
      parts.delete(key);
    },
    list: () => [...parts.values()],
  };
}
