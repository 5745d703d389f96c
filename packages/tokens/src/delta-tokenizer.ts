/**
 * Tokenizes only what is new in a conversation. Two memories: the latest state of each conversation that has a name, whose
 * pieces are compared as text and whose tokens are handed out as they lie there, so that a turn costs what it appends; and
 * pieces by their place in the chain of pieces before them, for conversations without a name or that branch.
 * Invariants: the ids equal `tokenizeConversation`; ids that were handed out never change; memory is bounded by `maxTokens`,
 * what was used least recently goes first.
 */
import { hash } from "node:crypto";
import { type Conversation, listPieces, type PromptPiece } from "@centspan/model";
import { abbreviateText } from "./abbreviate-text.ts";
import type { Tokenizer } from "./tokenizer.ts";

export type DeltaTokens = {
  ids: Uint32Array;
  newTokens: number;
  reusedTokens: number;
  /** Of each piece of the prompt, how many of the ids are its and of those before it. */
  pieceEnds: readonly number[];
};

export type DeltaTokenizer = {
  tokenizer: Tokenizer;
  /**
   * `name` is the conversation's own, where it has one: who gives the same name goes on with the same conversation. What one
   * `owner` said is not known when another says it.
   */
  tokenize(conversation: Conversation, name?: string, owner?: string): DeltaTokens;
};

type DeltaTokenizerOptions = {
  tokenizer: Tokenizer;
  /** Tokens remembered over all conversations, 4 bytes each; 8 million when absent. */
  maxTokens?: number;
};

/** What one remembered piece costs beside its tokens: key and map entry, in tokens of 4 bytes. */
const PIECE_OVERHEAD_TOKENS = 40;

export function createDeltaTokenizer({ tokenizer, maxTokens = 8_000_000 }: DeltaTokenizerOptions): DeltaTokenizer {
  const pieces = createBounded<Uint32Array>(maxTokens / 2, (ids) => ids.length + PIECE_OVERHEAD_TOKENS);
  const named = createBounded<Progress>(maxTokens / 2, (progress) => progress.weight);

  /** Appends a piece; returns how many of its tokens were not known. */
  const append = (progress: Progress, piece: PromptPiece): number => {
    const key = hash("sha256", progress.key + piece.head + abbreviateText(piece.text), "base64");
    const known = pieces.find(key);
    const ids = known ?? Uint32Array.from(tokenizer.encode(piece.head + piece.text));
    if (known === null) pieces.keep(key, ids);
    progress.append(piece, key, ids);
    return known === null ? ids.length : 0;
  };

  return {
    tokenizer,
    tokenize(conversation, name, owner = "") {
      const place = name === undefined ? null : JSON.stringify([owner, name]);
      const progress = (place === null ? null : named.find(place)) ?? new Progress(owner);
      let newTokens = 0;
      let at = 0;
      for (const piece of listPieces(conversation)) {
        if (!progress.holds(at, piece)) {
          progress.cut(at);
          newTokens += append(progress, piece);
        }
        at += 1;
      }
      progress.cut(at);
      if (place !== null) named.keep(place, progress);
      const ids = progress.handOut();
      return { ids, newTokens, reusedTokens: ids.length - newTokens, pieceEnds: progress.listEnds() };
    },
  };
}

/** A conversation as far as it has come. */
class Progress {
  readonly #owner: string;
  readonly #pieces: PromptPiece[] = [];
  /** Of each piece: its key in the chain, and where its tokens end. */
  readonly #keys: string[] = [];
  readonly #ends: number[] = [];
  #ids = new Uint32Array(0);
  /** Tokens that somebody may still look at. */
  #handedOut = 0;
  #chars = 0;

  constructor(owner: string) {
    this.#owner = owner;
  }

  get #length(): number {
    return this.#ends.at(-1) ?? 0;
  }

  listEnds(): number[] {
    return this.#ends.slice();
  }

  /** Of the latest piece; before the first it is the owner, where chains begin. */
  get key(): string {
    return this.#keys.at(-1) ?? this.#owner;
  }

  /** In tokens of 4 bytes; a character of text takes one or two bytes. */
  get weight(): number {
    return this.#ids.length + this.#chars / 2 + this.#pieces.length * PIECE_OVERHEAD_TOKENS;
  }

  holds(at: number, { head, text }: PromptPiece): boolean {
    const held = this.#pieces[at];
    return held !== undefined && held.text === text && held.head === head;
  }

  /** Keeps the first `count` pieces. */
  cut(count: number): void {
    while (this.#pieces.length > count) {
      this.#chars -= countChars(this.#pieces.pop());
      this.#keys.pop();
      this.#ends.pop();
    }
  }

  append(piece: PromptPiece, key: string, ids: Uint32Array): void {
    const start = this.#length;
    const end = start + ids.length;
    // What was handed out stays as it is: what now goes another way goes on in a copy.
    if (end > this.#ids.length || start < this.#handedOut) this.#move(start, end);
    this.#ids.set(ids, start);
    this.#pieces.push(piece);
    this.#keys.push(key);
    this.#ends.push(end);
    this.#chars += countChars(piece);
  }

  handOut(): Uint32Array {
    this.#handedOut = Math.max(this.#handedOut, this.#length);
    return this.#ids.subarray(0, this.#length);
  }

  #move(kept: number, needed: number): void {
    const size = needed > this.#ids.length ? Math.max(needed, this.#ids.length * 2) : this.#ids.length;
    const moved = new Uint32Array(size);
    moved.set(this.#ids.subarray(0, kept));
    this.#ids = moved;
    this.#handedOut = 0;
  }
}

const countChars = (piece: PromptPiece | undefined): number =>
  piece === undefined ? 0 : piece.head.length + piece.text.length;

/** By key, what was used least recently first; `weigh` may grow with use, and is asked again whenever a value is kept. */
function createBounded<T>(most: number, weigh: (value: T) => number) {
  const values = new Map<string, { value: T; weight: number }>();
  let total = 0;
  return {
    find(key: string): T | null {
      const found = values.get(key);
      if (found === undefined) return null;
      values.delete(key);
      values.set(key, found);
      return found.value;
    },
    keep(key: string, value: T): void {
      total -= values.get(key)?.weight ?? 0;
      values.delete(key);
      const weight = weigh(value);
      values.set(key, { value, weight });
      total += weight;
      for (const [oldest, held] of values) {
        if (total <= most) break;
        values.delete(oldest);
        total -= held.weight;
      }
    },
  };
}
