/**
 * A start for the fit, from measured times alone: who decoded beside whom, over which contexts and prompts, is known, so
 * that shares of the mean time per token can be given to the parts of a step. One run says little about the shares
 * themselves, since its batches are much alike; they are assumed, and the fit moves them.
 */
import type { StepTimeCoefficients } from "../step-time.ts";
import { type MeasuredRequest, READ_NS } from "./measured-run.ts";

/** Parts of a step's time. */
export type StepShares = { step: number; sequences: number; context: number; prefill: number };

const NS_PER_MS = 1e6;

export function guessCoefficients(requests: readonly MeasuredRequest[], shares: StepShares): StepTimeCoefficients {
  const decoding = requests.filter(({ outputTokens }) => outputTokens > 1);
  const mean = (measure: (one: MeasuredRequest) => number): number =>
    decoding.reduce((sum, one) => sum + measure(one), 0) / decoding.length;
  const surroundings = decoding.map((one) => describeSurroundings(one, requests));
  const part = (share: number, index: number): number => {
    const amount = surroundings.reduce((sum, row) => sum + (row[index] ?? 0), 0) / surroundings.length;
    return (share * mean((one) => READ_NS.tpot(one) / NS_PER_MS)) / amount;
  };
  const prefillTokenMs = part(shares.prefill, 3);
  return {
    stepMs: part(shares.step, 0),
    decodeSequenceMs: part(shares.sequences, 1),
    per1000ContextTokensMs: part(shares.context, 2),
    prefillTokenMs,
    // What attention costs per pair beside the linear layers per token, about the same in models of 8B and of 32B.
    perMillionPrefillPairsMs: 32 * prefillTokenMs,
  };
}

/** What an average step held while the request decoded: 1, sequences, their context in thousands, prompt tokens. */
function describeSurroundings(one: MeasuredRequest, requests: readonly MeasuredRequest[]): number[] {
  const lengthNs = one.finishedNs - one.firstTokenNs;
  let sequences = 0;
  let contextTokens = 0;
  let prefillTokens = 0;
  for (const other of requests) {
    const fromNs = Math.max(one.firstTokenNs, other.firstTokenNs);
    const toNs = Math.min(one.finishedNs, other.finishedNs);
    if (toNs > fromNs) {
      const middle = ((fromNs + toNs) / 2 - other.firstTokenNs) / (other.finishedNs - other.firstTokenNs);
      const share = (toNs - fromNs) / lengthNs;
      sequences += share;
      contextTokens += share * (other.promptTokens + middle * other.outputTokens);
    }
    if (other.firstTokenNs > one.firstTokenNs && other.firstTokenNs <= one.finishedNs)
      prefillTokens += other.promptTokens;
  }
  return [1, sequences, contextTokens / 1_000, prefillTokens / (one.outputTokens - 1)];
}
