/** Traffic to choose settings for, from a trace or from recorded calls, with what is known of it. */
import type { EngineRequest } from "@centspan/model";
import {
  type RecordedCalls,
  type SimulationConfig,
  type TraceRequest,
  toAgentSessions,
  toServingRequests,
  toTraceRequests,
} from "@centspan/serving";
import type { Evidence } from "../verdict/refusals.ts";
import { readEngineRequests } from "./read-engine-requests.ts";
import type { Traffic } from "./traffic.ts";

export type RecordedTraffic = { traffic: Traffic; evidence: Evidence; source: string };

export function fromTrace(
  trace: readonly TraceRequest[],
  config: SimulationConfig,
  { traceBlockTokens, source }: { traceBlockTokens: number; source: string },
): RecordedTraffic {
  const { engine, arrivalScale } = config;
  const { blockTokens } = engine;
  const requests = toServingRequests(trace, { traceBlockTokens, blockTokens, arrivalScale });
  const unknown = trace.filter(({ blockKeys, promptTokens }) => blockKeys.length === 0 && promptTokens >= blockTokens);
  return {
    traffic: { kind: "open", blockTokens, requests },
    source,
    evidence: describeEvidence(trace.length, unknown.length, config),
  };
}

/** `concurrent`: sessions at a time, each request after the answer before it; null takes arrivals as they were. */
export function fromCalls(
  { requests }: RecordedCalls,
  config: SimulationConfig,
  concurrent: number | null,
): RecordedTraffic {
  const { blockTokens } = config.engine;
  const source = "recorded calls, their prompts by what was read from caches";
  if (concurrent === null)
    return fromTrace(toTraceRequests(requests), config, { traceBlockTokens: blockTokens, source });
  const sessions = toAgentSessions(requests, blockTokens, blockTokens);
  const traffic: Traffic = { kind: "closed", blockTokens, sessions, concurrent };
  return { traffic, source, evidence: describeEvidence(requests.length, 0, config) };
}

const MOST_UNKNOWN = 0.05;

/**
 * The same calls as the gateway saw them, whose prompts are known by their blocks, with who waits for them; null where it did not see
 * nearly all of them, or its blocks (of `keyTokens`) are no multiple of the engine's. `concurrent` as for calls.
 */
export function fromAsked(
  asked: readonly EngineRequest[],
  { requests: { length: count } }: Pick<RecordedCalls, "requests">,
  config: SimulationConfig,
  { concurrent, keyTokens }: { concurrent: number | null; keyTokens: number },
): (RecordedTraffic & { traceIds: string[] }) | null {
  const { blockTokens } = config.engine;
  const known = asked.filter(({ blockKeys, promptTokens }) => blockKeys !== "" || promptTokens < keyTokens).length;
  if (keyTokens % blockTokens !== 0 || known < (1 - MOST_UNKNOWN) * count || count === 0) return null;
  const { traffic, requests, evidence, traceIds } = readEngineRequests(asked, { blockTokens, keyTokens });
  return {
    traffic:
      concurrent !== null && traffic.kind === "closed"
        ? { ...traffic, concurrent }
        : { kind: "open", blockTokens, requests },
    evidence: {
      ...describeEvidence(evidence.requests, evidence.withoutFingerprints, config),
      backwards: evidence.backwards,
    },
    source: "recorded calls, their prompts by the gateway's keys",
    traceIds,
  };
}

/** The capacity is stated, or follows from a data sheet; a trace has one clock and says nothing of its engines. */
export const describeEvidence = (
  requests: number,
  withoutFingerprints: number,
  config: SimulationConfig,
): Evidence => ({
  requests,
  withoutFingerprints,
  replicaKinds: [`${config.model} on ${config.tensorParallel} × ${config.hardware}`],
  capacityBlocks: config.engine.capacityBlocks ?? 0,
  backwards: 0,
  calibrationRefusals: [],
});
