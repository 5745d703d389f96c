/** What is planted: the same run with it and without it differ in nothing else, so what they differ by is the truth. */
import type { Part, WasteStack } from "./waste-stack.ts";

/**
 * What of a run's time counts: that in which such spans were open, after the first of each name where that is alike with a
 * plant and without it. What else a run does takes more or less time as the machine has other things to do.
 */
export type Clock = { spans: readonly string[]; skipsFirst?: boolean };

/** Of plants that cost money. */
export const NO_CLOCK: Clock = { spans: [] };

export type Truth = "cost" | "seconds";

export type Plant = {
  id: string;
  /** Causes that have to be found where it is planted. */
  causes: readonly string[];
  /** What the two runs differ in. */
  truths: readonly Truth[];
  clock: Clock;
  uses: readonly Part[];
  /** What the run's outcome is, with the plant; passed unless it says. */
  outcome?: "failed";
  /** The run's id. */
  play(stack: WasteStack, seed: number, isSpoilt: boolean): Promise<string>;
};
