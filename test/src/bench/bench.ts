/** A benchmark: one file with a default export, listed in main.ts. Progress goes to `say`; the result is the last line. */
import type { ParseArgsConfig } from "node:util";

export type Flags = NonNullable<ParseArgsConfig["options"]>;
export type FlagValues = Record<string, string | boolean | undefined>;

export type Bench = {
  name: string;
  describe: string;
  /** Flag → what it means, with its default. All take a value. */
  flags: Record<string, string>;
  run(flags: Record<string, string | undefined>, say: (text: string) => void): Promise<Record<string, unknown>>;
};

export const defineBench = (bench: Bench): Bench => bench;

/** A flag's number; a word that is none, or one out of range, is an error. */
export function readNumber(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} must be a number above 0, not "${text}"`);
  return value;
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
}
