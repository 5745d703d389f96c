/** Stage api.tokenize: the prompt's token ids, encoding only what earlier requests did not already hold. */
import type { Conversation } from "@centspan/model";
import { setAttributes } from "@centspan/telemetry";
import { createDeltaTokenizer, type DeltaTokenizer, getTokenizer } from "@centspan/tokens";
import { LRUCache } from "lru-cache";
import { type Exchange, runStage } from "../exchange.ts";

/** Delta tokenizers by workspace: what one workspace sent shows in no other's counts. */
export type TokenizerPool = { get(workspace: string, model: string): Promise<DeltaTokenizer> };

export function createTokenizerPool(maxWorkspaces = 32): TokenizerPool {
  const pool = new LRUCache<string, DeltaTokenizer>({ max: maxWorkspaces });
  return {
    async get(workspace, model) {
      const tokenizer = await getTokenizer(model);
      const key = JSON.stringify([workspace, tokenizer.id]);
      const found = pool.get(key);
      if (found) return found;
      const made = createDeltaTokenizer({ tokenizer, maxTokens: 4_000_000 });
      pool.set(key, made);
      return made;
    },
  };
}

export type TokenizeInput = { workspace: string; keyId: string; model: string; conversation: Conversation };

/** `newTokens` of the `total` were not known from earlier requests; `count` is of any text, for the same model. */
export type PromptTokens = { total: number; newTokens: number; count(text: string): number };

/** `pieceEnds` says where each piece of the prompt ends. */
export type TokenizedPrompt = { ids: Uint32Array; pieceEnds: readonly number[]; tokens: PromptTokens };

export function tokenize(exchange: Exchange, pool: TokenizerPool, input: TokenizeInput): Promise<TokenizedPrompt> {
  return runStage(exchange, "api.tokenize", async (span) => {
    const delta = await pool.get(input.workspace, input.model);
    const name = exchange.identity["gen_ai.conversation.id"];
    const { ids, newTokens, reusedTokens, pieceEnds } = delta.tokenize(
      input.conversation,
      typeof name === "string" ? name : undefined,
      input.keyId,
    );
    setAttributes(span, {
      "centspan.tokenizer": delta.tokenizer.id,
      "centspan.tokens.new": newTokens,
      "centspan.tokens.reused": reusedTokens,
    });
    return { ids, pieceEnds, tokens: { total: ids.length, newTokens, count: delta.tokenizer.count } };
  });
}
