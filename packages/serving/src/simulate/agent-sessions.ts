/**
 * Recorded agent sessions as a closed loop: the next request comes the recorded think time after the simulated answer, and a
 * sub-agent starts with the end of the main request before it in the file, beside its parent.
 */
import type { KvWait } from "@centspan/model";
import { expandRuns, WEKA_BLOCK_TOKENS, type WekaRequest } from "../workloads/read-weka.ts";
import type { Session, Thread, Turn } from "./closed-loop.ts";
import { checkBlocks, splitKeys } from "./trace-workload.ts";

/** Service time where none is recorded: the median of those that are. */
const USUAL_SERVICE_NS = 6_080_000_000;

type Recorded = { session: string; agent: string; requests: WekaRequest[]; afterMain: number };

/**
 * Sessions in the order of the file, with the engine's blocks, which divide the recorded ones or are multiples of them.
 * Block keys of different sessions differ.
 */
export function toAgentSessions(
  requests: readonly WekaRequest[],
  blockTokens: number,
  recordedBlockTokens = WEKA_BLOCK_TOKENS,
): Session[] {
  const step = Math.max(1, blockTokens / recordedBlockTokens);
  const parts = Number.isInteger(step) && step > 1 ? 1 : checkBlocks(recordedBlockTokens, blockTokens);
  const sessions = new Map<string, { main: Recorded | null; agents: Recorded[]; firstKey: number }>();
  const threads = new Map<string, Recorded>();
  let nextKey = 0;
  for (const request of requests) {
    const { session: id, agent } = request;
    const session = sessions.get(id) ?? { main: null, agents: [], firstKey: nextKey };
    sessions.set(id, session);
    const name = JSON.stringify([id, agent]);
    const afterMain = (session.main?.requests.length ?? 0) - 1;
    const thread = threads.get(name) ?? { session: id, agent, requests: [], afterMain };
    if (!threads.has(name)) {
      threads.set(name, thread);
      if (agent === "") session.main = thread;
      else session.agents.push(thread);
    }
    thread.requests.push(request);
    for (const { first, blocks } of request.hashRuns) nextKey = Math.max(nextKey, session.firstKey + first + blocks);
  }
  return [...sessions.values()].map(({ main, agents, firstKey }): Session => {
    const shape: KeyShape = { firstKey, parts, step, blockTokens };
    const turns = agents.map((agent) => ({ afterMain: agent.afterMain, thread: toThread(agent, shape, []) }));
    // Without a main line the sub-agents of a session have nothing to wait for: the first one leads.
    const [lead, ...others] = main === null ? agents : [main];
    if (lead === undefined) return { thread: [] };
    const subAgents = main === null ? others.map((one) => ({ afterMain: 0, thread: toThread(one, shape, []) })) : turns;
    return { thread: toThread(lead, shape, subAgents) };
  });
}

type SubAgent = { afterMain: number; thread: Thread };

/** `step`: recorded blocks in one of the engine's, which is known by the last of them. */
type KeyShape = { firstKey: number; parts: number; step: number; blockTokens: number };

function toThread({ session, agent, requests }: Recorded, shape: KeyShape, subAgents: readonly SubAgent[]): Turn[] {
  const { firstKey, parts, step, blockTokens } = shape;
  return requests.map((request, at): Turn => {
    const before = requests[at - 1];
    // A sub-agent that comes before the first main request starts with its end, the earliest there is.
    const started = subAgents.filter(({ afterMain }) => Math.max(0, afterMain) === at).map(({ thread }) => thread);
    return {
      promptTokens: Math.max(1, request.promptTokens),
      outputTokens: Math.max(1, request.outputTokens),
      blockKeys: splitKeys(
        expandRuns(request.hashRuns, step).map((hash) => firstKey + hash),
        parts,
      ).slice(0, Math.floor(Math.max(1, request.promptTokens) / blockTokens)),
      gapNs: before === undefined ? 0 : measureGap(before, request),
      thread: { runId: session, threadId: agent },
      waitsFor: readWait(request.stopReason),
      ...(started.length > 0 ? { subAgents: started } : {}),
    };
  });
}

/** From the end of an answer to the next request of its thread. */
function measureGap(before: WekaRequest, next: WekaRequest): number {
  if (next.thinkNs !== null) return next.thinkNs;
  return Math.max(0, next.startNs - before.startNs - (before.serviceNs ?? USUAL_SERVICE_NS));
}

const readWait = (stopReason: string): KvWait =>
  stopReason === "tool_use" ? "tool" : stopReason === "end_turn" ? "person" : "unknown";
