/**
 * Tokenizers by model. The vocabulary takes 0.2 s to load, so it is loaded once, when first asked for.
 * Invariant: text never turns into a special token, so no prompt can forge one.
 */
import type { Conversation } from "@centspan/model";
import { renderPrompt } from "@centspan/model";

export type Tokenizer = {
  id: string;
  encode(text: string): number[];
  count(text: string): number;
  decode(ids: readonly number[]): string;
};

let o200k: Promise<Tokenizer> | undefined;

/** The tokenizer a model uses. Every model is served by o200k_base for now; an exact one can be added per model. */
export function getTokenizer(_model: string): Promise<Tokenizer> {
  o200k ??= loadO200k();
  return o200k;
}

const NO_SPECIAL = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

async function loadO200k(): Promise<Tokenizer> {
  const vocabulary = await import("gpt-tokenizer/encoding/o200k_base");
  const encode = (text: string): number[] => {
    const parts = splitLongRuns(text);
    const first = vocabulary.encode(parts[0] ?? "", NO_SPECIAL);
    for (let i = 1; i < parts.length; i++) {
      for (const id of vocabulary.encode(parts[i] ?? "", NO_SPECIAL)) first.push(id);
    }
    return first;
  };
  return { id: "o200k_base", encode, count: (text) => encode(text).length, decode: (ids) => vocabulary.decode(ids) };
}

/** What the vocabulary takes as one piece: letters; signs, and behind them slashes and line ends; spaces. */
const LONG_RUN = /[\p{L}\p{M}]{256}|[^\s\p{L}\p{N}]{256}|[\r\n/]{256}|\s{256}/gu;

/**
 * Byte-pair merging takes time quadratic in the length of such a run; a megabyte of one letter
 * would take minutes. So longer runs are cut every 256 characters: other tokens there, never other text.
 */
export function splitLongRuns(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(LONG_RUN)) {
    const to = match.index + match[0].length;
    parts.push(text.slice(from, to));
    from = to;
  }
  if (from < text.length || parts.length === 0) parts.push(text.slice(from));
  return parts;
}

/** The token ids of a whole prompt, each piece encoded alone. The slow, obvious version of the delta tokenizer. */
export function tokenizeConversation(tokenizer: Tokenizer, conversation: Conversation): number[] {
  const ids: number[] = [];
  for (const piece of renderPrompt(conversation)) for (const id of tokenizer.encode(piece)) ids.push(id);
  return ids;
}
