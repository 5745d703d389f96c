/** The engine assembled from its parts: players, tokenizer, serving core, loop and spans of one replica. */
import type { Clock } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import { createServingCore, createStepTimeModel, LLAMA_3_1_8B_H100 } from "@centspan/serving";
import { readTraceContext, type SpanAttributes } from "@centspan/telemetry";
import {
  createDeltaTokenizer,
  type DeltaTokenizer,
  getTokenizer,
  PREFIX_BLOCK_TOKENS,
  type Tokenizer,
} from "@centspan/tokens";
import type { Tracer } from "@opentelemetry/api";
import type { EngineConfig } from "./config.ts";
import { type EngineLoop, type Generation, startEngineLoop } from "./engine-loop.ts";
import { loadPlayers, type Players } from "./players/registry.ts";
import { createReplicaSpans } from "./spans/replica-spans.ts";
import { startRequestSpans } from "./spans/request-spans.ts";

export type Inference = Generation["request"] &
  Pick<Generation, "onBegun" | "onToken" | "onFinished" | "onFailed"> & {
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
  state: EngineLoop["state"];
  isRunning: EngineLoop["isRunning"];
  stop(): Promise<void>;
};

export async function openEngine(config: EngineConfig, tracer: Tracer, clock: Clock): Promise<Engine> {
  const blockTokens = PREFIX_BLOCK_TOKENS;
  const policy = findKvPolicy(config.CENTSPAN_KV_POLICY);
  const tokenizer = await getTokenizer("scripted-strong");
  const players = await loadPlayers(config.CENTSPAN_REPLAY_FILES);
  const core = createServingCore({
    config: {
      blockTokens,
      capacityBlocks: config.CENTSPAN_KV_BLOCKS,
      maxSequences: config.CENTSPAN_MAX_SEQUENCES,
      tokenBudget: config.CENTSPAN_TOKEN_BUDGET,
    },
    policy,
    stepTime: createStepTimeModel(LLAMA_3_1_8B_H100),
  });
  const common: SpanAttributes = {
    "centspan.provenance": "simulated",
    "centspan.replica.id": config.CENTSPAN_REPLICA_ID,
    "centspan.time_scale": config.CENTSPAN_TIME_SCALE,
  };
  const loop = startEngineLoop({
    core,
    clock,
    timeScale: config.CENTSPAN_TIME_SCALE,
    replicaSpans: createReplicaSpans({ tracer, common, policy: policy.id }),
  });
  const cache = { blockTokens, policy: policy.id };
  return {
    players,
    tokenizer,
    deltaTokenizer: createDeltaTokenizer({ tokenizer }),
    blockTokens,
    contextTokens: Math.min(config.CENTSPAN_CONTEXT_TOKENS, config.CENTSPAN_KV_BLOCKS * blockTokens),
    start({ headers, onBegun, onToken, onFinished, onFailed, ...request }) {
      const parent = readTraceContext(headers);
      return loop.start({
        request,
        startSpans: (arrivalNs, queueDepth) =>
          startRequestSpans({ tracer, parent, common, cache, arrivalNs, queueDepth }),
        onBegun,
        onToken,
        onFinished,
        onFailed,
      });
    },
    state: loop.state,
    isRunning: loop.isRunning,
    stop: loop.stop,
  };
}
