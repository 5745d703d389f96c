/**
 * Recommendations for who rents models, from how calls look: those that nobody waits for at a cheaper tier, answers far longer
 * than all others with a cap, answers of a few tokens with a smaller model, and a lower effort where the same work is done with it
 * too. Prices come from whoever has them, by list; what can't
 * be known without trying is an estimate, and says what to try.
 */
import { type Decimal, formatDecimal, parseDecimal, ZERO } from "@centspan/base";
import type { CallShape, RecommendationInput } from "@centspan/model";

export type PricedShape = CallShape & {
  /** A person waits, or not, as the key's rules say. */
  isWaitedFor: boolean;
  /** The same calls by list at the tier that they have; null where they have no price. */
  listUsd: Decimal | null;
  /** At the cheapest of the provider's tiers for work that nobody waits for. */
  patient: { tier: string; usd: Decimal } | null;
  /** With the cheapest of the provider's models that is used here too. */
  smaller: { model: string; usd: Decimal } | null;
  outputUsdPerMillion: Decimal | null;
};

/** Below that, chance decides what is usual. */
const FEWEST_CALLS = 200;
/** Labels, verdicts, names of tools: what a closed set of answers takes. */
const CLOSED_SET_TOKENS = 16;
const LEAST_USD = parseDecimal("1");
const MILLIONTH = parseDecimal("0.000001");

export type ShapeOptions = {
  /** The shapes are of so long. */
  days: number;
};

const MONTH_DAYS = "30.4375";

export function adviseShapes(shapes: readonly PricedShape[], { days }: ShapeOptions): RecommendationInput[] {
  const perMonth = parseDecimal(MONTH_DAYS).div(parseDecimal(String(days)));
  return shapes
    .filter(({ calls }) => calls >= FEWEST_CALLS)
    .flatMap((shape) =>
      [advisePatience(shape), adviseCap(shape), adviseClosedSet(shape), adviseEffort(shape, shapes)].flatMap(
        (one) => one ?? [],
      ),
    )
    .map((advice) => ({ ...advice, saved: advice.saved.times(perMonth) }))
    .filter(({ saved }) => saved.gte(LEAST_USD))
    .toSorted((a, b) => (a.saved.gt(b.saved) ? -1 : a.saved.eq(b.saved) ? 0 : 1))
    .map((advice) => toRecommendation(advice, days));
}

type Advice = {
  shape: PricedShape;
  saved: Decimal;
  title: string;
  knob: string;
  now: string;
  proposed: string;
  risk: string;
  how: string;
  undo: string;
  provenance: RecommendationInput["provenance"];
};

const nameOf = ({ key, model, taskType }: CallShape): string =>
  `${model} for ${key === "" ? "no key" : key}${taskType === "" ? "" : `, ${taskType}`}`;

/** Of what was charged, the part that the list says another way to be served would have spared. */
const sparedOf = ({ costUsd, listUsd }: PricedShape, usd: Decimal): Decimal =>
  listUsd === null || listUsd.lte(ZERO) || usd.gte(listUsd) ? ZERO : costUsd.times(listUsd.minus(usd)).div(listUsd);

function advisePatience(shape: PricedShape): Advice | null {
  const { patient, isWaitedFor, serviceTier } = shape;
  if (isWaitedFor || patient === null || patient.tier === serviceTier) return null;
  return {
    ...{ shape, saved: sparedOf(shape, patient.usd), provenance: "derived" },
    title: `Nobody waits for ${nameOf(shape)}: tier ${patient.tier}`,
    ...{ knob: "serviceTier", now: serviceTier === "" ? "standard" : serviceTier, proposed: patient.tier },
    risk: "answers may take hours: what else waits for this work has to be known",
    how: `ask the provider for the tier ${patient.tier} in these requests`,
    undo: "ask for the tier of before",
  };
}

function adviseCap(shape: PricedShape): Advice | null {
  const { outputBeyond, usualOutput, outputUsdPerMillion } = shape;
  if (outputBeyond === 0 || usualOutput === 0 || outputUsdPerMillion === null) return null;
  const cap = 4 * usualOutput;
  return {
    ...{ shape, provenance: "estimated" },
    saved: parseDecimal(String(outputBeyond)).times(outputUsdPerMillion).times(MILLIONTH),
    title: `Answers of ${nameOf(shape)} capped at ${cap} tokens`,
    ...{ knob: "maxOutputTokens", now: "unlimited", proposed: String(cap) },
    risk: `nineteen in twenty answers have at most ${usualOutput} tokens; one that needs more is cut off`,
    how: `centspan keys rules with {"maxOutputTokens": ${cap}} for the key`,
    undo: "the rule without maxOutputTokens",
  };
}

function adviseClosedSet(shape: PricedShape): Advice | null {
  const { usualOutput, smaller, model } = shape;
  if (usualOutput > CLOSED_SET_TOKENS || smaller === null || smaller.model === model) return null;
  return {
    ...{ shape, saved: sparedOf(shape, smaller.usd), provenance: "estimated" },
    title: `Answers of a few tokens: ${nameOf(shape)} to ${smaller.model} or a classifier`,
    ...{ knob: "model", now: model, proposed: smaller.model },
    risk: "whether it answers as well is not known: make an evaluation set first, and compare pass rates",
    how: `an evaluation set of such calls with ${model} and ${smaller.model}; then a rule routes for the key`,
    undo: "the key's rule without the route",
  };
}

/** Of the same key, model and type of task, at another effort: whose answers took less thought. */
function adviseEffort(shape: PricedShape, all: readonly PricedShape[]): Advice | null {
  const { key, provider, model, serviceTier, taskType, effort, calls, outputUsdPerMillion } = shape;
  if (outputUsdPerMillion === null) return null;
  const others = all.filter(
    (other) =>
      other !== shape &&
      other.calls >= FEWEST_CALLS &&
      [other.key, other.provider, other.model, other.serviceTier, other.taskType].join() ===
        [key, provider, model, serviceTier, taskType].join(),
  );
  const least = others.reduce((best, other) => (thoughtOf(other) < thoughtOf(best) ? other : best), shape);
  const spared = Math.round(calls * (thoughtOf(shape) - thoughtOf(least)));
  if (least === shape || spared <= 0) return null;
  const say = (level: string): string => (level === "" ? "the model's own" : level);
  return {
    ...{ shape, provenance: "estimated" },
    saved: parseDecimal(String(spared)).times(outputUsdPerMillion).times(MILLIONTH),
    title: `${nameOf(shape)}: effort ${say(least.effort)} in place of ${say(effort)}`,
    ...{ knob: "reasoningEffort", now: say(effort), proposed: say(least.effort) },
    risk: `at ${say(least.effort)} ${Math.round(thoughtOf(least))} tokens of thought an answer, here ${Math.round(thoughtOf(shape))}: whether as much passes is not known before pass rates are compared`,
    how: `an evaluation set of such tasks with both efforts; then a rule sets the effort for the key's role or task type`,
    undo: "the key's rule without the effort",
  };
}

/** Reasoning tokens an answer. */
const thoughtOf = ({ buckets, calls }: CallShape): number => buckets.outputReasoning / calls;

function toRecommendation({ shape, saved, ...advice }: Advice, days: number): RecommendationInput {
  const cash = formatDecimal(saved.round(2, 2));
  return {
    kind: "spend",
    subject: (shape.key === "" ? "no key" : shape.key).slice(0, 200),
    title: advice.title.slice(0, 200),
    changes: [{ knob: advice.knob, now: advice.now, proposed: advice.proposed, effect: null }],
    effect: null,
    metric: "usd",
    savings: { capacityUsdMonth: "0", cashUsdMonth: cash },
    provenance: advice.provenance,
    evidence: {
      chosenOn: `${shape.calls} calls of the last ${days} days, ${formatDecimal(shape.costUsd.round(2, 2))} USD`,
      judgedOn: "nothing was tried: the saving is by list prices, at the same pace",
      traceIds: [],
      verdict: null,
    },
    risks: [advice.risk],
    apply: [{ engine: "agents", text: advice.how, cannot: [], undo: advice.undo }],
  };
}
