/**
 * What came of settings that were applied: what the engine's steps took with them, against what the settings before would have
 * made of the same requests, by the model that was fitted then, its error in the interval. The traffic is the same on both sides,
 * so that a quiet week is not taken for a saving.
 */
import type { EngineFacts, Recommendation } from "@centspan/model";
import { simulationConfigSchema } from "@centspan/serving";
import { z } from "zod";
import type { DraftedStep } from "../calibration/fit-drafts.ts";
import {
  costOfBlock,
  cutComparable,
  cutComparableSteps,
  cutMeasuredWork,
  describeFullReplica,
} from "../calibration/measured-work.ts";
import { evaluate, isServable } from "../evaluation/evaluate.ts";
import type { KnobId, Settings } from "../settings/knobs.ts";
import type { Traffic } from "../traffic/traffic.ts";
import { type Effect, estimateEffect } from "../verdict/bootstrap.ts";
import { type Evidence, findEvidenceRefusals, type OptimizerRefusal, refuse } from "../verdict/refusals.ts";

const settingsSchema = simulationConfigSchema.extend({ priorities: z.boolean() });
const predictionSchema = z.looseObject({
  settings: z.object({ now: settingsSchema, proposed: settingsSchema }),
  modelError: z.number().nullable(),
});

export type Prediction = { now: Settings; proposed: Settings; modelError: number };

/** What a recommendation says of the settings and the model behind it; null where it says nothing of them. */
export function readPrediction({ evidence }: Pick<Recommendation, "evidence">): Prediction | null {
  const parsed = predictionSchema.safeParse(evidence.verdict);
  return parsed.success ? { ...parsed.data.settings, modelError: parsed.data.modelError ?? 0 } : null;
}

export type AfterChange = {
  traffic: Traffic;
  evidence: Evidence;
  arrivedAtNs: readonly bigint[];
  steps: readonly DraftedStep[];
  facts: EngineFacts | null;
};

export type Verification = { effect: Effect | null; refusals: OptimizerRefusal[]; requests: number };

const BLOCKS = 12;

/** `changes` are looked for in what the engine says of itself: what was never set has no effect. */
export function verifyEffect(
  { now, proposed, modelError }: Prediction,
  changes: Recommendation["changes"],
  { traffic, evidence, arrivedAtNs, steps, facts }: AfterChange,
): Verification {
  const none = (...refusals: OptimizerRefusal[]): Verification => ({
    effect: null,
    refusals,
    requests: evidence.requests,
  });
  const refusals = [...findEvidenceRefusals(evidence), ...findUnapplied(changes, facts)];
  if (refusals.length > 0) return none(...refusals);
  const full = describeFullReplica(proposed, traffic);
  const control = evaluate(now, cutComparable(traffic), { blocks: BLOCKS, ignoreSupport: true });
  if (full === null || !isServable(control))
    return none(refuse("present_unservable", isServable(control) ? "no replica" : control.unservable));
  const before = control.blocks.map(costOfBlock);
  const pairs = cutMeasuredWork(cutComparableSteps(steps, traffic, arrivedAtNs), full, BLOCKS).flatMap(
    ({ costNs, tokens }, at) => {
      const other = before[at];
      if (other === undefined) return [];
      return [{ beforeCost: other.costNs, beforeTokens: other.tokens, afterCost: costNs, afterTokens: tokens }];
    },
  );
  const effect = estimateEffect(pairs, { level: 0.8, seed: 1, modelError });
  return effect === null
    ? none(refuse("traffic_too_short", "the time since it was applied holds too few steps to compare"))
    : { effect, refusals: [], requests: evidence.requests };
}

type Said = (facts: EngineFacts) => readonly (string | number | boolean)[];

/** What an engine says of each setting that may be changed while it runs. */
const SAID: Partial<Record<KnobId, Said>> = {
  policy: ({ policies }) => policies,
  maxSequences: ({ maxSequences }) => maxSequences,
  tokenBudget: ({ tokenBudgets }) => tokenBudgets,
  router: ({ routers }) => routers,
  chunkedPrefill: ({ chunkedPrefill }) => chunkedPrefill,
  draftTokens: ({ draftTokens }) => draftTokens,
  capacityBlocks: ({ capacityBlocks }) => capacityBlocks,
};
const isSaid = (knob: string): knob is keyof typeof SAID => Object.hasOwn(SAID, knob);

/** Settings that the engine says it does not have, or not all of the time. */
function findUnapplied(changes: Recommendation["changes"], facts: EngineFacts | null): OptimizerRefusal[] {
  if (facts === null) return [refuse("not_applied", "no span of the engine since then")];
  return changes.flatMap(({ knob, proposed }) => {
    const said = isSaid(knob) ? (SAID[knob]?.(facts) ?? []) : [];
    if (said.every((value) => String(value) === String(proposed))) return [];
    return [refuse("not_applied", `${knob}: ${proposed} was recommended, the engine says ${said.join(" and ")}`)];
  });
}
