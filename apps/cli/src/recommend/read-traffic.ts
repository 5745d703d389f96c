/** Traffic to choose settings for, from a trace. */
import { describeEvidence, fromTrace, type RecordedTraffic, type Traffic } from "@centspan/optimizer";
import {
  MOONCAKE_BLOCK_TOKENS,
  readAzure,
  readMooncake,
  readWeka,
  type SimulationConfig,
  toAgentSessions,
  WEKA_BLOCK_TOKENS,
  type WekaRequest,
} from "@centspan/serving";
import { parseCount, readTrace } from "../read-workload.ts";

export type TraceQuery = {
  trace: string;
  format: "mooncake" | "azure" | "weka";
  concurrent?: string;
};

const DEFAULT_SESSIONS = "32";

export async function readTraffic(
  { trace: file, format, concurrent }: TraceQuery,
  config: SimulationConfig,
  say: (text: string) => void,
): Promise<RecordedTraffic> {
  const { blockTokens } = config.engine;
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
