/**
 * `bench simulate`: how fast the serving layer is simulated, on one core: block accesses of the cache alone (LRU-leaf),
 * requests of a measured dense run through the whole machine, and the conversation trace through one engine. Without the
 * maintainers' data a workload of the same shape stands in, and the result says so.
 */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createRandom } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import {
  type ClusterSpec,
  createOpenLoop,
  createStepTimeModel,
  LLAMA_3_1_8B_H100,
  readMooncake,
  replayChains,
  runCluster,
  type ServingRequest,
  type TraceRequest,
  toServingRequests,
} from "@centspan/serving";
import { DENSE_RUNS, readMeasuredRun } from "../anchors/read-measured-run.ts";
import { defineBench, readNumber, round } from "./bench.ts";

const policy = findKvPolicy("lru-leaf");
const TRACE_BLOCK_TOKENS = 512;

/** Fitted on the first half of the measured run of Llama-3.1-8B on an RTX PRO 6000. */
const DENSE_STEP = {
  stepMs: 12.46,
  decodeSequenceMs: 0.0511,
  per1000ContextTokensMs: 0.0631,
  prefillTokenMs: 0.0419,
  perMillionPrefillPairsMs: 0.786,
};

export default defineBench({
  name: "simulate",
  describe: "simulated block accesses and requests a second, and the conversation trace through one engine",
  flags: {
    data: "folder of the maintainers' data (CENTSPAN_SHARED/data; else made-up workloads)",
    seconds: "how long to measure each figure (5)",
    requests: "requests of the made-up workloads (12000)",
  },
  async run(flags, say) {
    const seconds = readNumber("seconds", flags.seconds, 5);
    const shared = process.env.CENTSPAN_SHARED;
    const folder = flags.data ?? (shared === undefined ? null : join(shared, "data"));
    const made = createMadeUp(readNumber("requests", flags.requests, 12_000));
    const trace = folder === null ? made : await readConversation(folder);
    const dense = folder === null ? createChats(300) : readDense(folder);
    say(folder === null ? "without data: made-up workloads" : `workloads of ${folder}`);

    const prompts = trace.map(({ blockKeys, arrivalNs }) => ({ keys: blockKeys, atNs: arrivalNs }));
    const accesses = prompts.reduce((sum, { keys }) => sum + keys.length, 0);
    const cacheS = measureBest(seconds, () => replayChains(prompts, { capacityBlocks: 10_000, policy }));
    say(`cache alone: ${Math.round(accesses / cacheS)} accesses/s`);

    const denseS = measureBest(seconds, () => runCluster(DENSE_ENGINE, createOpenLoop(dense)));
    say(`dense run: ${Math.round(dense.length / denseS)} requests/s`);

    const conversation = toServingRequests(trace, {
      traceBlockTokens: TRACE_BLOCK_TOKENS,
      blockTokens: TRACE_BLOCK_TOKENS,
      arrivalScale: 1,
    });
    const conversationS = measureBest(seconds, () => runCluster(CONVERSATION_ENGINES, createOpenLoop(conversation)));
    say(`conversation: ${conversationS.toFixed(3)} s`);
    return {
      cacheAccessesPerS: Math.round(accesses / cacheS),
      desRequestsPerS: Math.round(dense.length / denseS),
      conversationTraceS: round(conversationS, 3),
      conversationRequests: conversation.length,
      workloads: folder === null ? "made up" : "measured",
    };
  },
});

const DENSE_ENGINE: ClusterSpec = {
  replicas: [
    {
      config: { blockTokens: 16, capacityBlocks: 33_000, maxSequences: 128, tokenBudget: 2_048 },
      policy,
      stepTime: createStepTimeModel(DENSE_STEP),
    },
  ],
};

/** Eight engines carry the trace without a backlog. */
const CONVERSATION_ENGINES: ClusterSpec = {
  replicas: Array(8).fill({
    config: { blockTokens: TRACE_BLOCK_TOKENS, capacityBlocks: 800, maxSequences: 128, tokenBudget: 8_192 },
    policy,
    stepTime: createStepTimeModel(LLAMA_3_1_8B_H100),
  }),
  router: { id: "prefix-affinity" },
};

/** Seconds of the best of as many runs as the time allows, at least two: others use the machine too. */
function measureBest(seconds: number, work: () => unknown): number {
  const endMs = performance.now() + seconds * 1_000;
  let bestMs = Number.POSITIVE_INFINITY;
  for (let runs = 0; runs < 2 || performance.now() < endMs; runs++) {
    const startMs = performance.now();
    work();
    bestMs = Math.min(bestMs, performance.now() - startMs);
  }
  return bestMs / 1_000;
}

async function readConversation(folder: string): Promise<TraceRequest[]> {
  const trace: TraceRequest[] = [];
  const path = join(folder, "serving/mooncake_conversation_trace.jsonl");
  for await (const request of readMooncake(createReadStream(path))) trace.push(request);
  return trace;
}

function readDense(folder: string): readonly ServingRequest[] {
  const [{ name, capacityBlocks }] = DENSE_RUNS;
  return readMeasuredRun(folder, name, capacityBlocks).requests;
}

/** Chats that go on, as in the conversation trace: each request repeats the one before and adds to it. */
function createMadeUp(requests: number): TraceRequest[] {
  const random = createRandom(1);
  const chats: number[][] = [];
  let fresh = 0;
  return Array.from({ length: requests }, (_, at): TraceRequest => {
    const goesOn = chats.length > 0 && random.next() < 0.4;
    const before = goesOn ? (chats[random.integer(chats.length)] ?? []) : [];
    const added = 1 + random.integer(goesOn ? 6 : 35);
    const blockKeys = [...before, ...Array.from({ length: added }, () => fresh++)];
    chats.push(blockKeys);
    if (chats.length > 500) chats.shift();
    const promptTokens = blockKeys.length * TRACE_BLOCK_TOKENS;
    return { arrivalNs: at * 294_000_000, promptTokens, outputTokens: 1 + random.integer(680), blockKeys };
  });
}

function createChats(requests: number): ServingRequest[] {
  const random = createRandom(2);
  return Array.from({ length: requests }, (_, at) => ({
    id: `r${at}`,
    arrivalNs: at * 97_000_000,
    promptTokens: 100 + random.integer(1_500),
    outputTokens: 512 + random.integer(280),
    blockKeys: [],
  }));
}
