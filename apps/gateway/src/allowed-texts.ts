/**
 * Texts that every check let pass, so that a conversation is read once and not in every turn. What is new is decided by
 * this and not by what a client says of its history: a refused text stays new however much is appended to it.
 * Keeps hashes, never texts; at most `maxTexts`, the least recently seen go first and are then read again.
 */
import { hash } from "node:crypto";
import { abbreviateText } from "@centspan/tokens";
import { LRUCache } from "lru-cache";

export type AllowedTexts = {
  /** Those that have not passed yet, in their order. */
  selectNew(texts: Iterable<string>): NewTexts;
};

export type NewTexts = {
  texts: readonly string[];
  /** They have passed. */
  allow(): void;
};

export function createAllowedTexts(maxTexts = 100_000): AllowedTexts {
  const allowed = new LRUCache<string, true>({ max: maxTexts });
  return {
    selectNew(texts) {
      const news = Array.from(texts, (text) => ({ text, key: hash("sha256", abbreviateText(text), "base64") }));
      const unknown = news.filter(({ key }) => !allowed.get(key));
      return {
        texts: unknown.map(({ text }) => text),
        allow() {
          for (const { key } of unknown) allowed.set(key, true);
        },
      };
    },
  };
}
