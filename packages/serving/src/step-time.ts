/**
 * How long one engine step takes: a linear model per replica and parallel degree, whose coefficients are calibrated.
 * It holds for dense models in the range it was fitted on; MoE and data-parallel engines need more terms.
 */

/** What a step computes. */
export type StepLoad = {
  decodeSequences: number;
  /** Tokens in the contexts of the decoding sequences, summed. */
  decodeContextTokens: number;
  prefillTokens: number;
  /** Σ chunk × (start + chunk ÷ 2) over prefill chunks: the pairs of tokens that attend to each other. */
  prefillAttentionPairs: number;
};

export type StepTimeCoefficients = {
  /** Weights over memory bandwidth, and launches. */
  stepMs: number;
  decodeSequenceMs: number;
  /** KV bytes over memory bandwidth. */
  per1000ContextTokensMs: number;
  /** Arithmetic of the linear layers. */
  prefillTokenMs: number;
  /** Arithmetic of attention. */
  perMillionPrefillPairsMs: number;
};

export type StepTimeModel = (load: StepLoad) => number;

/**
 * Llama-3.1-8B on one H100: the first four fitted to the published TensorRT-LLM measurements of NVIDIA's aiconfigurator
 * (1.7% mean error on time per output token). The fifth is derived: attention does 4 × 4,096 × 32 operations a pair,
 * the linear layers 2 × 8.03 billion a token, at the rate that the fourth implies.
 */
export const LLAMA_3_1_8B_H100: StepTimeCoefficients = {
  stepMs: 6.36,
  decodeSequenceMs: 0.014,
  per1000ContextTokensMs: 0.0454,
  prefillTokenMs: 0.0182,
  perMillionPrefillPairsMs: 0.594,
};

/** T(ms) = a + b·n_dec + c·Σctx/1000 + d·n_prefill + e·Σ chunk·(start + chunk/2)/10⁶ */
export function createStepTimeModel(coefficients: StepTimeCoefficients): StepTimeModel {
  return (load) =>
    coefficients.stepMs +
    coefficients.decodeSequenceMs * load.decodeSequences +
    (coefficients.per1000ContextTokensMs * load.decodeContextTokens) / 1_000 +
    coefficients.prefillTokenMs * load.prefillTokens +
    (coefficients.perMillionPrefillPairsMs * load.prefillAttentionPairs) / 1_000_000;
}

/** Steps last whole nanoseconds. */
export const toNs = (ms: number): number => Math.round(ms * 1_000_000);
