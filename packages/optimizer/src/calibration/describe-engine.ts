/**
 * An engine by what it says of itself: step times fitted on its spans, its KV size and limits as it states them, the range that
 * was observed. What is missing, mixed or not explained is a refusal with what to collect, and then there are no settings.
 */
import type { EngineFacts, EngineStep } from "@centspan/model";
import type { StepTimeCoefficients, Support } from "@centspan/serving";
import { type OptimizerRefusal, refuse } from "../verdict/refusals.ts";
import { fitSteps, type StepCalibration } from "./fit-steps.ts";

export type DescribedEngine = {
  stepTime: StepTimeCoefficients;
  support: Support;
  replicas: number;
  engine: { blockTokens: number; capacityBlocks: number; maxSequences: number; tokenBudget: number };
  policy: string;
  calibration: StepCalibration;
};

export type EngineAnswer = {
  engine: DescribedEngine | null;
  refusals: OptimizerRefusal[];
  calibration: StepCalibration | null;
};

/** `steps` and `facts` of one service. */
export function describeEngine(
  service: string,
  steps: readonly EngineStep[],
  facts: readonly EngineFacts[],
): EngineAnswer {
  const [said, ...others] = facts;
  if (said === undefined)
    return {
      engine: null,
      calibration: null,
      refusals: [refuse("calibration_failed", `no span of an engine named ${service} in this time`)],
    };
  const calibration = fitSteps(
    steps.map(({ startedAtNs, ...step }) => ({ ...step, startNs: startedAtNs })),
    { promptTokens: said.promptTokens },
  );
  const refusals = [
    ...findMixed(service, said, others),
    ...(said.capacityBlocks.length === 0
      ? [refuse("capacity_unknown", `${service} does not say how many KV blocks it holds`)]
      : []),
    ...calibration.refusals.map(({ message }) => refuse("calibration_failed", message)),
  ];
  const { coefficients, support } = calibration;
  const [[blockTokens], [capacityBlocks], [maxSequences], [tokenBudget]] = [
    said.blockTokens,
    said.capacityBlocks,
    said.maxSequences,
    said.tokenBudgets,
  ];
  const isWhole =
    refusals.length === 0 &&
    coefficients !== null &&
    support !== null &&
    blockTokens !== undefined &&
    capacityBlocks !== undefined &&
    maxSequences !== undefined &&
    tokenBudget !== undefined;
  if (!isWhole) return { engine: null, refusals, calibration };
  return {
    engine: {
      stepTime: coefficients,
      support,
      replicas: said.replicas,
      engine: { blockTokens, capacityBlocks, maxSequences, tokenBudget },
      policy: said.policies[0] ?? "lru-leaf",
      calibration,
    },
    refusals: [],
    calibration,
  };
}

/** Settings that changed within the time, and services that are several kinds at once. */
function findMixed(service: string, said: EngineFacts, others: readonly EngineFacts[]): OptimizerRefusal[] {
  const changed = (
    [
      ["KV blocks", said.capacityBlocks],
      ["tokens in a block", said.blockTokens],
      ["sequences in a batch", said.maxSequences],
      ["tokens in a step", said.tokenBudgets],
      ["eviction order", said.policies],
    ] as const
  ).filter(([, values]) => values.length > 1);
  const found = changed.map(([what, values]) =>
    refuse("mixed_engines", `${service} had several values of ${what} in this time: ${values.join(", ")}`),
  );
  if (others.length === 0) return found;
  const bases = [said, ...others].map(({ basis }) => basis).join(" and ");
  return [...found, refuse("mixed_engines", `${service} reports ${bases} times`)];
}
