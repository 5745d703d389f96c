/** All plants, and the runs of the corpus: pairs with and without each, and runs without any. */
import { plantInto } from "./conversation-plant.ts";
import { COST_PLANTS } from "./cost-plants.ts";
import { HARNESS_PLANTS } from "./harness-plants.ts";
import type { Plant } from "./plant.ts";
import { TIME_PLANTS } from "./time-plants.ts";
import type { WasteStack } from "./waste-stack.ts";

/** Those that are timed come first: while little else is in the stores. */
export const PLANTS: readonly Plant[] = [
  ...TIME_PLANTS.map(plantInto),
  ...HARNESS_PLANTS,
  ...COST_PLANTS.map(plantInto),
];

/** Ids of runs. */
export type Pair = { plant: Plant; spoilt: string; sound: string };
export type Corpus = { pairs: Pair[]; clean: string[] };
export type CorpusOptions = { plants: readonly Plant[]; rounds: number; clean: number; seed: number };

/** So that runs without anything planted are of all kinds, however few there are. */
const CLEAN_STRIDE = 5;

export async function playCorpus(
  stack: WasteStack,
  { plants, rounds, clean, seed }: CorpusOptions,
  say: (text: string) => void,
): Promise<Corpus> {
  const corpus: Corpus = { pairs: [], clean: [] };
  for (const [place, plant] of plants.entries()) {
    const beganMs = Date.now();
    for (let n = 0; n < rounds; n++) {
      const pairSeed = seed + place * 1_000 + n;
      const spoilt = await play(stack, plant, pairSeed, true);
      const sound = await play(stack, plant, pairSeed, false);
      corpus.pairs.push({ plant, spoilt, sound });
    }
    say(`${plant.id}: ${rounds} pairs played in ${Math.round((Date.now() - beganMs) / 1_000)} s`);
  }
  for (let n = 0; n < clean; n++) {
    const plant = plants[(n * CLEAN_STRIDE) % plants.length];
    if (plant) corpus.clean.push(await play(stack, plant, seed + 500_000 + n, false));
  }
  return corpus;
}

async function play(stack: WasteStack, plant: Plant, seed: number, isSpoilt: boolean): Promise<string> {
  const runId = await plant.play(stack, seed, isSpoilt);
  await stack.warehouse.insertOutcomes("default", [
    {
      outcomeId: `outcome-${runId}`,
      subject: { runId },
      kind: "tests",
      status: (isSpoilt && plant.outcome) || "passed",
      weight: 1,
      source: "bench",
      evidence: {},
      atNs: BigInt(Date.now()) * 1_000_000n,
    },
  ]);
  return runId;
}
