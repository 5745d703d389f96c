/** Speculative decoding's closed forms, and the published check of batching on one H100, run through the simulator. */
import { parseDecimal } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import {
  createOpenLoop,
  createStepTimeModel,
  expectTokens,
  expectTokensByPosition,
  findBestLength,
  findStepTimePreset,
  type SimulationResult,
  STEP_TIME_PRESETS,
  type StepTimePreset,
  simulate,
  speedUp,
} from "@centspan/serving";
import type { Anchor } from "./anchor.ts";

const SPECULATIVE = "Leviathan, Kalman and Matias (2023), equations 1 and 2";
const CHECK = "one request at 112 tokens/s, sixteen together at ten times that";

export function checkClosedForms(): Anchor[] {
  const bestAt = (rate: number): number =>
    findBestLength(40, (draftTokens) => speedUp(expectTokens(rate, draftTokens), { draftTokens, draftRatio: 0.05 }));
  const exactly = (name: string, expected: number, measured: number): Anchor => {
    return { name, source: SPECULATIVE, expected, tolerance: 1e-9, measured };
  };
  return [
    exactly("tokens a step at acceptance .8 with 4 drafts", 3.3616, expectTokens(0.8, 4)),
    exactly("tokens a step at acceptances .7, .5, .2", 2.12, expectTokensByPosition([0.7, 0.5, 0.2])),
    exactly("best draft length at acceptance .6", 4, bestAt(0.6)),
    exactly("best draft length at acceptance .7", 6, bestAt(0.7)),
    exactly("best draft length at acceptance .8", 8, bestAt(0.8)),
    exactly("best draft length at acceptance .9", 13, bestAt(0.9)),
    ...checkBatching(),
  ];
}

/** So many equal requests at once, answered by one replica. */
function serve(preset: StepTimePreset, requests: number, promptTokens: number): SimulationResult {
  const together = Array.from({ length: requests }, (_, at) => {
    return { id: `r${at}`, arrivalNs: 0, promptTokens, outputTokens: 1_000, blockKeys: [] };
  });
  const replica = {
    config: { blockTokens: 64, capacityBlocks: 6_144, maxSequences: 64, tokenBudget: 2_048 },
    policy: findKvPolicy("lru-leaf"),
    stepTime: createStepTimeModel(preset.coefficients),
  };
  const price = { hourUsd: parseDecimal("2.99"), accelerators: preset.tensor };
  return simulate({ replicas: [replica] }, createOpenLoop(together), { price });
}

const decodeTokensPerS = ({ tpotMs, requests }: SimulationResult): number => (requests * 1_000) / (tpotMs?.p50 ?? 0);

function checkBatching(): Anchor[] {
  const preset = findStepTimePreset("h100-check");
  const [alone, sixteen] = [serve(preset, 1, 1_000), serve(preset, 16, 1_000)];
  const costRatio = Number(alone.costPerMillionTokensUsd) / Number(sixteen.costPerMillionTokensUsd);
  const say = (name: string, expected: number, tolerance: number, measured: number): Anchor => {
    return { name: `H100 check: ${name}`, source: CHECK, expected, tolerance, measured };
  };
  return [
    say("decoding alone, tokens/s", 112, 0.5, decodeTokensPerS(alone)),
    say("sixteen together over one alone", 10, 0.1, decodeTokensPerS(sixteen) / decodeTokensPerS(alone)),
    { ...say("cost per token, alone over sixteen", 9.5, 0.5, costRatio), note: describeCurves() },
  ];
}

/** What the fitted presets say of the same: it depends on how long the prompts are. */
function describeCurves(): string {
  const fitted = STEP_TIME_PRESETS.filter(({ kind }) => kind === "fitted");
  return fitted
    .flatMap((preset) =>
      [512, 2_048, 4_096].map((promptTokens) => {
        const [alone, sixteen] = [serve(preset, 1, promptTokens), serve(preset, 16, promptTokens)].map(
          decodeTokensPerS,
        );
        const ratio = (sixteen ?? 0) / (alone ?? 1);
        return `${preset.id} with ${promptTokens}-token prompts ${alone?.toFixed(0)} tokens/s alone, × ${ratio.toFixed(1)}`;
      }),
    )
    .join("; ");
}
