/**
 * The text that becomes visible with each token, for streaming: a token that ends inside a character shows nothing,
 * the token that completes it shows it. Invariant: the parts joined are the text.
 */
import type { Tokenizer } from "./tokenizer.ts";

type TokenText = { id: number; text: string };

export function splitByToken(tokenizer: Tokenizer, text: string): TokenText[] {
  const ids = tokenizer.encode(text);
  let shownLength = 0;
  let waiting: number[] = [];
  return ids.map((id, index) => {
    waiting.push(id);
    const visible = tokenizer.decode(waiting);
    // Half a character decodes to a replacement sign, which the text does not have there.
    const complete = text.startsWith(visible, shownLength);
    if (!complete && index < ids.length - 1) return { id, text: "" };
    const shown = complete && index < ids.length - 1 ? visible : text.slice(shownLength);
    shownLength += shown.length;
    waiting = [];
    return { id, text: shown };
  });
}
