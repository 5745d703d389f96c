/**
 * Recorded agent sessions in a closed loop: so many run at a time, and the end of each starts the next. When requests
 * arrive follows from the recording alone (a think time after the last answer) and not from any cache, so one schedule
 * serves the replay of every policy.
 * Events are ordered by (time, answers before arrivals, order of planning).
 */
import type { KvWait } from "@centspan/model";
import { expandRuns, type WekaRequest } from "../workloads/read-weka.ts";

export type AgentEvent = { atNs: number; run: number; thread: number } & (
  | { kind: "requested"; keys: readonly number[] }
  | { kind: "answered"; waitsFor: KvWait; isLast: boolean }
);

export type AgentSchedule = {
  events: readonly AgentEvent[];
  requests: number;
  /** Mean over arrivals of the blocks in the latest chains of all live threads: the live working set. */
  workingSetBlocks: number;
};

type ThreadRequest = {
  startNs: number;
  serviceNs: number | null;
  thinkNs: number | null;
  waitsFor: KvWait;
  keys: number[];
};
type Thread = { run: number; id: number; requests: ThreadRequest[]; isDone: boolean };
/** The main line, and which sub-agents begin when its request of that number has been answered. */
export type AgentSession = { main: Thread | null; agents: { thread: Thread; afterRequest: number }[] };

/** Hashes of 64 tokens a block of the cache. */
const HASHES_PER_BLOCK = 4;
/** Service time where none is recorded: the median of those that are. */
const USUAL_SERVICE_NS = 6_080_000_000;

/** Sessions in the order of the file. Block keys of different sessions differ. */
export function groupSessions(requests: readonly WekaRequest[]): AgentSession[] {
  const sessions = new Map<string, AgentSession>();
  const threads = new Map<string, Thread>();
  let firstKey = 0;
  let nextKey = 0;
  for (const request of requests) {
    let session = sessions.get(request.session);
    if (!session) {
      session = { main: null, agents: [] };
      sessions.set(request.session, session);
      firstKey = nextKey;
    }
    const name = JSON.stringify([request.session, request.agent]);
    let thread = threads.get(name);
    if (!thread) {
      thread = { run: sessions.size - 1, id: threads.size, requests: [], isDone: false };
      threads.set(name, thread);
      if (request.agent === "") session.main = thread;
      else session.agents.push({ thread, afterRequest: (session.main?.requests.length ?? 0) - 1 });
    }
    thread.requests.push(toThreadRequest(request, firstKey));
    for (const { first, blocks } of request.hashRuns) nextKey = Math.max(nextKey, firstKey + first + blocks);
  }
  return [...sessions.values()];
}

function toThreadRequest(request: WekaRequest, firstKey: number): ThreadRequest {
  const { startNs, serviceNs, thinkNs, stopReason } = request;
  const waitsFor: KvWait = stopReason === "tool_use" ? "tool" : stopReason === "end_turn" ? "person" : "unknown";
  // A block is known by its last hash, which stands for all before it.
  const keys = expandRuns(request.hashRuns, HASHES_PER_BLOCK).map((hash) => firstKey + hash);
  return { startNs, serviceNs, thinkNs, waitsFor, keys };
}

type Planned = { atNs: number; isArrival: boolean; thread: Thread; request: number };

/** Plays the sessions in the order given, `concurrency` at a time, until one ends and none is left to start. */
export function scheduleAgents(sessions: readonly AgentSession[], concurrency: number): AgentSchedule {
  const events: AgentEvent[] = [];
  const queue = createQueue();
  const liveBlocks = new Map<Thread, number>();
  let live = 0;
  let liveSum = 0;
  let requests = 0;
  let next = 0;

  const start = (thread: Thread, atNs: number): void => queue.add({ atNs, isArrival: true, thread, request: 0 });
  const startSession = (atNs: number): boolean => {
    const session = sessions[next];
    next += 1;
    if (!session) return false;
    if (session.main) start(session.main, atNs);
    for (const { thread, afterRequest } of session.agents) if (afterRequest < 0) start(thread, atNs);
    return true;
  };
  const setLive = (thread: Thread, blocks: number): void => {
    live += blocks - (liveBlocks.get(thread) ?? 0);
    if (blocks === 0) liveBlocks.delete(thread);
    else liveBlocks.set(thread, blocks);
  };
  const arrive = ({ atNs, thread, request }: Planned, one: ThreadRequest): void => {
    setLive(thread, one.keys.length);
    liveSum += live;
    requests += 1;
    events.push({ atNs, run: thread.run, thread: thread.id, kind: "requested", keys: one.keys });
    const gapNs = gapAfter(thread, request);
    const serviceNs = one.serviceNs ?? Math.min(USUAL_SERVICE_NS, gapNs ?? USUAL_SERVICE_NS);
    queue.add({ atNs: atNs + serviceNs, isArrival: false, thread, request });
    if (gapNs !== null) queue.add({ atNs: atNs + gapNs, isArrival: true, thread, request: request + 1 });
  };
  const bySession = new Map(sessions.map((session) => [session.main?.run ?? session.agents[0]?.thread.run, session]));
  const openThreads = new Map<number, number>();

  /** Whether the session goes on, or another took its place. */
  const answer = ({ atNs, thread, request }: Planned, one: ThreadRequest): boolean => {
    const { run } = thread;
    const session = bySession.get(run);
    const isLast = request === thread.requests.length - 1;
    events.push({ atNs, run, thread: thread.id, kind: "answered", waitsFor: one.waitsFor, isLast });
    if (session?.main === thread) {
      for (const agent of session.agents) if (agent.afterRequest === request) start(agent.thread, atNs);
    }
    if (!isLast) return true;
    setLive(thread, 0);
    const left = (openThreads.get(run) ?? 0) - 1;
    openThreads.set(run, left);
    return left > 0 || startSession(atNs);
  };

  for (const [run, session] of bySession) if (run !== undefined) openThreads.set(run, countThreads(session));
  for (let at = 0; at < concurrency; at += 1) startSession(0);
  for (let event = queue.take(); event; event = queue.take()) {
    const one = event.thread.requests[event.request];
    if (!one) continue;
    if (event.isArrival) arrive(event, one);
    else if (!answer(event, one)) break;
  }
  return { events, requests, workingSetBlocks: liveSum / Math.max(1, requests) };
}

const countThreads = ({ main, agents }: AgentSession): number => agents.length + (main ? 1 : 0);

/** From a request's arrival to the next arrival of its thread; null after the last. */
function gapAfter({ requests }: Thread, at: number): number | null {
  const one = requests[at];
  const next = requests[at + 1];
  if (!one || !next) return null;
  if (one.serviceNs !== null && next.thinkNs !== null) return one.serviceNs + next.thinkNs;
  return Math.max(0, next.startNs - one.startNs);
}

/** Few events are planned at any time: a sorted list, next event last. */
function createQueue() {
  const planned: (Planned & { order: number })[] = [];
  let order = 0;
  const goesBefore = (a: Planned & { order: number }, b: Planned & { order: number }): boolean => {
    if (a.atNs !== b.atNs) return a.atNs < b.atNs;
    if (a.isArrival !== b.isArrival) return b.isArrival;
    return a.order < b.order;
  };
  return {
    add(event: Planned): void {
      const entry = { ...event, order };
      order += 1;
      let low = 0;
      let high = planned.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        const other = planned[middle];
        if (other && goesBefore(entry, other)) low = middle + 1;
        else high = middle;
      }
      planned.splice(low, 0, entry);
    },
    take: () => planned.pop(),
  };
}
