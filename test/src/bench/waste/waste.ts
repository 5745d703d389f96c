/**
 * `bench waste`: pairs of runs through the reference stack, the same one with something planted and without it. What the two
 * differ by is the truth that what was found is held against; what is found in runs without a plant is a false alarm.
 */
import { defineBench, readNumber } from "../bench.ts";
import { PLANTS, playCorpus } from "./corpus.ts";
import { judge } from "./judge.ts";
import { judgePublished, playPublished } from "./published.ts";
import { startWasteStack } from "./waste-stack.ts";

export default defineBench({
  name: "waste",
  describe: "what is found of planted waste, and what it is said to cost against what it did",
  flags: {
    rounds: "pairs of each plant (3)",
    clean: "runs without anything planted (15)",
    seed: "of all that is written (the time)",
    plants: "ids of plants, separated by commas (all)",
    published: "no leaves out the published case (yes)",
  },
  async run(flags, say) {
    const rounds = readNumber("rounds", flags.rounds, 3);
    const clean = readNumber("clean", flags.clean, 15);
    const seed = readNumber("seed", flags.seed, Date.now() % 1_000_000_000);
    const wanted = flags.plants?.split(",");
    const plants = PLANTS.filter(({ id }) => wanted?.includes(id) ?? true);
    say(`seed ${seed}`);
    const stack = await startWasteStack(new Set(plants.flatMap(({ uses }) => uses)), seed, say);
    try {
      const corpus = await playCorpus(stack, { plants, rounds, clean, seed }, say);
      const published = flags.published === "no" ? null : await playPublished(stack, seed);
      const judged = await judge(stack, corpus, say);
      return { seed, ...judged, ...(published && { published: await judgePublished(stack, published) }) };
    } finally {
      await stack.end();
    }
  },
});
