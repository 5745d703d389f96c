/**
 * A replica cut into pipeline stages: the batch goes through as micro-batches, one per stage, so that what grows with the
 * batch is shared, while the weights of all stages still pass one after another before a sequence has its next token.
 */
import { assert } from "@centspan/base";
import type { StepTimeModel } from "../step-time.ts";

export function withPipeline(stepTime: StepTimeModel, stages: number, hopMs: number): StepTimeModel {
  assert(Number.isInteger(stages) && stages >= 1, `${stages} pipeline stages`);
  if (stages === 1) return stepTime;
  return (load) => {
    // A batch of fewer sequences than stages leaves stages idle; one long prefill chunk is cut like a batch.
    const microBatches = Math.max(1, Math.min(stages, load.decodeSequences + load.prefillTokens));
    const one = stepTime({
      decodeSequences: load.decodeSequences / microBatches,
      decodeContextTokens: load.decodeContextTokens / microBatches,
      prefillTokens: load.prefillTokens / microBatches,
      prefillAttentionPairs: load.prefillAttentionPairs / microBatches,
    });
    return one + stages * hopMs;
  };
}
