/** What the log of a run says of it as a whole. */
import { OUTCOME_STATUSES, type OutcomeStatus } from "@centspan/model";
import type { Event } from "./event.ts";

/** Seconds that processes were at work on it; not the time between them. */
export function countActiveSeconds(events: readonly Event[]): number {
  let seconds = 0;
  let sinceMs: number | null = null;
  let latestMs = 0;
  for (const { type, at } of events) {
    const atMs = Date.parse(at);
    if (type === "started" || type === "resumed") {
      if (sinceMs !== null) seconds += (latestMs - sinceMs) / 1000;
      sinceMs = atMs;
    }
    latestMs = atMs;
  }
  return sinceMs === null ? 0 : seconds + (latestMs - sinceMs) / 1000;
}

/** The latest verdict; null where there is none yet, or it could not be found out. */
export function findOutcome(events: readonly Event[]): OutcomeStatus | null {
  const judged = events.findLast((event) => event.type === "judged");
  return OUTCOME_STATUSES.find((status) => status === judged?.status && status !== "unknown") ?? null;
}
