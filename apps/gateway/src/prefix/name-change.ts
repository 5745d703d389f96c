/** What the first difference between two prompts is, in a word. */
import type { Pieces, PrefixSection } from "./read-prompt.ts";

export type PrefixChange =
  | "tool_order"
  | "tools_added"
  | "tools_removed"
  | "tool_changed"
  | "key_order"
  | "clock"
  | "text"
  | "item_changed"
  | "items_dropped";

type Difference = { section: PrefixSection; member: "system" | "tools" | "items"; index: number };

export function nameChange(before: Pieces, now: Pieces, { section, member, index }: Difference): PrefixChange {
  if (member === "tools") return nameToolsChange(before, now);
  if (section === "system" || section === "tools") {
    const [old, fresh] = [before.traits[index], now.traits[index]];
    if (old === null || old === undefined || fresh === null || fresh === undefined) return "text";
    if (old.sorted === fresh.sorted) return "key_order";
    return old.timeless === fresh.timeless ? "clock" : "text";
  }
  // What came later stands in its place: something before it is gone.
  const next = now.hashes[index];
  return next === undefined || before.hashes.indexOf(next, index) > index ? "items_dropped" : "item_changed";
}

function nameToolsChange(before: Pieces, now: Pieces): PrefixChange {
  const [old, fresh] = [listSorted(before.hashes.map(String)), listSorted(now.hashes.map(String))];
  if (old === fresh) return "tool_order";
  const [names, nowNames] = [listNames(before), listNames(now)];
  if (nowNames.some((name) => !names.includes(name))) return "tools_added";
  if (names.some((name) => !nowNames.includes(name))) return "tools_removed";
  const isSame =
    listSorted(before.traits.map((one) => one?.sorted ?? "")) ===
    listSorted(now.traits.map((one) => one?.sorted ?? ""));
  if (!isSame) return "tool_changed";
  return names.join() === nowNames.join() ? "key_order" : "tool_order";
}

const listNames = ({ traits }: Pieces): string[] => traits.map((one) => one?.name ?? "");
const listSorted = (texts: readonly string[]): string => [...texts].sort().join();
