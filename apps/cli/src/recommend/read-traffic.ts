/** Traffic to choose settings for, from a trace or from recorded calls, with what is known of it. */
import { CentspanError } from "@centspan/base";
import type { Evidence, Traffic } from "@centspan/optimizer";
import {
  MOONCAKE_BLOCK_TOKENS,
  type RecordedCalls,
  readAzure,
  readMooncake,
  readWeka,
  type SimulationConfig,
  type TraceRequest,
  toAgentSessions,
  toServingRequests,
  toTraceRequests,
  WEKA_BLOCK_TOKENS,
  type WekaRequest,
} from "@centspan/serving";
import { type CallsQuery, readRecordedCalls } from "../read-recorded-calls.ts";
import { parseCount, readTrace } from "../read-workload.ts";

export type TrafficQuery = CallsQuery & {
  trace?: string;
  calls: boolean;
  format: "mooncake" | "azure" | "weka";
  concurrent?: string;
};

export type ReadTraffic = { traffic: Traffic; evidence: Evidence; source: string };

const DEFAULT_SESSIONS = "32";

export async function readTraffic(
  query: TrafficQuery,
  config: SimulationConfig,
  say: (text: string) => void,
): Promise<ReadTraffic> {
  const { trace: file, format, concurrent } = query;
  const { blockTokens } = config.engine;
  if (query.calls) return fromCalls(await readRecordedCalls(query, { blockTokens, say }), config, concurrent);
  if (file === undefined)
    throw new CentspanError("invalid_request", "--trace: name the trace to choose settings for, or say --calls", {
      field: "trace",
    });
  if (format === "weka") {
    const recorded: WekaRequest[] = await readTrace(file, readWeka, say);
    const sessions = toAgentSessions(recorded, Math.max(blockTokens, WEKA_BLOCK_TOKENS));
    const traffic: Traffic = {
      kind: "closed",
      blockTokens: Math.max(blockTokens, WEKA_BLOCK_TOKENS),
      sessions,
      concurrent: parseCount("concurrent", concurrent ?? DEFAULT_SESSIONS),
    };
    return { traffic, source: file, evidence: describeEvidence(recorded.length, 0, config) };
  }
  const trace = await readTrace(file, format === "azure" ? readAzure : readMooncake, say);
  return fromTrace(trace, config, { traceBlockTokens: MOONCAKE_BLOCK_TOKENS, source: file });
}

function fromTrace(
  trace: readonly TraceRequest[],
  config: SimulationConfig,
  { traceBlockTokens, source }: { traceBlockTokens: number; source: string },
): ReadTraffic {
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

function fromCalls({ requests }: RecordedCalls, config: SimulationConfig, concurrent: string | undefined): ReadTraffic {
  const { blockTokens } = config.engine;
  const source = "recorded calls";
  if (concurrent === undefined)
    return fromTrace(toTraceRequests(requests), config, { traceBlockTokens: blockTokens, source });
  const sessions = toAgentSessions(requests, blockTokens, blockTokens);
  const traffic: Traffic = { kind: "closed", blockTokens, sessions, concurrent: parseCount("concurrent", concurrent) };
  return { traffic, source, evidence: describeEvidence(requests.length, 0, config) };
}

/** The capacity is stated, or follows from a data sheet; a trace has one clock and says nothing of its engines. */
const describeEvidence = (requests: number, withoutFingerprints: number, config: SimulationConfig): Evidence => ({
  requests,
  withoutFingerprints,
  replicaKinds: [`${config.model} on ${config.tensorParallel} × ${config.hardware}`],
  capacityBlocks: config.engine.capacityBlocks ?? 0,
  backwards: 0,
  calibrationRefusals: [],
});
