/**
 * A recommendation as a record: what to change, what it is predicted to do and how sure that is, how it is applied and undone;
 * and the way it goes, proposed → accepted → applied → verified, or rejected, or withdrawn, each step by somebody with a name.
 * Invariant: nothing is applied that was not accepted; no step is taken twice, and none is taken back.
 */
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { PROVENANCES } from "./call.ts";
import { name } from "./price-values.ts";
import { instant, money } from "./row-values.ts";

export const RECOMMENDATION_STATES = ["proposed", "accepted", "applied", "verified", "rejected", "withdrawn"] as const;
export type RecommendationState = (typeof RECOMMENDATION_STATES)[number];

export const RECOMMENDATION_STEPS = ["accept", "reject", "applied", "verified", "withdraw"] as const;
export type RecommendationStep = (typeof RECOMMENDATION_STEPS)[number];

const WAY: Record<RecommendationStep, { from: readonly RecommendationState[]; to: RecommendationState }> = {
  accept: { from: ["proposed"], to: "accepted" },
  reject: { from: ["proposed"], to: "rejected" },
  applied: { from: ["accepted"], to: "applied" },
  verified: { from: ["applied"], to: "verified" },
  withdraw: { from: ["proposed", "accepted"], to: "withdrawn" },
};

/** Where a step leads. Throws `conflict` where it can't be taken, saying from where it could. */
export function takeStep(state: RecommendationState, step: RecommendationStep): RecommendationState {
  const { from, to } = WAY[step];
  if (from.includes(state)) return to;
  throw new CentspanError("conflict", `it is ${state}: ${step} is for what is ${from.join(" or ")}`, {
    field: "state",
  });
}

const text = z.string().max(4_000);
const share = z.number().min(-1).max(100);

/** Relative: −0.08 is 8% less. */
export const effectSchema = z.strictObject({
  share,
  low: share,
  high: share,
  level: z.number().min(0.5).max(0.999),
});

const settingValue = z.union([z.string().max(200), z.number(), z.boolean()]);

export const recommendationInputSchema = z.strictObject({
  /** Settings of engines, or what those who rent models can do. */
  kind: z.enum(["serving", "spend"]),
  /** What it is about: a pool of replicas, a key, a cause of waste. */
  subject: name,
  service: name.optional().describe("the engine by whose spans it was found, and is verified"),
  title: name,
  changes: z
    .array(
      z.strictObject({
        knob: name,
        now: settingValue,
        proposed: settingValue,
        /** On top of those before it; null where it was not measured by itself. */
        effect: effectSchema.nullable(),
      }),
    )
    .min(1)
    .max(30),
  /** Of all changes together, on what `metric` names. Null where there is no interval: then the saving is an estimate. */
  effect: effectSchema.nullable(),
  metric: z.enum(["gpu_seconds_per_token", "paid_gpu_seconds_per_token", "usd"]),
  savings: z.strictObject({
    capacityUsdMonth: money.describe("worth of accelerator time that is no longer needed"),
    cashUsdMonth: money.describe("what is no longer paid"),
  }),
  provenance: z.enum(PROVENANCES),
  evidence: z.strictObject({
    /** What the choice was made on, and what it was judged on. */
    chosenOn: text,
    judgedOn: text,
    traceIds: z.array(z.string().regex(/^[0-9a-f]{32}$/)).max(50),
    because: text.optional().describe("why it was looked for, in the words of who filed it"),
    /** For plots: the verdict whole, as its maker has it. */
    verdict: z.record(z.string(), z.unknown()).nullable(),
  }),
  risks: z.array(text).max(20),
  apply: z.array(z.strictObject({ engine: name, text, cannot: z.array(text).max(30), undo: text })).max(20),
});
export type RecommendationInput = z.infer<typeof recommendationInputSchema>;

/** Predicted against realised, after it was applied. */
export const realisedSchema = z.strictObject({
  effect: effectSchema,
  requests: z.int().min(1),
  from: instant,
  to: instant,
});
export type Realised = z.infer<typeof realisedSchema>;

/** What stands in a name's place where a policy accepted. */
const POLICY = "policy ";

export const stepInputSchema = z.strictObject({
  /** The person who takes the step. */
  by: name.refine((by) => !by.toLowerCase().startsWith(POLICY), `must be a person's name: ${POLICY}… are policies`),
  note: text.default(""),
});

export const recommendationSchema = recommendationInputSchema.extend({
  id: z.string(),
  state: z.enum(RECOMMENDATION_STATES),
  proposedBy: z.string().describe("the key that filed it"),
  proposedAt: instant,
  steps: z.array(
    z.object({
      step: z.enum(RECOMMENDATION_STEPS),
      by: z.string().describe("the person who took it"),
      actor: z.string().describe("the key that it was said with"),
      note: z.string(),
      at: instant,
    }),
  ),
  realised: realisedSchema
    .extend({ isWithinInterval: z.boolean().nullable().describe("null where there was no interval") })
    .nullable(),
});
export type Recommendation = z.infer<typeof recommendationSchema>;

/** Whether what came is within what was said. */
export const isWithin = (
  { share: realised }: { share: number },
  said: z.infer<typeof effectSchema> | null,
): boolean | null => (said === null ? null : said.low <= realised && realised <= said.high);

export type RecommendationStore = {
  /** Newest first, of one state or of all. */
  listRecommendations(workspace: string, state: RecommendationState | null, most: number): Promise<Recommendation[]>;
  /** `not_found`. */
  readRecommendation(workspace: string, id: string): Promise<Recommendation>;
  proposeRecommendation(workspace: string, input: RecommendationInput, actor: string): Promise<Recommendation>;
  /** One step on its way, in the audit log with who took it. `not_found`, or `conflict` where it can't be taken. */
  stepRecommendation(workspace: string, id: string, step: TakenStep): Promise<Recommendation>;
};

export type TakenStep = { by: string; note: string; actor: string } & (
  | { step: Exclude<RecommendationStep, "verified"> }
  | { step: "verified"; realised: Realised }
);

/** What was asked of a simulation and what came of it. */
export const simulationSchema = z.object({
  id: z.string(),
  state: z.enum(["done", "refused"]),
  config: z.record(z.string(), z.unknown()),
  workload: z.record(z.string(), z.unknown()),
  result: z
    .object({
      hitRate: z.number(),
      ttftMs: z.record(z.string(), z.number()).nullable(),
      tpotMs: z.record(z.string(), z.number()).nullable(),
      tokensPerS: z.number(),
      costPerMillionTokensUsd: money.nullable(),
    })
    .nullable(),
  calibration: z.record(z.string(), z.unknown()).nullable(),
  refused: z.array(z.object({ reason: z.string(), message: z.string(), collect: z.string() })),
  provenance: z.literal("simulated"),
  createdAt: instant,
});
export type SimulationRecord = z.infer<typeof simulationSchema>;

export type SimulationStore = {
  insertSimulation(
    workspace: string,
    simulation: Omit<SimulationRecord, "id" | "createdAt">,
  ): Promise<SimulationRecord>;
  /** `not_found`. */
  readSimulation(workspace: string, id: string): Promise<SimulationRecord>;
};

/**
 * What may be applied without a person's word: of these subjects, recommendations that change no other knobs than these and
 * whose interval lies below zero. There is none unless somebody made it.
 */
export const acceptancePolicySchema = z.strictObject({
  name,
  knobs: z.array(name).min(1).max(30),
  subjects: z.array(name).min(1).max(100).optional().describe("all when absent"),
});
export type AcceptancePolicy = z.infer<typeof acceptancePolicySchema>;

/** Who accepts by it, as it is kept with the step. */
export const nameApprover = ({ name: policy }: AcceptancePolicy): string => `${POLICY}${policy}`;

export const findPolicy = (
  policies: readonly AcceptancePolicy[],
  { subject, changes, effect }: Pick<RecommendationInput, "subject" | "changes" | "effect">,
): AcceptancePolicy | null =>
  policies.find(
    ({ knobs, subjects }) =>
      (subjects === undefined || subjects.includes(subject)) &&
      effect !== null &&
      effect.high < 0 &&
      changes.every(({ knob }) => knobs.includes(knob)),
  ) ?? null;

/** Changes are in the audit log. */
export type AcceptancePolicyStore = {
  listAcceptancePolicies(workspace: string): Promise<AcceptancePolicy[]>;
  /** In place of the one of that name. It is for what is filed from now on. */
  setAcceptancePolicy(workspace: string, policy: AcceptancePolicy, actor: string): Promise<void>;
  /** `not_found`. */
  deleteAcceptancePolicy(workspace: string, policy: string, actor: string): Promise<void>;
};
