/**
 * Traffic from what an engine says of its requests: arrivals, prompts by their blocks, and whose requests follow each other. Where
 * most belong to threads that go on, it is a closed loop: the next request comes a wait after the answer before it, however fast
 * that is. Times are the modelled machine's.
 */
import { CentspanError } from "@centspan/base";
import type { EngineRequest, ServedRequest } from "@centspan/model";
import { createBlockKeyReader, type ServingRequest, type Session, splitKeys } from "@centspan/serving";
import type { Evidence } from "../verdict/refusals.ts";
import type { Traffic } from "./traffic.ts";

export type EngineTraffic = {
  traffic: Traffic;
  /** The same as they came, whoever waited for whom. */
  requests: readonly ServingRequest[];
  evidence: Pick<Evidence, "requests" | "withoutFingerprints" | "backwards">;
  /** Of the requests in it, in order, by the clock that their spans have. */
  arrivedAtNs: bigint[];
  /** For a look: of the requests with the longest prompts. */
  traceIds: string[];
};

const MOST_TRACES = 10;

/**
 * `requests` in order of arrival. Those that did not end are left out: nobody knows how long their answers would have been.
 * `keyTokens`: of the blocks that keys are of, where they are others than the engine's.
 */
export function readEngineRequests(
  requests: readonly (EngineRequest & Partial<Pick<ServedRequest, "askedAtNs">>)[],
  { blockTokens, keyTokens = blockTokens }: { blockTokens: number; keyTokens?: number },
): EngineTraffic {
  if (keyTokens % blockTokens !== 0)
    throw new CentspanError("invalid_request", `engine.blockTokens: ${blockTokens} is no part of ${keyTokens}`, {
      field: "engine.blockTokens",
    });
  const reader = createBlockKeyReader();
  const [first] = requests;
  // All are read, so that those that did not end tell their blocks too.
  const read = requests.map((one): ReadRequest => {
    const toNs = (ns: bigint): number => Number(ns - (first?.arrivedAtNs ?? 0n)) / one.timeScale;
    return {
      ...{ promptTokens: Math.max(1, one.promptTokens), outputTokens: Math.max(1, one.outputTokens) },
      blockKeys: splitKeys(reader.read({ knownBlocks: one.knownBlocks, keys: one.blockKeys }), keyTokens / blockTokens),
      arrivalNs: Math.round(toNs(one.arrivedAtNs)),
      endedNs: one.endedAtNs === null ? null : Math.round(toNs(one.endedAtNs)),
      priority: one.priority,
      thread: one.thread,
      traceId: one.traceId,
      arrivedAtNs: one.arrivedAtNs,
      isBackwards:
        (one.endedAtNs !== null && one.endedAtNs < one.arrivedAtNs) || (one.askedAtNs ?? 0n) > one.arrivedAtNs,
    };
  });
  const ended = read.filter(isEnded);
  const open = toOpen(ended, blockTokens);
  const threads = groupByThread(ended);
  const goingOn = threads.reduce((sum, thread) => sum + (thread.length > 1 ? thread.length : 0), 0);
  return {
    traffic: goingOn > ended.length / 2 ? toClosed(threads, blockTokens) : open,
    requests: open.requests,
    evidence: {
      requests: ended.length,
      withoutFingerprints: ended.filter((one) => one.blockKeys.length === 0 && one.promptTokens >= keyTokens).length,
      backwards: ended.filter(({ isBackwards }) => isBackwards).length,
    },
    arrivedAtNs: ended.map((one) => one.arrivedAtNs),
    traceIds: ended
      .toSorted((a, b) => b.promptTokens - a.promptTokens)
      .slice(0, MOST_TRACES)
      .map(({ traceId }) => traceId),
  };
}

type ReadRequest = Omit<ServingRequest, "id" | "thread" | "priority"> &
  Pick<EngineRequest, "priority" | "thread" | "traceId" | "arrivedAtNs"> & {
    endedNs: number | null;
    isBackwards: boolean;
  };
type EndedRequest = ReadRequest & { endedNs: number };

const isEnded = (one: ReadRequest): one is EndedRequest => one.endedNs !== null;

/** In order of their first requests. Who names no thread is one of its own. */
function groupByThread(requests: readonly EndedRequest[]): EndedRequest[][] {
  const threads = new Map<string, EndedRequest[]>();
  for (const [at, one] of requests.entries()) {
    const name = one.thread === "" ? `request ${at}` : `thread ${one.thread}`;
    const thread = threads.get(name);
    if (thread === undefined) threads.set(name, [one]);
    else thread.push(one);
  }
  return [...threads.values()];
}

const toThreadId = (thread: string) => {
  const [runId = "", threadId = runId] = thread.split(" ");
  return thread === "" ? {} : { thread: { runId, threadId } };
};

const toOpen = (requests: readonly EndedRequest[], blockTokens: number) => ({
  kind: "open" as const,
  blockTokens,
  requests: requests.map(
    ({ promptTokens, outputTokens, blockKeys, arrivalNs, priority, thread }, at): ServingRequest => ({
      ...{ id: `r${at}`, promptTokens, outputTokens, blockKeys, arrivalNs, priority },
      ...toThreadId(thread),
    }),
  ),
});

const toClosed = (threads: readonly EndedRequest[][], blockTokens: number): Traffic => ({
  kind: "closed",
  blockTokens,
  concurrent: countConcurrent(threads),
  sessions: threads.map(
    (thread): Session => ({
      priority: thread[0]?.priority,
      thread: thread.map((request, at) => ({
        promptTokens: request.promptTokens,
        outputTokens: request.outputTokens,
        blockKeys: request.blockKeys,
        ...toThreadId(request.thread),
        gapNs: Math.max(0, request.arrivalNs - (thread[at - 1]?.endedNs ?? request.arrivalNs)),
      })),
    }),
  ),
});

/** Threads at a time, as they were for half of the time: the beginning and the end of what was recorded have fewer. */
function countConcurrent(threads: readonly EndedRequest[][]): number {
  const moves = threads
    .flatMap((thread) => [
      { atNs: thread[0]?.arrivalNs ?? 0, by: 1 },
      { atNs: thread.at(-1)?.endedNs ?? 0, by: -1 },
    ])
    .sort((a, b) => a.atNs - b.atNs || a.by - b.by);
  const timeAt = new Map<number, number>();
  let open = 0;
  for (const [at, { atNs, by }] of moves.entries()) {
    open += by;
    timeAt.set(open, (timeAt.get(open) ?? 0) + (moves[at + 1]?.atNs ?? atNs) - atNs);
  }
  const all = [...timeAt.values()].reduce((sum, ns) => sum + ns, 0);
  let passed = 0;
  for (const [count, ns] of [...timeAt].sort(([a], [b]) => a - b)) {
    passed += ns;
    if (passed >= all / 2) return Math.max(1, count);
  }
  return 1;
}
