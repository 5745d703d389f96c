/**
 * A simulation's settings as people write them (JSON), parsed once, and the cluster they describe. Every field has a
 * default; unknown fields are refused.
 */
import { CentspanError, parseDecimal } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import { z } from "zod";
import { findRouter } from "../find-router.ts";
import type { Support } from "../machine/check-support.ts";
import { deriveCapacityBlocks, deriveCoefficients, STAGE_HOP_MS } from "../machine/derive-machine.ts";
import { findStepTimePreset, STEP_TIME_PRESETS } from "../machine/fitted-coefficients.ts";
import { findHardware } from "../machine/hardware.ts";
import { countKvBytesPerToken, findServedModel } from "../machine/models.ts";
import { withPipeline } from "../machine/pipeline.ts";
import type { ServingOptions } from "../serving-types.ts";
import { createStepTimeModel, type StepTimeCoefficients } from "../step-time.ts";
import type { ClusterSpec, ReplicaSpec } from "./run-cluster.ts";
import type { Price } from "./summarise.ts";

const count = z.number().int().positive();
const share = z.number().min(0).max(1);
const ms = z.number().nonnegative();

const coefficients: z.ZodType<StepTimeCoefficients> = z.strictObject({
  stepMs: ms,
  decodeSequenceMs: ms,
  per1000ContextTokensMs: ms,
  prefillTokenMs: ms,
  perMillionPrefillPairsMs: ms,
});

const engine = z.strictObject({
  blockTokens: count.default(64),
  /** Null: what the hardware holds beside the weights. */
  capacityBlocks: count.nullable().default(null),
  maxSequences: count.default(256),
  tokenBudget: count.default(8_192),
  chunkedPrefill: z.boolean().default(true),
});

const draft = z.strictObject({
  id: z.string().min(1),
  parameters: z.number().positive(),
  stepMs: ms,
  sequenceMs: ms,
  acceptance: z.array(share).min(1),
});

/** Separate replicas for prefill and for decode, and what moving a prompt's keys and values between them takes. */
const separate = z.strictObject({
  prefillReplicas: count,
  decodeReplicas: count,
  latencyMs: ms.default(1),
  bytesPerS: z.number().positive().default(50e9),
});

/** Memory of the host that keeps what the device evicts. */
const hostTier = z.strictObject({
  capacityBlocks: count,
  readLatencyMs: ms.default(0.1),
  bytesPerS: z.number().positive().default(25e9),
});

export const simulationConfigSchema = z.strictObject({
  model: z.string().default("llama-3.1-8b"),
  hardware: z.string().default("h100"),
  tensorParallel: count.default(1),
  pipelineParallel: count.default(1),
  /** `derived` from data sheets, the name of fitted coefficients, or coefficients. */
  stepTime: z.union([z.string(), coefficients]).default("llama-3.1-8b-h100"),
  engine: engine.prefault({}),
  policy: z.string().default("lru-leaf"),
  hostTier: hostTier.nullable().default(null),
  replicas: count.max(1_024).default(1),
  router: z
    .strictObject({ id: z.string(), settings: z.record(z.string(), z.number()).default({}) })
    .prefault({ id: "prefix-affinity" }),
  separate: separate.nullable().default(null),
  speculation: z
    .strictObject({ drafts: z.array(draft).min(1), draftTokens: z.union([z.literal("auto"), count]) })
    .nullable()
    .default(null),
  gpuHourUsd: z
    .string()
    .regex(/^\d+(\.\d+)?$/, "must be a plain decimal number in quotes")
    .default("2.99"),
  /** Gaps between arrivals times this: 0.5 is twice the load. */
  arrivalScale: z.number().positive().default(1),
  seed: z.number().int().nonnegative().default(1),
});
export type SimulationConfig = z.infer<typeof simulationConfigSchema>;

/** Throws `invalid_request` with the path of the first field that is wrong. */
export function parseSimulationConfig(value: unknown): SimulationConfig {
  const parsed = simulationConfigSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...unknown].join(".") || "config";
  throw new CentspanError("invalid_request", `${field}: ${issue?.message ?? "is not valid"}`, { field });
}

/** `support`: the range that the step times were fitted on, where that is known. */
export type BuiltCluster = { cluster: ClusterSpec; price: Price; support: Support | null };

/** Throws `not_found` or `invalid_request` naming the field where names or sizes don't fit together. */
export function buildCluster(config: SimulationConfig): BuiltCluster {
  const model = findServedModel(config.model);
  findRouter(config.router.id);
  const options = buildReplica(config);
  const roles: ReplicaSpec["role"][] =
    config.separate === null
      ? Array(config.replicas).fill("both")
      : [
          ...Array(config.separate.prefillReplicas).fill("prefill"),
          ...Array(config.separate.decodeReplicas).fill("decode"),
        ];
  const replicas = roles.map(
    (role, at): ReplicaSpec => ({ ...options, seed: config.seed + at, ...(role ? { role } : {}) }),
  );
  const cluster: ClusterSpec = { replicas, router: config.router, seed: config.seed };
  if (config.separate !== null) {
    const { latencyMs, bytesPerS } = config.separate;
    cluster.transfer = { latencyMs, bytesPerS, kvBytesPerToken: countKvBytesPerToken(model) };
  }
  const accelerators = replicas.length * config.tensorParallel * config.pipelineParallel;
  const preset = STEP_TIME_PRESETS.find(({ id }) => id === config.stepTime);
  return {
    cluster,
    price: { hourUsd: parseDecimal(config.gpuHourUsd), accelerators },
    support: preset?.support ?? null,
  };
}

function buildReplica(config: SimulationConfig): ServingOptions {
  const model = findServedModel(config.model);
  const hardware = findHardware(config.hardware);
  const { blockTokens, capacityBlocks } = config.engine;
  const parallelism = { tensor: config.tensorParallel, pipeline: config.pipelineParallel };
  const stepTime = createStepTimeModel(findCoefficients(config));
  const policy = findKvPolicy(config.policy);
  return {
    config: {
      ...config.engine,
      capacityBlocks: capacityBlocks ?? deriveCapacityBlocks(model, hardware, parallelism, { blockTokens }),
    },
    policy,
    stepTime: withPipeline(stepTime, config.pipelineParallel, STAGE_HOP_MS),
    ...(config.speculation ? { speculation: config.speculation } : {}),
    ...(config.hostTier
      ? { tiers: buildTiers(config.hostTier, policy, blockTokens * countKvBytesPerToken(model)) }
      : {}),
  };
}

function buildTiers(
  { capacityBlocks, readLatencyMs, bytesPerS }: NonNullable<SimulationConfig["hostTier"]>,
  policy: ServingOptions["policy"],
  blockBytes: number,
): NonNullable<ServingOptions["tiers"]> {
  const readBlockNs = Math.round((blockBytes / bytesPerS) * 1e9);
  return {
    lowerTiers: [{ name: "host", capacityBlocks, policy, readLatencyNs: Math.round(readLatencyMs * 1e6), readBlockNs }],
  };
}

/** Of one step of a replica. Throws as `buildCluster` does. */
export function findCoefficients({
  stepTime,
  model,
  hardware,
  tensorParallel,
}: SimulationConfig): StepTimeCoefficients {
  if (typeof stepTime !== "string") return stepTime;
  if (stepTime === "derived") return deriveCoefficients(findServedModel(model), findHardware(hardware), tensorParallel);
  const preset = findStepTimePreset(stepTime);
  const isFor = preset.model === model && preset.hardware === hardware && preset.tensor === tensorParallel;
  if (isFor) return preset.coefficients;
  const message = `${stepTime} is for ${preset.model} on ${preset.tensor} × ${preset.hardware}, not ${model} on ${tensorParallel} × ${hardware}; "derived" is for any`;
  throw new CentspanError("invalid_request", message, { field: "stepTime" });
}
