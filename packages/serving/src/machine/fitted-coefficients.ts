/**
 * Step-time coefficients by name, each with where it comes from and the range it was fitted on: outside of it an answer
 * is refused, not given. `synthetic` ones are stated for a check and describe no machine.
 */
import { CentspanError } from "@centspan/base";
import { LLAMA_3_1_8B_H100, type StepTimeCoefficients } from "../step-time.ts";

export type StepTimePreset = {
  id: string;
  describe: string;
  kind: "fitted" | "synthetic";
  coefficients: StepTimeCoefficients;
  model: string;
  hardware: string;
  tensor: number;
  /** Mean absolute error of the fit on time per output token, in percent. */
  errorPercent: number | null;
  support: { sequences: readonly [number, number]; promptTokens: readonly [number, number] } | null;
  source: string;
};

const SILICON = "NVIDIA aiconfigurator, silicon_sample.csv: measured closed-loop time per output token";

/** Attention of a prefill was in none of the fits: operations per pair over per token, at the rate of the token's. */
const derivePairsMs = (prefillTokenMs: number, parameters: number, layers: number, attentionWidth: number): number =>
  (1e6 * prefillTokenMs * 4 * layers * attentionWidth) / (2 * parameters);

export const STEP_TIME_PRESETS: readonly StepTimePreset[] = [
  {
    id: "llama-3.1-8b-h100",
    describe: "Llama-3.1-8B, TensorRT-LLM, one H100",
    kind: "fitted",
    coefficients: LLAMA_3_1_8B_H100,
    model: "llama-3.1-8b",
    hardware: "h100",
    tensor: 1,
    errorPercent: 1.7,
    support: { sequences: [8, 128], promptTokens: [1024, 4096] },
    source: SILICON,
  },
  {
    id: "qwen3-32b-h100-tp2",
    describe: "Qwen3-32B, vLLM, two H100 in tensor parallel",
    kind: "fitted",
    coefficients: {
      stepMs: 13.93,
      decodeSequenceMs: 0.071,
      per1000ContextTokensMs: 0.0507,
      prefillTokenMs: 0.0456,
      perMillionPrefillPairsMs: derivePairsMs(0.0456, 32.8e9, 64, 8192),
    },
    model: "qwen3-32b",
    hardware: "h100",
    tensor: 2,
    errorPercent: 2.1,
    support: { sequences: [8, 128], promptTokens: [1024, 4096] },
    source: SILICON,
  },
  {
    id: "qwen3-32b-h100-tp4",
    describe: "Qwen3-32B, vLLM, four H100 in tensor parallel",
    kind: "fitted",
    coefficients: {
      stepMs: 9.33,
      decodeSequenceMs: 0.063,
      per1000ContextTokensMs: 0.025,
      prefillTokenMs: 0.0273,
      perMillionPrefillPairsMs: derivePairsMs(0.0273, 32.8e9, 64, 8192),
    },
    model: "qwen3-32b",
    hardware: "h100",
    tensor: 4,
    errorPercent: 1.7,
    support: { sequences: [8, 128], promptTokens: [1024, 4096] },
    source: SILICON,
  },
  {
    id: "h100-check",
    describe: "stated for the check of 112 tokens/s alone and ten times that for sixteen; no machine",
    kind: "synthetic",
    coefficients: {
      stepMs: 8.57,
      decodeSequenceMs: 0.357,
      per1000ContextTokensMs: 0,
      prefillTokenMs: 0.0182,
      perMillionPrefillPairsMs: 0,
    },
    model: "llama-3.1-8b",
    hardware: "h100",
    tensor: 1,
    errorPercent: null,
    support: null,
    source: "8.93 ms a step alone, 14.29 ms for sixteen: 0.357 ms a request at the case's context",
  },
];

export function findStepTimePreset(id: string): StepTimePreset {
  const found = STEP_TIME_PRESETS.find((preset) => preset.id === id);
  if (found) return found;
  const known = STEP_TIME_PRESETS.map((preset) => preset.id).join(", ");
  throw new CentspanError("not_found", `no step-time preset ${JSON.stringify(id)}; known: ${known}`, {
    field: "stepTime",
  });
}
