/**
 * Drafts within a step: which draft model proposes how many tokens at the load of the moment, what drafting and verifying
 * cost, and how many of the proposed tokens are kept.
 */
import { CentspanError, type Random } from "@centspan/base";
import type { StepLoad, StepTimeModel } from "../step-time.ts";
import { expectTokensByPosition } from "./closed-forms.ts";

export type DraftModel = {
  id: string;
  parameters: number;
  /** One draft step of a batch: fixed part, and part per sequence. */
  stepMs: number;
  sequenceMs: number;
  /** Probability that a position is accepted given that all before it are; as many positions as it may propose. */
  acceptance: readonly number[];
};

export type Speculation = {
  drafts: readonly DraftModel[];
  /** Tokens to propose; `auto` takes the draft and length that give most tokens a second at the batch of the moment. */
  draftTokens: number | "auto";
};

/** What a step does: no draft at all is `draft: null`. */
export type DraftPlan = { draft: DraftModel | null; draftTokens: number };

export const NO_DRAFT: DraftPlan = { draft: null, draftTokens: 0 };

function checkSpeculation({ drafts, draftTokens }: Speculation): void {
  const refuse = (field: string, message: string): never => {
    throw new CentspanError("invalid_request", message, { field: `speculation.${field}` });
  };
  if (drafts.length === 0) refuse("drafts", "speculation without a draft model");
  for (const { id, acceptance } of drafts) {
    const isRate = (rate: number): boolean => rate >= 0 && rate <= 1;
    if (!acceptance.every(isRate)) refuse("drafts", `draft ${id}: an acceptance that is no probability`);
    if (draftTokens !== "auto" && draftTokens > acceptance.length)
      refuse("draftTokens", `${draftTokens} draft tokens; ${id} has acceptances for ${acceptance.length}`);
  }
}

/**
 * A step that verifies so many proposed tokens in all: they go through the layers like a prompt's, each attends to its
 * sequence's context, and contexts are read once.
 */
export function addVerification(load: StepLoad, draftedTokens: number): StepLoad {
  if (draftedTokens === 0) return load;
  const contextTokens = load.decodeContextTokens / load.decodeSequences;
  return {
    ...load,
    prefillTokens: load.prefillTokens + draftedTokens,
    prefillAttentionPairs: load.prefillAttentionPairs + contextTokens * draftedTokens,
  };
}

export const timeDrafts = ({ draft, draftTokens }: DraftPlan, sequences: number): number =>
  draft === null ? 0 : draftTokens * (draft.stepMs + draft.sequenceMs * sequences);

export type DraftPlanner = (load: StepLoad, stepTime: StepTimeModel) => DraftPlan;

/** Chooses for the sequences that decode in a step's load: the plan with most expected tokens a second. */
export function createDraftPlanner(speculation: Speculation): DraftPlanner {
  checkSpeculation(speculation);
  const plans = listPlans(speculation).map((plan) => ({
    plan,
    expected: expectTokensByPosition((plan.draft?.acceptance ?? []).slice(0, plan.draftTokens)),
  }));
  return (load, stepTime) => {
    let best = NO_DRAFT;
    let bestTokensPerMs = 0;
    if (load.decodeSequences === 0) return best;
    for (const { plan, expected } of plans) {
      const verification = addVerification(load, plan.draftTokens * load.decodeSequences);
      const stepMs = stepTime(verification) + timeDrafts(plan, load.decodeSequences);
      if (expected / stepMs > bestTokensPerMs) [best, bestTokensPerMs] = [plan, expected / stepMs];
    }
    return best;
  };
}

function listPlans({ drafts, draftTokens }: Speculation): DraftPlan[] {
  if (draftTokens === 0) return [NO_DRAFT];
  if (draftTokens !== "auto") return drafts.map((draft) => ({ draft, draftTokens }));
  const longer = drafts.flatMap((draft) => draft.acceptance.map((_, at) => ({ draft, draftTokens: at + 1 })));
  return [NO_DRAFT, ...longer];
}

/** Proposed tokens that are kept. */
export function sampleAccepted(draft: DraftModel | null, draftTokens: number, random: Random): number {
  let accepted = 0;
  while (accepted < draftTokens && random.next() < (draft?.acceptance[accepted] ?? 0)) accepted += 1;
  return accepted;
}
