/**
 * The latest prompts of each conversation, as hashes, in memory: what a provider's cache may hold of it.
 * Bounded by pieces over all conversations and by prompts of each; who was silent longest is forgotten first, and whoever
 * says nothing for a day is forgotten too. A conversation that forks (sub-agents, side questions) keeps several.
 */
import { LRUCache } from "lru-cache";
import { areOneConversation, compareHeads, comparePrompts, type PromptComparison } from "./compare-prompts.ts";
import { createPieceReader, type PieceTraits } from "./describe-piece.ts";
import type { Prompt } from "./read-prompt.ts";

/** `spanId` is of the call that it was compared with. */
export type KeptComparison = PromptComparison & { spanId: string };

export type PrefixMemory = {
  /**
   * Against the prompt that it goes on best from. Where nothing of its conversation is known, against how the owner's latest
   * prompt of the same agent began, if that began otherwise and a cache would still have it; else null.
   */
  compare(conversation: string, prompt: Prompt, owner?: string): KeptComparison | null;
  /** What a cache may hold from now on. */
  keep(conversation: string, prompt: Prompt, call?: { owner: string; spanId: string }): void;
  readPiece(piece: unknown, pieceHash: number): PieceTraits;
};

export type PrefixMemoryOptions = {
  /** Over all conversations, about 20 bytes each. */
  maxPieces?: number;
  /** Monotonic milliseconds. */
  nowMs?(): number;
};

const MAX_PROMPTS = 4;
const FORGET_MS = 24 * 3_600_000;

const MOST_AGENTS = 2_000;
/** Of a head that is smaller a cache holds nothing worth a word. */
const LEAST_HEAD_TOKENS = 1_024;

type Kept = { prompt: Prompt; atMs: number; spanId: string };

export function createPrefixMemory({ maxPieces = 2_000_000, ...options }: PrefixMemoryOptions = {}): PrefixMemory {
  const nowMs = options.nowMs ?? (() => performance.now());
  /** Prompts of each, the latest first. */
  const conversations = new LRUCache<string, Kept[]>({
    maxSize: maxPieces,
    sizeCalculation: (kept) => kept.reduce((pieces, { prompt }) => pieces + weigh(prompt), 0),
    ttl: FORGET_MS,
    ttlResolution: 0,
    perf: { now: nowMs },
  });
  /** The latest prompt of each agent of each owner. */
  const agents = new LRUCache<string, Kept>({ max: MOST_AGENTS });

  const compareAgent = (prompt: Prompt, owner: string): KeptComparison | null => {
    const kept = agents.get(nameAgent(owner, prompt));
    if (kept === undefined || prompt.headTokens < LEAST_HEAD_TOKENS) return null;
    const idleMs = nowMs() - kept.atMs;
    const compared = compareHeads(kept.prompt, prompt, idleMs);
    return compared.diverged === null || idleMs > kept.prompt.cacheMs ? null : { ...compared, spanId: kept.spanId };
  };

  return {
    readPiece: createPieceReader(),
    compare(conversation, prompt, owner = "") {
      const kept = conversations.get(conversation) ?? [];
      const related = kept.filter((each) => prompt.compacted || areOneConversation(each.prompt, prompt));
      if (related.length === 0) return compareAgent(prompt, owner);
      const compared = related.map(({ prompt: before, atMs, spanId }) => ({
        spanId,
        ...comparePrompts(before, prompt, nowMs() - atMs),
      }));
      // The first is the latest: of two that share as much it counts.
      return compared.reduce<KeptComparison | null>((best, each) => (isBetter(each, best) ? each : best), null);
    },
    keep(conversation, prompt, { owner, spanId } = { owner: "", spanId: "" }) {
      const latest = { prompt, atMs: nowMs(), spanId };
      agents.set(nameAgent(owner, prompt), latest);
      const before = conversations.get(conversation) ?? [];
      conversations.set(conversation, [latest, ...before.slice(0, MAX_PROMPTS - 1)]);
    },
  };
}

const nameAgent = (owner: string, { family }: Prompt): string => JSON.stringify([owner, family]);

/** The one that most was said of again, or else of which most stayed; of two that were asked in different ways the one that was asked alike. */
function isBetter(each: PromptComparison, best: PromptComparison | null): boolean {
  if (best === null) return true;
  if (each.sharedItems !== best.sharedItems) return each.sharedItems > best.sharedItems;
  if (each.sharedPieces !== best.sharedPieces) return each.sharedPieces > best.sharedPieces;
  return each.changedParameters < best.changedParameters;
}

const PROMPT_OVERHEAD_PIECES = 20;
const weigh = ({ system, tools, items }: Prompt): number =>
  PROMPT_OVERHEAD_PIECES + system.hashes.length + tools.hashes.length + items.hashes.length;
