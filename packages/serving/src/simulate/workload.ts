/**
 * Where a simulation's requests come from. Open loop: arrivals are given, whatever the service makes of them. Closed loop:
 * an answer's end decides when the next request comes.
 */
import type { ServingRequest } from "../serving-types.ts";

export type Workload = {
  /** Whether answers bring requests. */
  readonly isClosed: boolean;
  /** Requests that come in any case, in order of arrival. */
  readonly first: readonly ServingRequest[];
  /** Those that an answer brings, at or after its end. */
  follow(id: string, finishedNs: number): readonly ServingRequest[];
};

/** Requests that arrive together keep the order they are given in. */
export function createOpenLoop(requests: readonly ServingRequest[]): Workload {
  const isSorted = requests.every((request, at) => at === 0 || (requests[at - 1]?.arrivalNs ?? 0) <= request.arrivalNs);
  const first = isSorted ? requests : [...requests].sort((a, b) => a.arrivalNs - b.arrivalNs);
  return { isClosed: false, first, follow: () => [] };
}
