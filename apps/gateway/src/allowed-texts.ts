/**
 * Texts that every check let pass, so that a conversation is read once and not in every turn. What is new is decided by
 * this and not by what a client says of its history: a refused text stays new however much is appended to it.
 * Keeps hashes, never texts; at most `maxTexts`, the least recently seen go first and are then read again.
 */
import { createHash } from "node:crypto";

export type AllowedTexts = {
  /** Those of `texts` that have not passed yet, in their order. */
  selectNew(texts: readonly string[]): string[];
  add(texts: readonly string[]): void;
};

export function createAllowedTexts(maxTexts = 100_000): AllowedTexts {
  const allowed = new Set<string>();
  const hash = (text: string): string => createHash("sha256").update(text).digest("base64");
  const touch = (key: string): void => {
    allowed.delete(key);
    allowed.add(key);
  };
  return {
    selectNew: (texts) =>
      texts.filter((text) => {
        const key = hash(text);
        const isKnown = allowed.has(key);
        if (isKnown) touch(key);
        return !isKnown;
      }),
    add(texts) {
      for (const text of texts) touch(hash(text));
      for (const oldest of allowed) {
        if (allowed.size <= maxTexts) break;
        allowed.delete(oldest);
      }
    },
  };
}
