/** Texts of a seed: the same for the same seed, and of any length. */
import type { Random } from "@centspan/base";
import type { Tool } from "./agent.ts";

const SYLLABLES = [
  "ba",
  "co",
  "den",
  "fu",
  "gri",
  "ho",
  "lam",
  "mi",
  "nor",
  "pe",
  "qua",
  "ros",
  "si",
  "tur",
  "vel",
  "wa",
];

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

export const pick = <T>(random: Random, list: readonly T[]): T => {
  const found = list[Math.floor(random.next() * list.length)];
  if (found === undefined) throw new Error("there is nothing to pick from");
  return found;
};

const word = (random: Random): string => pick(random, SYLLABLES) + pick(random, SYLLABLES) + pick(random, SYLLABLES);

export const write = (random: Random, words: number): string =>
  Array.from({ length: words }, () => word(random)).join(" ");

/** Words that nobody has seen, which are the most work for a tokenizer. */
export const scrawl = (random: Random, words: number): string =>
  Array.from({ length: words }, () => Array.from({ length: 9 }, () => pick(random, LETTERS)).join("")).join(" ");

/** Letters alone, so that nobody takes it for a time. */
export const nonce = (random: Random): string => `${word(random)}${word(random)}${word(random)}`;

export function shuffle<T>(random: Random, list: readonly T[]): T[] {
  const left = [...list];
  return list.map(() => {
    const [taken] = left.splice(Math.floor(random.next() * left.length), 1);
    if (taken === undefined) throw new Error("there is nothing left to take");
    return taken;
  });
}

export const makeTool = (random: Random, name: string, words: number): Tool => ({
  type: "function",
  name,
  description: write(random, words),
  parameters: {
    type: "object",
    properties: Object.fromEntries(
      ["path", "query", "limit"].map((member) => [member, { type: "string", description: write(random, 6) }]),
    ),
    required: ["path"],
  },
});
