/**
 * A machine from data sheets: what a step costs on given hardware when nothing was measured, and what its memory holds.
 * The shares of the published peaks that real kernels reach are assumptions, named here; a fit replaces them.
 * Dense models only: which experts a batch touches is not a linear cost.
 */
import { CentspanError } from "@centspan/base";
import type { StepTimeCoefficients } from "../step-time.ts";
import type { Hardware } from "./hardware.ts";
import { countKvBytesPerToken, countWeightBytes, type ServedModel } from "./models.ts";

export type Parallelism = { tensor: number; pipeline: number };

/** Checked against the fits of fitted-coefficients.ts: a derived step lies within a quarter of theirs. */
const ASSUMED = {
  memoryShare: 0.8,
  arithmeticShare: 0.55,
  linkShare: 0.6,
  /** Launches and host work of one step. */
  launchMs: 0.4,
  /** One all-reduce of a small batch; two a layer. */
  allReduceLatencyMs: 0.014,
  /** Sampling and bookkeeping of one sequence. */
  sequenceMs: 0.03,
  /** Passing a batch on to the next pipeline stage. */
  stageHopMs: 0.05,
} as const;

const MS_PER_S = 1_000;

/** Coefficients of one replica spread over `tensor` accelerators; pipelining is `withPipeline`'s. */
export function deriveCoefficients(model: ServedModel, hardware: Hardware, tensor: number): StepTimeCoefficients {
  if (model.kind !== "dense") {
    const message = `${model.id} is a mixture of experts: its step time is not linear in the batch`;
    throw new CentspanError("invalid_request", message, { field: "model" });
  }
  const bytesPerMs = (tensor * hardware.memoryBytesPerS * ASSUMED.memoryShare) / MS_PER_S;
  const flopPerMs = (tensor * hardware.bf16FlopPerS * ASSUMED.arithmeticShare) / MS_PER_S;
  const linkBytesPerMs = (hardware.linkBytesPerS * ASSUMED.linkShare) / MS_PER_S;
  const allReduces = tensor > 1 ? 2 * model.layers : 0;
  // A ring sends each value 2 (n − 1) ÷ n times.
  const reducedBytesPerToken = ((allReduces * 2 * (tensor - 1)) / tensor) * model.hiddenSize * 2;
  const linkMsPerToken = reducedBytesPerToken / linkBytesPerMs;
  return {
    stepMs: countWeightBytes(model) / bytesPerMs + ASSUMED.launchMs + allReduces * ASSUMED.allReduceLatencyMs,
    decodeSequenceMs: ASSUMED.sequenceMs + linkMsPerToken,
    per1000ContextTokensMs: (1_000 * countKvBytesPerToken(model)) / bytesPerMs,
    prefillTokenMs: (2 * model.activeParameters) / flopPerMs + linkMsPerToken,
    perMillionPrefillPairsMs: (1e6 * 4 * model.attentionWidth * model.layers) / flopPerMs,
  };
}

export const STAGE_HOP_MS = ASSUMED.stageHopMs;

/** KV blocks that a replica's accelerators hold beside the weights when it may use `memoryShare` of them. */
export function deriveCapacityBlocks(
  model: ServedModel,
  hardware: Hardware,
  { tensor, pipeline }: Parallelism,
  { blockTokens, memoryShare = 0.9 }: { blockTokens: number; memoryShare?: number },
): number {
  const bytes = tensor * pipeline * hardware.memoryBytes * memoryShare - countWeightBytes(model);
  const blocks = Math.floor(bytes / (blockTokens * countKvBytesPerToken(model)));
  if (blocks >= 1) return blocks;
  const message = `${model.id} does not fit into ${tensor * pipeline} × ${hardware.id} with room for one KV block`;
  throw new CentspanError("invalid_request", message, { field: "hardware" });
}
