/** What of an earlier prompt a later one begins with, and why a cache that holds the earlier one would not serve the later. */
import type { ParameterReason, Pieces, PrefixSection, Prompt } from "./read-prompt.ts";

export type MissReason =
  | ParameterReason
  | "system_changed"
  | "tools_changed"
  | "input_changed"
  | "compaction"
  | "ttl_passed";

export type PromptComparison = {
  /** Leading pieces that both have. */
  sharedPieces: number;
  /** Null where all of the earlier prompt stayed. */
  diverged: { section: PrefixSection; member: "system" | "tools" | "items"; index: number } | null;
  changedParameters: number;
  /** None where a cache should have it. */
  reasons: MissReason[];
};

const MEMBERS = ["system", "tools", "items"] as const;

export function comparePrompts(before: Prompt, now: Prompt, idleMs: number): PromptComparison {
  const changed = listChangedParameters(before, now);
  const reasons = new Set<MissReason>(changed);
  let sharedPieces = 0;
  let diverged: PromptComparison["diverged"] = null;
  for (const member of MEMBERS) {
    const shared = countShared(before[member], now[member]);
    if (diverged === null) sharedPieces += shared;
    // Items may come after those that were there; what is added to the others comes before the items.
    const isWhole = shared === before[member].hashes.length;
    if (isWhole && (member === "items" || shared === now[member].hashes.length)) continue;
    const section = now[member].sections[shared] ?? before[member].sections[shared] ?? "history";
    diverged ??= { section, member, index: shared };
    reasons.add(nameChange(section, member === "items" && isCompaction(before, now)));
  }
  if (idleMs > before.cacheMs) reasons.add("ttl_passed");
  return { sharedPieces, diverged, changedParameters: changed.length, reasons: [...reasons] };
}

const PARAMETERS: readonly ParameterReason[] = [
  "model_changed",
  "prompt_cache_key_changed",
  "service_tier_changed",
  "reasoning_effort_changed",
  "verbosity_changed",
  "text_format_changed",
];

const listChangedParameters = (before: Prompt, now: Prompt): ParameterReason[] =>
  PARAMETERS.filter((name) => before.parameters[name] !== now.parameters[name]);

const isCompaction = (before: Prompt, now: Prompt): boolean => now.compacted && (before.compacts || !before.compacted);

function nameChange(section: PrefixSection, compacted: boolean): MissReason {
  if (compacted) return "compaction";
  if (section === "system") return "system_changed";
  return section === "tools" ? "tools_changed" : "input_changed";
}

/** Leading pieces that both lists have. */
export function countShared({ hashes: before }: Pieces, { hashes: now }: Pieces): number {
  const most = Math.min(before.length, now.length);
  let shared = 0;
  while (shared < most && before[shared] === now[shared]) shared += 1;
  return shared;
}

/** Whether two prompts tell of one conversation, whatever else differs: they have something in common that was said in it. */
export function areOneConversation(before: Prompt, now: Prompt): boolean {
  const said = new Set(listSaid(before));
  return listSaid(now).some((hash) => said.has(hash));
}

/** Instructions are shared by many conversations. */
const listSaid = ({ items }: Prompt): number[] =>
  items.hashes.filter((_hash, at) => items.sections[at] === "history" || items.sections[at] === "results");
