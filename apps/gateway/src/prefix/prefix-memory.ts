/**
 * The latest prompts of each conversation, as hashes, in memory: what a provider's cache may hold of it.
 * Bounded by pieces over all conversations and by prompts of each; who was silent longest is forgotten first, and whoever
 * says nothing for a day is forgotten too. A conversation that forks (sub-agents, side questions) keeps several.
 */
import { areOneConversation, comparePrompts, type PromptComparison } from "./compare-prompts.ts";
import type { Prompt } from "./read-prompt.ts";

export type PrefixMemory = {
  /** Against the prompt that it goes on best from; null where nothing of its conversation is known. */
  compare(conversation: string, prompt: Prompt): PromptComparison | null;
  /** What a cache may hold from now on. */
  keep(conversation: string, prompt: Prompt): void;
};

export type PrefixMemoryOptions = {
  /** Over all conversations, about 20 bytes each. */
  maxPieces?: number;
  /** Monotonic milliseconds. */
  nowMs?(): number;
};

const MAX_PROMPTS = 4;
const FORGET_MS = 24 * 3_600_000;

type Kept = { prompt: Prompt; atMs: number };

export function createPrefixMemory({ maxPieces = 2_000_000, ...options }: PrefixMemoryOptions = {}): PrefixMemory {
  const nowMs = options.nowMs ?? (() => performance.now());
  /** In order of use, the least recently used first; prompts of each, the latest first. */
  const conversations = new Map<string, Kept[]>();
  let pieces = 0;

  const forget = (id: string): void => {
    for (const { prompt } of conversations.get(id) ?? []) pieces -= weigh(prompt);
    conversations.delete(id);
  };
  const forgetOldest = (): void => {
    for (const [id, [latest]] of conversations) {
      const isRecent = latest !== undefined && nowMs() - latest.atMs <= FORGET_MS;
      if (pieces <= maxPieces && isRecent) return;
      forget(id);
    }
  };

  return {
    compare(conversation, prompt) {
      forgetOldest();
      const kept = conversations.get(conversation) ?? [];
      const related = kept.filter((each) => prompt.compacted || areOneConversation(each.prompt, prompt));
      const compared = related.map((each) => comparePrompts(each.prompt, prompt, nowMs() - each.atMs));
      // The first is the latest: of two that share as much it counts.
      return compared.reduce<PromptComparison | null>((best, each) => (isBetter(each, best) ? each : best), null);
    },
    keep(conversation, prompt) {
      const kept = conversations.get(conversation) ?? [];
      conversations.delete(conversation);
      conversations.set(conversation, kept);
      kept.unshift({ prompt, atMs: nowMs() });
      pieces += weigh(prompt);
      const dropped = kept.splice(MAX_PROMPTS);
      for (const each of dropped) pieces -= weigh(each.prompt);
      forgetOldest();
    },
  };
}

/** The one of which most stayed; of two that were asked in different ways the one that was asked alike. */
function isBetter(each: PromptComparison, best: PromptComparison | null): boolean {
  if (best === null) return true;
  if (each.sharedPieces !== best.sharedPieces) return each.sharedPieces > best.sharedPieces;
  return each.changedParameters < best.changedParameters;
}

const PROMPT_OVERHEAD_PIECES = 20;
const weigh = ({ system, tools, items }: Prompt): number =>
  PROMPT_OVERHEAD_PIECES + system.hashes.length + tools.hashes.length + items.hashes.length;
