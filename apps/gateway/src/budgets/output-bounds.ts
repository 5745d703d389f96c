/**
 * The most that a model answers, in tokens, reasoning included, by their makers' model pages. It bounds what a call without a limit
 * of its own may cost; a prompt's limit is not among it. Add one: an entry; of several that match the first counts.
 */
import { matchesModel } from "@centspan/model";

const OUTPUT_BOUNDS: readonly { pattern: string; tokens: number }[] = [
  { pattern: "gpt-3.5-*", tokens: 4_096 },
  { pattern: "gpt-4-turbo*", tokens: 4_096 },
  { pattern: "gpt-4o*", tokens: 16_384 },
  { pattern: "gpt-4.1*", tokens: 32_768 },
  { pattern: "gpt-4*", tokens: 8_192 },
  { pattern: "o1*", tokens: 100_000 },
  { pattern: "o3*", tokens: 100_000 },
  { pattern: "o4*", tokens: 100_000 },
  { pattern: "gpt-5*", tokens: 128_000 },
  { pattern: "gpt-6*", tokens: 128_000 },
  { pattern: "codex-*", tokens: 128_000 },
  { pattern: "deepseek-chat", tokens: 8_192 },
  { pattern: "deepseek-*", tokens: 65_536 },
  { pattern: "gemini-2.0-*", tokens: 8_192 },
  { pattern: "gemini-*", tokens: 65_536 },
  { pattern: "*claude-3-5-*", tokens: 8_192 },
  { pattern: "*claude-*", tokens: 128_000 },
];

/** Of a model that is not listed. Who serves it may allow more: a rule of the key can say less, and sees to it. */
const OTHER_TOKENS = 32_768;

export const findOutputBound = (model: string): number => findListed(model) ?? OTHER_TOKENS;

/** Routers put a maker's name before the model's. */
export const findListed = (model: string): number | undefined => {
  const name = model.slice(model.lastIndexOf("/") + 1);
  return OUTPUT_BOUNDS.find(({ pattern }) => matchesModel(pattern, name))?.tokens;
};
