/**
 * llm-d's published comparison of routers: 8 pods of Qwen3-32B, 150 customers with 6,000 tokens of their own system prompt
 * and five questions each, load rising from 3 to 60 requests a second. Its ordering must come out, and the collapse without
 * load terms. What the estimating router loses shows where caches are full: with a third more customers.
 */
import { createRandom } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import {
  createOpenLoop,
  createStepTimeModel,
  deriveCapacityBlocks,
  findHardware,
  findServedModel,
  findStepTimePreset,
  type RouterChoice,
  runCluster,
  type ServingRequest,
  type SimulationResult,
  summarise,
} from "@centspan/serving";
import type { Anchor } from "./anchor.ts";

const SOURCE = "llm-d: precise 8,730 tokens/s, estimated 6,944, random 4,429, load-only 4,266";
const BLOCK_TOKENS = 64;
const PODS = 8;
const CUSTOMERS = 150;
/** Their prompts fill all caches. */
const FULL_CUSTOMERS = 200;
const PREFIX_TOKENS = 6_000;
/** Each customer asks so many questions over and over. */
const QUESTIONS = 5;
const QUESTION_TOKENS = 1_200;
const OUTPUT_TOKENS = 280;
const SECONDS = 120;

function createLoad(customers: number): ServingRequest[] {
  const random = createRandom(1);
  const requests: ServingRequest[] = [];
  const prefixBlocks = Math.floor(PREFIX_TOKENS / BLOCK_TOKENS);
  const promptBlocks = Math.floor((PREFIX_TOKENS + QUESTION_TOKENS) / BLOCK_TOKENS);
  for (let atS = 0; ; ) {
    // Poisson arrivals whose rate rises over the run.
    atS -= Math.log(1 - random.next()) / (3 + (57 * atS) / SECONDS);
    if (atS >= SECONDS) return requests;
    const customer = random.integer(customers);
    const question = random.integer(QUESTIONS);
    requests.push({
      id: `r${requests.length}`,
      arrivalNs: Math.round(atS * 1e9),
      promptTokens: PREFIX_TOKENS + QUESTION_TOKENS,
      outputTokens: OUTPUT_TOKENS,
      blockKeys: Array.from({ length: promptBlocks }, (_, depth) =>
        depth < prefixBlocks ? customer * 10_000 + depth : customer * 10_000 + 1_000 * (1 + question) + depth,
      ),
    });
  }
}

function run(router: RouterChoice, requests: readonly ServingRequest[]) {
  const preset = findStepTimePreset("qwen3-32b-h100-tp2");
  const parallelism = { tensor: 2, pipeline: 1 };
  const [model, hardware] = [findServedModel(preset.model), findHardware(preset.hardware)];
  const pod = {
    config: {
      blockTokens: BLOCK_TOKENS,
      capacityBlocks: deriveCapacityBlocks(model, hardware, parallelism, { blockTokens: BLOCK_TOKENS }),
      maxSequences: 256,
      tokenBudget: 8_192,
    },
    policy: findKvPolicy("lru-leaf"),
    stepTime: createStepTimeModel(preset.coefficients),
  };
  const done = runCluster({ replicas: Array(PODS).fill(pod), router, seed: 1 }, createOpenLoop(requests));
  const shares = Array.from(
    { length: PODS },
    (_, pod) => done.requests.filter(({ replica }) => replica === pod).length,
  );
  return { result: summarise(done), largestShare: Math.max(...shares) / done.requests.length };
}

const describe = ({ tokensPerS, ttftMs, hitRate }: SimulationResult): string =>
  `${tokensPerS.toFixed(0)} tokens/s, TTFT p90 ${((ttftMs?.p90 ?? 0) / 1_000).toFixed(2)} s, hit rate ${hitRate.toFixed(3)}`;

const isTrue = (name: string, holds: boolean, note: string): Anchor => {
  return { name: `routing: ${name}`, source: SOURCE, expected: 1, tolerance: 0, measured: holds ? 1 : 0, note };
};

export function checkRouting(): Anchor[] {
  return [...checkOrdering(), ...checkCollapse()];
}

function checkOrdering(): Anchor[] {
  const load = createLoad(CUSTOMERS);
  const serve = (id: string, requests = load): SimulationResult => run({ id }, requests).result;
  const [precise, random, least] = [serve("prefix-affinity"), serve("random"), serve("least-load")];
  const full = createLoad(FULL_CUSTOMERS);
  const [preciseFull, estimatedFull] = [serve("prefix-affinity", full), serve("estimated-prefix", full)];
  const [randomFull, leastFull] = [serve("random", full), serve("least-load", full)];
  const blind = Math.max(random.tokensPerS, least.tokensPerS);
  const p90Ms = ({ ttftMs }: SimulationResult): number => ttftMs?.p90 ?? Number.NaN;
  return [
    isTrue(
      "blind routers lose a third of the throughput or more",
      blind < 0.67 * precise.tokensPerS,
      `precise ${describe(precise)}; random ${describe(random)}; load-only ${describe(least)}`,
    ),
    isTrue(
      "and their users wait a minute and more where precise answers within a second",
      Math.min(p90Ms(random), p90Ms(least)) > 60_000 && p90Ms(precise) < 1_000,
      "as before",
    ),
    isTrue(
      "estimated loses throughput and time against precise where caches are full",
      estimatedFull.tokensPerS < preciseFull.tokensPerS && p90Ms(estimatedFull) > 2 * p90Ms(preciseFull),
      `precise ${describe(preciseFull)}; estimated ${describe(estimatedFull)}`,
    ),
    isTrue(
      "estimated beats random and load-only",
      estimatedFull.tokensPerS > 1.2 * Math.max(randomFull.tokensPerS, leastFull.tokensPerS),
      `random ${describe(randomFull)}; load-only ${describe(leastFull)}`,
    ),
  ];
}

function checkCollapse(): Anchor[] {
  const alike = createLoad(1);
  const noLoad = { decodeWeight: 0, queueWeight: 0, activeWeight: 0 };
  const collapsed = run({ id: "prefix-affinity", settings: noLoad }, alike).largestShare;
  const spread = run({ id: "prefix-affinity" }, alike).largestShare;
  return [
    isTrue("one shared prompt without load terms: all to one pod", collapsed === 1, `share ${collapsed}`),
    isTrue(
      "one shared prompt with load terms: no pod has twice its share",
      spread < 0.25,
      `largest share ${spread.toFixed(3)}`,
    ),
  ];
}
