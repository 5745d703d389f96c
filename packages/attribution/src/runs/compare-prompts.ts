/** Where two recorded prompts part, in their own words. For whoever may read content: nothing here asks. */
import type { PromptComparison } from "@centspan/model";
import { findFirstDifference } from "./find-first-difference.ts";

type Text = PromptComparison["text"];
type Attributes = Readonly<Record<string, string>>;

const INSTRUCTIONS = "gen_ai.system_instructions";
const MESSAGES = "gen_ai.input.messages";

/** As much of what both have as shows the place, and of what they have there. */
const COMMON_CHARS = 80;
const EXCERPT_CHARS = 240;

export const nothingOf = (state: Text["state"]): Text => ({ state, path: "", common: "", before: "", after: "" });

export function comparePrompts(before: Attributes, after: Attributes): Text {
  const [was, is] = [readPrompt(before), readPrompt(after)];
  if (was === null || is === null) return nothingOf("not_recorded");
  // The beginning is what was cut, and with it what a prefix is.
  if ([before, after].some((own) => own["centspan.content.truncated"] === "true")) return nothingOf("truncated");
  // What was added at the end broke nothing.
  const messages = is.messages.slice(0, was.messages.length);
  const difference = findFirstDifference(was, { ...is, messages });
  return difference === null
    ? nothingOf("same")
    : { state: "shown", path: difference.path, ...cutExcerpts(difference) };
}

function readPrompt(attributes: Attributes): { system: unknown; messages: unknown[] } | null {
  const [system, messages] = [parse(attributes[INSTRUCTIONS] ?? "null"), parse(attributes[MESSAGES])];
  return Array.isArray(messages) ? { system, messages } : null;
}

function parse(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

function cutExcerpts({
  before,
  after,
}: {
  before: unknown;
  after: unknown;
}): Pick<Text, "common" | "before" | "after"> {
  const [was, is] = [write(before), write(after)];
  const shared = countShared(was, is);
  return {
    common: was.slice(Math.max(0, shared - COMMON_CHARS), shared),
    before: was.slice(shared, shared + EXCERPT_CHARS),
    after: is.slice(shared, shared + EXCERPT_CHARS),
  };
}

const write = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Never between the two halves of a character. */
function countShared(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared += 1;
  const isHalf = shared > 0 && /[\uD800-\uDBFF]/.test(a.charAt(shared - 1));
  return isHalf ? shared - 1 : shared;
}
