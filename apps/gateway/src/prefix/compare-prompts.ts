/** What of an earlier prompt a later one begins with, and why a cache that holds the earlier one would not serve the later. */
import { nameChange, type PrefixChange } from "./name-change.ts";
import { countHeadItems, type ParameterReason, type Pieces, type PrefixSection, type Prompt } from "./read-prompt.ts";

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
  /** Leading items, whatever stands before them: the more, the surer the later prompt goes on from the earlier. */
  sharedItems: number;
  /** Null where all of the earlier prompt stayed. */
  diverged: {
    section: PrefixSection;
    member: "system" | "tools" | "items";
    index: number;
    change: PrefixChange;
  } | null;
  /** Tokens that the later prompt has of the earlier one, or has in their place. */
  knownTokens: number;
  changedParameters: number;
  /** None where a cache should have it. */
  reasons: MissReason[];
};

const MEMBERS = ["system", "tools", "items"] as const;

export function comparePrompts(before: Prompt, now: Prompt, idleMs: number): PromptComparison {
  const changed = listChangedParameters(before, now);
  const reasons = new Set<MissReason>(changed);
  let sharedPieces = 0;
  let sharedItems = 0;
  let diverged: PromptComparison["diverged"] = null;
  for (const member of MEMBERS) {
    const shared = countShared(before[member], now[member]);
    if (diverged === null) sharedPieces += shared;
    if (member === "items") sharedItems = shared;
    // Items may come after those that were there; what is added to the others comes before the items.
    const isWhole = shared === before[member].hashes.length;
    if (isWhole && (member === "items" || shared === now[member].hashes.length)) continue;
    const section = now[member].sections[shared] ?? before[member].sections[shared] ?? "history";
    const at = { section, member, index: shared };
    diverged ??= { ...at, change: nameChange(before[member], now[member], at) };
    reasons.add(nameReason(section, member === "items" && isCompaction(before, now)));
  }
  if (idleMs > before.cacheMs) reasons.add("ttl_passed");
  const knownTokens = diverged?.member === "items" ? countKnownTokens(before, now) : countMostKnown(before, now);
  return { sharedPieces, sharedItems, diverged, knownTokens, changedParameters: changed.length, reasons: [...reasons] };
}

const countMostKnown = (before: Prompt, now: Prompt): number => Math.min(before.tokens, now.tokens);

/** Of a history that did not stay: what both have, and pieces that were changed where they stood. A summary of others is new. */
function countKnownTokens(before: Prompt, now: Prompt): number {
  if (now.itemTokens === null) return countMostKnown(before, now);
  const [old, fresh] = [before.items.hashes, now.items.hashes];
  const was = new Set(old);
  let known = now.tokens;
  let standsWhereItStood = false;
  for (let at = fresh.length - 1; at >= 0; at--) {
    const isKept = was.has(fresh[at] ?? 0);
    // What is behind it is new, so it may have been the last.
    if (at === old.length - 1 && at < fresh.length - 1) standsWhereItStood = true;
    if (isKept) standsWhereItStood = old[at] === fresh[at];
    if (!isKept && !standsWhereItStood) known -= now.itemTokens[at] ?? 0;
  }
  return Math.min(known, countMostKnown(before, now));
}

/** Nothing but what they begin with: of two requests of one agent that go on differently. */
export const compareHeads = (before: Prompt, now: Prompt, idleMs: number): PromptComparison =>
  comparePrompts(cutHead(before), cutHead(now), idleMs);

function cutHead(prompt: Prompt): Prompt {
  const { hashes, sections, traits } = prompt.items;
  const count = countHeadItems(prompt.items);
  const items = { hashes: hashes.slice(0, count), sections: sections.slice(0, count), traits: traits.slice(0, count) };
  return { ...prompt, items, tokens: prompt.headTokens, itemTokens: null };
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

function nameReason(section: PrefixSection, compacted: boolean): MissReason {
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
