/**
 * Recorded traffic as the search takes it: requests that come when they came, or sessions whose next request follows an
 * answer. Plain data, so that it can be handed to a thread.
 */
import { CentspanError } from "@centspan/base";
import {
  createClosedLoop,
  createOpenLoop,
  type Priority,
  type ServingRequest,
  type Session,
  type Workload,
} from "@centspan/serving";

export type Traffic = { blockTokens: number } & (
  | { kind: "open"; requests: readonly ServingRequest[] }
  | { kind: "closed"; sessions: readonly Session[]; concurrent: number }
);

/** A part of the traffic. The first `uncounted` requests only fill the caches: what comes after them is what counts. */
export type Window = { traffic: Traffic; uncounted: number };

/**
 * The part between two shares of its time, or of its sessions; `warmUp` is the share of the whole that goes before it
 * uncounted. Arrivals are counted from the start of the part. Of sessions about as many requests are left uncounted as those
 * before the part have: they run beside each other.
 */
export function cutWindow(traffic: Traffic, from: number, to: number, warmUp = 0): Window {
  if (traffic.kind === "closed") {
    const { sessions } = traffic;
    const at = (share: number): number => Math.floor(Math.max(0, share) * sessions.length);
    const before = sessions.slice(at(from - warmUp), at(from));
    const cut = sessions.slice(at(from), to >= 1 ? sessions.length : at(to));
    const uncounted = before.reduce((sum, { thread }) => sum + countTurns(thread), 0);
    return { traffic: { ...traffic, sessions: [...before, ...cut] }, uncounted };
  }
  const { requests } = traffic;
  const [startNs, spanNs] = measureSpan(requests);
  const at = (share: number): number => startNs + share * spanNs;
  const earliest = Math.max(0, from - warmUp);
  const isLast = to >= 1;
  const part = requests.filter(({ arrivalNs }) => arrivalNs >= at(earliest) && (isLast || arrivalNs < at(to)));
  const firstNs = part[0]?.arrivalNs ?? 0;
  return {
    traffic: { ...traffic, requests: part.map((request) => ({ ...request, arrivalNs: request.arrivalNs - firstNs })) },
    uncounted: part.filter(({ arrivalNs }) => arrivalNs < at(from)).length,
  };
}

export function measureSpan(requests: readonly ServingRequest[]): [startNs: number, spanNs: number] {
  const startNs = requests[0]?.arrivalNs ?? 0;
  return [startNs, (requests.at(-1)?.arrivalNs ?? startNs) - startNs];
}

export const countRequests = (traffic: Traffic): number =>
  traffic.kind === "open"
    ? traffic.requests.length
    : traffic.sessions.reduce((sum, { thread }) => sum + countTurns(thread), 0);

const countTurns = (thread: Session["thread"]): number =>
  thread.reduce((sum, { subAgents = [] }) => sum + 1 + subAgents.reduce((all, agent) => all + countTurns(agent), 0), 0);

/** So many times the traffic: arrivals closer together, or more sessions at a time. */
export function scaleTraffic(traffic: Traffic, factor: number): Traffic {
  if (!(factor > 0)) throw new CentspanError("invalid_request", `traffic × ${factor}`, { field: "traffic" });
  if (traffic.kind === "closed")
    return { ...traffic, concurrent: Math.max(1, Math.round(traffic.concurrent * factor)) };
  const requests = traffic.requests.map((request) => ({
    ...request,
    arrivalNs: Math.round(request.arrivalNs / factor),
  }));
  return { ...traffic, requests };
}

export type WatchedWorkload = {
  workload: Workload;
  priorityOf(id: string): Priority;
  /** All that came so far, in no order. */
  seen: ServingRequest[];
};

/** `told`: whether engines hear who waits. Who does is remembered in any case, since limits are by class. */
export function createWorkload(traffic: Traffic, told: boolean): WatchedWorkload {
  const inner =
    traffic.kind === "open" ? createOpenLoop(traffic.requests) : createClosedLoop(traffic.sessions, traffic.concurrent);
  const batch = new Set<string>();
  const seen: ServingRequest[] = [];
  const note = (request: ServingRequest): ServingRequest => {
    seen.push(request);
    if (request.priority !== "batch") return request;
    batch.add(request.id);
    const { priority: _untold, ...rest } = request;
    return told ? request : rest;
  };
  const workload: Workload = {
    isClosed: inner.isClosed,
    longest: inner.longest,
    first: inner.first.map(note),
    follow(id, finishedNs) {
      const { requests, ended } = inner.follow(id, finishedNs);
      return { requests: requests.map(note), ended };
    },
  };
  return { workload, priorityOf: (id) => (batch.has(id) ? "batch" : "interactive"), seen };
}
