/**
 * The first turn at which two runs differ, and by what. Contexts are compared by the fingerprints of what the model saw, so
 * that ids which are drawn anew in each run set nothing apart; where a run has none, only what it asked for is compared.
 */
import type { Parting } from "@centspan/model";
import { nameTool, type Turn } from "./list-turns.ts";

export type Found = { at: number; by: Parting[] };

/** Null where both went the same way to their end. */
export function findParting(first: readonly Turn[], second: readonly Turn[]): Found | null {
  const longest = Math.max(first.length, second.length);
  for (let at = 0; at < longest; at += 1) {
    const [a, b] = [first[at], second[at]];
    const by =
      a === undefined ? (["ended_first"] as const) : b === undefined ? (["ended_second"] as const) : compare(a, b);
    if (by.length > 0) return { at, by: [...by] };
  }
  return null;
}

function compare(a: Turn, b: Turn): Parting[] {
  const by: Parting[] = [];
  if (a.calls[0]?.model !== b.calls[0]?.model) by.push("model");
  by.push(...compareContexts(a, b));
  if (isOther(a, b, nameTool)) by.push("called");
  else if (isOther(a, b, ({ attributes }) => attributes["centspan.tool.input_hash"])) by.push("arguments");
  return by;
}

const SECTIONS = ["system", "tools"] as const;

/** The part that differs where the harness says so of each; the conversation is what is left. */
function compareContexts(a: Turn, b: Turn): Parting[] {
  const isSame = compareSaid(a.asked, b.asked, "centspan.prefix.fingerprint");
  if (isSame !== false) return [];
  const parts = SECTIONS.map((section) => compareSaid(a.put, b.put, `centspan.prefix.${section}_fingerprint`));
  const differing = SECTIONS.filter((_section, at) => parts[at] === false);
  if (differing.length > 0) return differing;
  return [parts.includes(null) ? "context" : "conversation"];
}

type Said = Readonly<Record<string, string>>;

/** Null where one of them says nothing. */
function compareSaid(a: Said, b: Said, name: string): boolean | null {
  const [one, other] = [a[name], b[name]];
  return one === undefined || other === undefined ? null : one === other;
}

/** Parallel calls of one turn end up in any order. */
const isOther = (a: Turn, b: Turn, read: (tool: Turn["tools"][number]) => string | undefined): boolean => {
  const write = ({ tools }: Turn): string =>
    JSON.stringify(tools.map((tool) => `${nameTool(tool)} ${read(tool)}`).sort());
  return write(a) !== write(b);
};
