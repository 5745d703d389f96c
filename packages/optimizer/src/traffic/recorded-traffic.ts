/** Traffic to choose settings for, from a trace or from recorded calls, with what is known of it. */
import {
  type RecordedCalls,
  type SimulationConfig,
  type TraceRequest,
  toAgentSessions,
  toServingRequests,
  toTraceRequests,
} from "@centspan/serving";
import type { Evidence } from "../verdict/refusals.ts";
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
  const source = "recorded calls";
  if (concurrent === null)
    return fromTrace(toTraceRequests(requests), config, { traceBlockTokens: blockTokens, source });
  const sessions = toAgentSessions(requests, blockTokens, blockTokens);
  const traffic: Traffic = { kind: "closed", blockTokens, sessions, concurrent };
  return { traffic, source, evidence: describeEvidence(requests.length, 0, config) };
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
