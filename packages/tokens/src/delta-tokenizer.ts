/**
 * Tokenizes only what is new in a conversation: pieces are remembered by their place in the chain of pieces before them,
 * so a turn that appends costs what it appends, and a changed prefix shows as new tokens from there on.
 * Invariant: the ids equal `tokenizeConversation`; memory is bounded by `maxTokens`, least recently used pieces go first.
 */
import { createHash } from "node:crypto";
import type { Conversation } from "@centspan/model";
import { renderPrompt } from "@centspan/model";
import type { Tokenizer } from "./tokenizer.ts";

type DeltaTokens = { ids: number[]; newTokens: number; reusedTokens: number };

export type DeltaTokenizer = {
  tokenizer: Tokenizer;
  tokenize(conversation: Conversation): DeltaTokens;
};

type DeltaTokenizerOptions = {
  tokenizer: Tokenizer;
  /** Tokens remembered over all conversations, 4 bytes each; 8 million when absent. */
  maxTokens?: number;
};

/** What one remembered piece costs beside its tokens: key and map entry, in tokens of 4 bytes. */
const PIECE_OVERHEAD_TOKENS = 40;

export function createDeltaTokenizer({ tokenizer, maxTokens = 8_000_000 }: DeltaTokenizerOptions): DeltaTokenizer {
  /** In order of use, the least recently used first. */
  const pieces = new Map<string, Uint32Array>();
  let heldTokens = 0;
  const weigh = (ids: Uint32Array): number => ids.length + PIECE_OVERHEAD_TOKENS;

  const remember = (key: string, ids: Uint32Array): void => {
    pieces.set(key, ids);
    heldTokens += weigh(ids);
    for (const [oldest, held] of pieces) {
      if (heldTokens <= maxTokens) break;
      pieces.delete(oldest);
      heldTokens -= weigh(held);
    }
  };

  return {
    tokenizer,
    tokenize(conversation) {
      const ids: number[] = [];
      let newTokens = 0;
      let key = "";
      for (const piece of renderPrompt(conversation)) {
        key = createHash("sha256").update(key).update(piece).digest("base64");
        const known = pieces.get(key);
        const found = known ?? Uint32Array.from(tokenizer.encode(piece));
        if (known === undefined) {
          newTokens += found.length;
          remember(key, found);
        } else {
          pieces.delete(key);
          pieces.set(key, known);
        }
        for (const id of found) ids.push(id);
      }
      return { ids, newTokens, reusedTokens: ids.length - newTokens };
    },
  };
}
