/** The traces of `bench optimize`, each on a pool of a size that carries it, with room for settings to matter. */
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "@centspan/base";
import type { Limit, Settings, Traffic } from "@centspan/optimizer";
import {
  readMooncake,
  readWeka,
  simulationConfigSchema,
  type TraceRequest,
  toAgentSessions,
  toServingRequests,
  type WekaRequest,
} from "@centspan/serving";

export type BenchTrace = { name: string; traffic: Traffic; present: Settings; limits: Limit[] };
export type TraceSize = { requests: number; sessions: number };

const MOONCAKE_BLOCK = 512;
const AGENT_BLOCK = 256;
/** KV tokens of Llama-3.1-8B on one H100, as derived from their data sheets. */
const KV_TOKENS = 427_000;

const createPresent = (replicas: number, blockTokens: number): Settings => ({
  ...simulationConfigSchema.parse({
    replicas,
    router: { id: "least-load" },
    engine: {
      blockTokens,
      capacityBlocks: Math.floor(KV_TOKENS / blockTokens),
      maxSequences: 256,
      tokenBudget: 8_192,
    },
  }),
  priorities: true,
});

const limitsOf = (ttftMs: number, tpotMs: number): Limit[] => [
  { priority: "interactive", metric: "ttft", percentile: "p90", ms: ttftMs },
  { priority: "interactive", metric: "tpot", percentile: "p90", ms: tpotMs },
];

/** `folder` null: made-up traffic of the same shapes. */
export async function readTraces(folder: string | null, size: TraceSize): Promise<BenchTrace[]> {
  const [conversation, synthetic, sessions] =
    folder === null
      ? [makeUp(1, size.requests), makeUp(2, size.requests), makeUpSessions(size.sessions)]
      : [
          await readTrace(join(folder, "serving/mooncake_conversation_trace.jsonl"), size.requests),
          await readTrace(join(folder, "serving/mooncake_synthetic_trace.jsonl"), size.requests),
          await readSessions(join(folder, "serving/weka/weka_cc_traces_rle.jsonl.gz"), size.sessions),
        ];
  return [
    {
      name: "conversation",
      traffic: toTraffic(conversation),
      present: createPresent(8, MOONCAKE_BLOCK),
      limits: limitsOf(4_000, 60),
    },
    {
      name: "synthetic",
      traffic: toTraffic(synthetic),
      present: createPresent(8, MOONCAKE_BLOCK),
      limits: limitsOf(4_000, 60),
    },
    {
      name: "weka",
      traffic: {
        kind: "closed",
        blockTokens: AGENT_BLOCK,
        sessions: toAgentSessions(sessions, AGENT_BLOCK),
        concurrent: 32,
      },
      present: createPresent(8, AGENT_BLOCK),
      limits: limitsOf(20_000, 80),
    },
  ];
}

const toTraffic = (trace: readonly TraceRequest[]): Traffic => ({
  kind: "open",
  blockTokens: MOONCAKE_BLOCK,
  requests: toServingRequests(trace, {
    traceBlockTokens: MOONCAKE_BLOCK,
    blockTokens: MOONCAKE_BLOCK,
    arrivalScale: 1,
  }),
});

async function readTrace(path: string, most: number): Promise<TraceRequest[]> {
  const trace: TraceRequest[] = [];
  for await (const request of readMooncake(createReadStream(path))) if (trace.length < most) trace.push(request);
  return trace;
}

/** Every n-th session, so that the sample is of the whole file; those that no engine of this size could hold are left out. */
async function readSessions(path: string, most: number): Promise<WekaRequest[]> {
  const bySession = new Map<string, WekaRequest[]>();
  for await (const request of readWeka([readFileSync(path)])) {
    const requests = bySession.get(request.session) ?? [];
    requests.push(request);
    bySession.set(request.session, requests);
  }
  const fitting = [...bySession.values()].filter((requests) =>
    requests.every(({ promptTokens, outputTokens }) => promptTokens + outputTokens < KV_TOKENS / 2),
  );
  const step = Math.max(1, fitting.length / most);
  return Array.from({ length: Math.min(most, fitting.length) }, (_, at) => fitting[Math.floor(at * step)] ?? []).flat();
}

/** Chats that go on, as in the conversation trace: each request repeats one before and adds to it. */
function makeUp(seed: number, requests: number): TraceRequest[] {
  const random = createRandom(seed);
  const chats: number[][] = [];
  let fresh = 0;
  return Array.from({ length: Math.min(requests, 4_000) }, (_, at): TraceRequest => {
    const goesOn = chats.length > 0 && random.next() < 0.5;
    const before = goesOn ? (chats[random.integer(chats.length)] ?? []) : [];
    const blockKeys = [...before, ...Array.from({ length: 1 + random.integer(goesOn ? 6 : 25) }, () => fresh++)];
    chats.push(blockKeys);
    if (chats.length > 500) chats.shift();
    const promptTokens = blockKeys.length * MOONCAKE_BLOCK;
    return { arrivalNs: at * 294_000_000, promptTokens, outputTokens: 1 + random.integer(680), blockKeys };
  });
}

function makeUpSessions(sessions: number): WekaRequest[] {
  const random = createRandom(3);
  return Array.from({ length: sessions }, (_, session) => {
    let blocks = 40 + random.integer(200);
    return Array.from({ length: 5 + random.integer(15) }, (_, at): WekaRequest => {
      blocks += random.integer(40);
      return {
        session: `s${session}`,
        agent: "",
        startNs: at * 20e9,
        promptTokens: blocks * 64,
        outputTokens: 1 + random.integer(400),
        serviceNs: 5e9,
        thinkNs: at === 0 ? null : 1e9 * (1 + random.integer(20)),
        stopReason: "tool_use",
        hashRuns: [{ first: 0, blocks }],
      };
    });
  }).flat();
}
