/** The engine assembled from its parts: players, tokenizer, the cluster of replicas, its settings and spans. */
import { findKvPolicy } from "@centspan/policies";
import { createStepTimeModel, LLAMA_3_1_8B_H100, type ReplicaRole } from "@centspan/serving";
import { createTraceId, endSpan, readTraceContext, type SpanAttributes, startSpan } from "@centspan/telemetry";
import {
  createDeltaTokenizer,
  type DeltaTokenizer,
  getTokenizer,
  PREFIX_BLOCK_TOKENS,
  type Tokenizer,
} from "@centspan/tokens";
import { type Tracer, trace } from "@opentelemetry/api";
import { type Cluster, type ClusterGeneration, startCluster } from "./cluster.ts";
import type { EngineConfig } from "./config.ts";
import { createSpeculate, type EngineSettings, holdSettings, type SettingsHolder } from "./engine-settings.ts";
import type { EngineTime } from "./pace.ts";
import { loadPlayers, type Players } from "./players/registry.ts";
import { createReplicaSpans } from "./spans/replica-spans.ts";
import { startRequestSpans } from "./spans/request-spans.ts";

export type Inference = ClusterGeneration["request"] &
  Pick<ClusterGeneration, "onBegun" | "onToken" | "onFinished" | "onFailed"> & {
    /** The request's headers, for its trace context. */
    headers: Record<string, string | string[] | undefined>;
  };

export type Engine = {
  players: Players;
  tokenizer: Tokenizer;
  deltaTokenizer: DeltaTokenizer;
  blockTokens: number;
  /** Prompt and answer together. */
  contextTokens: number;
  start(inference: Inference): { cancel(): void };
  hint: Cluster["hint"];
  settings: SettingsHolder;
  states: Cluster["states"];
  isRunning: Cluster["isRunning"];
  stop(): Promise<void>;
};

/** Keys and values over NVLink, as the data sheets of the modelled machine have it. */
const TRANSFER = { latencyMs: 0.05, bytesPerS: 450e9, kvBytesPerToken: 131_072 };

export async function openEngine(config: EngineConfig, tracer: Tracer, clock: EngineTime): Promise<Engine> {
  const blockTokens = PREFIX_BLOCK_TOKENS;
  const policy = findKvPolicy(config.CENTSPAN_KV_POLICY);
  const tokenizer = await getTokenizer("scripted-strong");
  const players = await loadPlayers(config.CENTSPAN_REPLAY_FILES);
  const first: EngineSettings = {
    policy: policy.id,
    maxSequences: config.CENTSPAN_MAX_SEQUENCES,
    tokenBudget: config.CENTSPAN_TOKEN_BUDGET,
    chunkedPrefill: true,
    router: { id: config.CENTSPAN_ROUTER },
    draftTokens: config.CENTSPAN_DRAFT_TOKENS,
  };
  const describe = (replica: string): SpanAttributes => ({
    "centspan.provenance": "simulated",
    "centspan.replica.id": replica,
    "centspan.time_scale": config.CENTSPAN_TIME_SCALE,
  });
  const currentPolicy = (): string => settings.read().policy;
  const speculate = createSpeculate(config.CENTSPAN_DRAFT_ACCEPTANCE);
  const speculation = speculate(first.draftTokens);
  const retentionS = config.CENTSPAN_KV_RETENTION_S;
  const cluster = startCluster({
    replicas: listReplicas(config).map((replica) => ({
      ...replica,
      spans: createReplicaSpans({ tracer, common: describe(replica.id), policy: currentPolicy }),
    })),
    serving: {
      config: {
        blockTokens,
        capacityBlocks: config.CENTSPAN_KV_BLOCKS,
        maxSequences: first.maxSequences,
        tokenBudget: first.tokenBudget,
      },
      policy,
      stepTime: createStepTimeModel(LLAMA_3_1_8B_H100),
      ...(retentionS !== undefined && { tiers: { retentionNs: retentionS * 1e9 } }),
      ...(speculation !== null && { speculation }),
    },
    router: first.router,
    transfer: TRANSFER,
    clock,
    timeScale: config.CENTSPAN_TIME_SCALE,
  });
  const settings = holdSettings(cluster, first, speculate);
  const cache = { blockTokens, capacityBlocks: config.CENTSPAN_KV_BLOCKS };
  return {
    players,
    tokenizer,
    deltaTokenizer: createDeltaTokenizer({ tokenizer }),
    blockTokens,
    contextTokens: Math.min(config.CENTSPAN_CONTEXT_TOKENS, config.CENTSPAN_KV_BLOCKS * blockTokens),
    start({ headers, onBegun, onToken, onFinished, onFailed, ...request }) {
      const parent = readTraceContext(headers);
      const place = trace.getSpanContext(parent) ? { parent } : { traceId: createTraceId() };
      return cluster.start({
        request,
        startSpans: (replica, arrivalNs, queueDepth) =>
          startRequestSpans({
            ...{ tracer, place, common: describe(replica), cache, request, settings: settings.read },
            ...{ arrivalNs, queueDepth },
          }),
        onTransfer(from, to, startNs, endNs) {
          const attributes = { ...describe(to), "centspan.kv.transfer.from": from };
          endSpan(startSpan(tracer, "inference.kv.transfer", { ...place, startNs, attributes }), endNs);
        },
        onBegun,
        onToken,
        onFinished,
        onFailed,
      });
    },
    hint: cluster.hint,
    settings,
    states: cluster.states,
    isRunning: cluster.isRunning,
    stop: cluster.stop,
  };
}

/** `engine-0`, `engine-1` and so on, from the first's own name. */
function listReplicas(config: EngineConfig): { id: string; role: ReplicaRole; speed: number }[] {
  const { CENTSPAN_PREFILL_REPLICAS: prefill, CENTSPAN_DECODE_REPLICAS: decode } = config;
  const roles: ReplicaRole[] =
    prefill + decode > 0
      ? [...Array<ReplicaRole>(prefill).fill("prefill"), ...Array<ReplicaRole>(decode).fill("decode")]
      : Array<ReplicaRole>(config.CENTSPAN_REPLICAS).fill("both");
  const name = config.CENTSPAN_REPLICA_ID;
  const stem = name.replace(/-0$/, "");
  return roles.map((role, index) => ({
    id: index === 0 ? name : `${stem}-${index}`,
    role,
    speed: config.CENTSPAN_REPLICA_SPEEDS[index] ?? 1,
  }));
}
