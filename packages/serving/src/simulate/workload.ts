/**
 * Where a simulation's requests come from. Open loop: arrivals are given, whatever the service makes of them. Closed loop:
 * an answer's end decides when the next request comes.
 */
import type { KvThreadId } from "../kv-cache.ts";
import type { ServingRequest } from "../serving-types.ts";

export type Workload = {
  /** Whether answers bring requests. */
  readonly isClosed: boolean;
  /** Requests that come in any case, in order of arrival. */
  readonly first: readonly ServingRequest[];
  /** The longest of all that will come, null of none: a cluster that can't hold it is refused before it begins. */
  readonly longest: RequestSize | null;
  follow(id: string, finishedNs: number): Following;
};

export type RequestSize = Pick<ServingRequest, "promptTokens" | "outputTokens">;

export function findLongest(sizes: Iterable<RequestSize>): RequestSize | null {
  let longest: RequestSize | null = null;
  const tokens = ({ promptTokens, outputTokens }: RequestSize): number => promptTokens + outputTokens;
  for (const size of sizes) if (longest === null || tokens(size) > tokens(longest)) longest = size;
  return longest;
}

export type Following = {
  /** Requests that an answer brings, at or after its end. */
  requests: readonly ServingRequest[];
  /** Threads that have ended with it: what an agent's loop would tell the caches. */
  ended: readonly KvThreadId[];
};

const NOTHING: Following = { requests: [], ended: [] };

/** Requests that arrive together keep the order they are given in. */
export function createOpenLoop(requests: readonly ServingRequest[]): Workload {
  const isSorted = requests.every((request, at) => at === 0 || (requests[at - 1]?.arrivalNs ?? 0) <= request.arrivalNs);
  const first = isSorted ? requests : [...requests].sort((a, b) => a.arrivalNs - b.arrivalNs);
  return { isClosed: false, first, longest: findLongest(first), follow: () => NOTHING };
}
