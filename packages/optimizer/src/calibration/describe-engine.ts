/**
 * An engine by what it says of itself: step times fitted on its spans, its KV size and limits as it states them, the range that
 * was observed. What is missing, mixed or not explained is a refusal with what to collect, and then there are no settings.
 */
import type { EngineFacts, EngineStep } from "@centspan/model";
import type { SimulationConfig, StepTimeCoefficients, Support } from "@centspan/serving";
import { type OptimizerRefusal, refuse } from "../verdict/refusals.ts";
import { type DraftedStep, fitDrafts } from "./fit-drafts.ts";
import { fitSteps, type StepCalibration } from "./fit-steps.ts";

export type DescribedEngine = {
  stepTime: StepTimeCoefficients;
  support: Support;
  replicas: number;
  engine: { blockTokens: number; capacityBlocks: number; maxSequences: number; tokenBudget: number };
  policy: string;
  /** Null where spans don't say it. */
  router: string | null;
  chunkedPrefill: boolean | null;
  speculation: SimulationConfig["speculation"];
  calibration: StepCalibration;
};

export type EngineAnswer = {
  engine: DescribedEngine | null;
  refusals: OptimizerRefusal[];
  calibration: StepCalibration | null;
};

/** What the spans of one service say in one time. */
export type EngineSpans = { steps: readonly EngineStep[]; facts: readonly EngineFacts[] };

/**
 * `machine`: another time, whose steps tell the step times: steps that draft say nothing of the machine alone, and a batch that is
 * always small nothing of larger ones.
 */
export function describeEngine(service: string, spans: EngineSpans, machine: EngineSpans = spans): EngineAnswer {
  const of = <T extends { service: string }>(rows: readonly T[]): T[] => rows.filter((row) => row.service === service);
  const [said, ...others] = of(spans.facts);
  const [onMachine] = of(machine.facts);
  if (said === undefined || onMachine === undefined)
    return {
      engine: null,
      calibration: null,
      refusals: [refuse("calibration_failed", `no span of an engine named ${service} in this time`)],
    };
  const calibration = fitSteps(of(machine.steps).map(toObserved), {
    promptTokens: [
      Math.min(said.promptTokens[0], onMachine.promptTokens[0]),
      Math.max(said.promptTokens[1], onMachine.promptTokens[1]),
    ],
  });
  const drafting = describeDrafts(said, of(spans.steps), calibration);
  const refusals = [
    ...findMixed(service, said, others),
    ...(said.capacityBlocks.length === 0
      ? [refuse("capacity_unknown", `${service} does not say how many KV blocks it holds`)]
      : []),
    ...calibration.refusals.map(({ message }) => refuse("calibration_failed", message)),
    ...(drafting === "unknown"
      ? [
          refuse(
            "calibration_failed",
            `${service} proposes draft tokens, in too few steps to tell how many are accepted`,
          ),
        ]
      : []),
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
    drafting !== "unknown" &&
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
      router: said.routers[0] ?? null,
      chunkedPrefill: said.chunkedPrefill[0] ?? null,
      speculation: drafting,
      calibration,
    },
    refusals: [],
    calibration,
  };
}

/** What an engine says of itself comes before what a file says of it. */
export function mergeEngine(config: SimulationConfig, said: DescribedEngine): SimulationConfig {
  const { stepTime, replicas, policy, engine, router, chunkedPrefill, speculation } = said;
  return {
    ...config,
    stepTime,
    replicas,
    policy,
    engine: { ...config.engine, ...engine, ...(chunkedPrefill !== null && { chunkedPrefill }) },
    ...(router !== null && router !== config.router.id && { router: { id: router, settings: {} } }),
    ...(speculation !== null && { speculation }),
  };
}

export const toObserved = ({ startedAtNs, ...step }: EngineStep): DraftedStep => ({ ...step, startNs: startedAtNs });

/** As the steps tell it; null where nothing is proposed. */
function describeDrafts(
  { draftTokens: [said = "0"] }: EngineFacts,
  steps: readonly EngineStep[],
  { coefficients }: StepCalibration,
): SimulationConfig["speculation"] | "unknown" {
  const draftTokens = Number(said);
  // Of lengths that change with the load each step says its own: what is proposed at most is what is known.
  const most = Number.isNaN(draftTokens)
    ? Math.max(0, ...steps.map((step) => Math.ceil(step.draftedTokens / Math.max(1, step.decodeSequences))))
    : draftTokens;
  if (most === 0 || coefficients === null) return null;
  const draft = fitDrafts(steps.map(toObserved), coefficients, most);
  if (draft === null) return "unknown";
  const observed = { ...draft, acceptance: [...draft.acceptance] };
  return { drafts: [observed], draftTokens: Number.isNaN(draftTokens) ? "auto" : draftTokens };
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
      ["the router", said.routers],
      ["draft tokens", said.draftTokens],
      ["prompts in pieces", said.chunkedPrefill],
    ] as const
  ).filter(([, values]) => values.length > 1);
  const found = changed.map(([what, values]) =>
    refuse("mixed_engines", `${service} had several values of ${what} in this time: ${values.join(", ")}`),
  );
  if (others.length === 0) return found;
  const bases = [said, ...others].map(({ basis }) => basis).join(" and ");
  return [...found, refuse("mixed_engines", `${service} reports ${bases} times`)];
}
