/**
 * What stands for a text where only its equality matters. Several on a request's way remember what they have seen, and none
 * of them should hash a megabyte again: the latest long texts are kept with their digests, and known as the same strings.
 * Invariant: different texts are abbreviated differently; by its length is known which a text is.
 */
import { hash } from "node:crypto";

const LONG_CHARS = 4_096;
/** Longer ones are hashed each time. */
const MOST_KEPT_CHARS = 4 * 1024 * 1024;

const kept: { text: string; digest: string }[] = [];
let keptChars = 0;

export const abbreviateText = (text: string): string =>
  `${text.length}:${text.length < LONG_CHARS ? text : digestText(text)}`;

function digestText(text: string): string {
  const known = kept.find((each) => each.text === text);
  if (known !== undefined) return known.digest;
  const digest = hash("sha256", text, "base64");
  if (text.length > MOST_KEPT_CHARS) return digest;
  kept.push({ text, digest });
  keptChars += text.length;
  while (keptChars > MOST_KEPT_CHARS) keptChars -= kept.shift()?.text.length ?? 0;
  return digest;
}
