/**
 * An engine that reports requests and no steps (vLLM, SGLang): its step times by replaying what it served, fitted on earlier requests
 * and checked on later ones. What such an engine does not say of itself has to be stated: KV size and limits come from its
 * configuration, never from the fit. What no coefficients explain is refused, and so are limits that were stated wrong.
 */
import type { ServedRequest } from "@centspan/model";
import { findKvPolicy } from "@centspan/policies";
import {
  calibrate,
  findServedModel,
  type MeasuredRequest,
  type MeasuredRun,
  measureError,
  pairUp,
  type ReplayError,
  replayRun,
  type ServingRequest,
  type SimulationConfig,
  type StepTimeCoefficients,
  type Support,
} from "@centspan/serving";
import { type OptimizerRefusal, refuse } from "../verdict/refusals.ts";

export type ServedCalibration = {
  coefficients: StepTimeCoefficients | null;
  /** On the requests that were not fitted; null where none were fitted. */
  heldOut: ReplayError | null;
  support: Support;
  requests: number;
};

export type ServedEngine = {
  /** Null where there are refusals. */
  config: SimulationConfig | null;
  /** As a share of the time of a whole answer. */
  modelError: number | null;
  refusals: OptimizerRefusal[];
  calibration: ServedCalibration | null;
};

/** Replays of so many take seconds: the earlier half is fitted, the later half checks. */
const MOST_REPLAYED = 800;
/** In percent of the measured mean. */
const MOST_MEAN_ERROR = 3;

/**
 * `served` and `requests` are the same requests in order of arrival, as spans and as the simulator takes them. `stated` is what
 * was asked for, before defaults: what is missing of it is named.
 */
export function describeServed(
  service: string,
  served: readonly ServedRequest[],
  requests: readonly ServingRequest[],
  { config, stated }: { config: SimulationConfig; stated: unknown },
): ServedEngine {
  const refused = (calibration: ServedCalibration | null, ...refusals: OptimizerRefusal[]): ServedEngine => ({
    config: null,
    modelError: null,
    refusals,
    calibration,
  });
  const missing = findMissing(service, stated);
  if (missing !== null) return refused(null, missing);
  const replicas = new Set(served.map(({ replica }) => replica));
  const run = toRun(served, requests, config);
  const fitRequests = Math.floor(run.requests.length / 2);
  const policy = findKvPolicy(config.policy);
  const { coefficients, refusals } = calibrate(run, policy, fitRequests);
  const heldOut =
    coefficients === null ? null : measureError(pairUp(run, replayRun(run, coefficients, policy)).slice(fitRequests));
  const calibration = { coefficients, heldOut, support: measureSupport(run), requests: run.requests.length };
  const found = [...refusals.map(({ message }) => refuse("calibration_failed", message)), ...checkHeldOut(heldOut)];
  if (coefficients === null || heldOut === null || found.length > 0)
    return refused({ ...calibration, coefficients: null }, ...found);
  return {
    config: { ...config, stepTime: coefficients, replicas: replicas.size },
    modelError: Math.abs(heldOut.e2e.meanPercent) / 100,
    refusals: [],
    calibration,
  };
}

const LIMITS = ["blockTokens", "capacityBlocks", "maxSequences", "tokenBudget"] as const;

function findMissing(service: string, stated: unknown): OptimizerRefusal | null {
  const { engine } = Object(stated);
  const missing = LIMITS.filter((name) => typeof Object(engine)[name] !== "number").map((name) => `engine.${name}`);
  if (missing.length === 0) return null;
  return refuse(
    "capacity_unknown",
    `${service} reports requests, and not its limits: state ${missing.join(", ")} as it was started with`,
  );
}

/** Of the replica that served most: how others queued says nothing of its queue. */
function toRun(
  served: readonly ServedRequest[],
  requests: readonly ServingRequest[],
  { engine, model }: SimulationConfig,
): MeasuredRun {
  const counts = new Map<string, number>();
  for (const { replica } of served) counts.set(replica, (counts.get(replica) ?? 0) + 1);
  const [busiest] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), ["", 0]);
  const firstNs = served[0]?.arrivedAtNs ?? 0n;
  const toNs = (ns: bigint): number => Number(ns - firstNs);
  const measured = served.flatMap((one, at): MeasuredRequest[] => {
    const request = requests[at];
    if (one.replica !== busiest || request === undefined) return [];
    // In order of arrival, as such engines serve unless they are told otherwise.
    const { priority: _, ...inLine } = request;
    return [{ ...inLine, firstTokenNs: toNs(one.firstTokenAtNs), finishedNs: toNs(one.endedAtNs) }];
  });
  return {
    requests: measured.slice(0, MOST_REPLAYED),
    config: { ...engine, capacityBlocks: engine.capacityBlocks ?? 0 },
    engine: { kind: findServedModel(model).kind, dataParallel: 1 },
  };
}

/** Prompts as long as they were, and as many sequences at a time as were answered at one. */
function measureSupport({ requests }: MeasuredRun): Support {
  const prompts = requests.map(({ promptTokens }) => promptTokens);
  const moves = requests
    .flatMap(({ firstTokenNs, finishedNs }) => [
      { atNs: firstTokenNs, by: 1 },
      { atNs: finishedNs, by: -1 },
    ])
    .sort((a, b) => a.atNs - b.atNs || a.by - b.by);
  let [open, most] = [0, 1];
  for (const { by } of moves) {
    open += by;
    most = Math.max(most, open);
  }
  const spread = (values: readonly number[]): readonly [number, number] => [
    values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    values.reduce((greatest, value) => Math.max(greatest, value), 0),
  ];
  return { sequences: [1, most], promptTokens: spread(prompts) };
}

function checkHeldOut(heldOut: ReplayError | null): OptimizerRefusal[] {
  if (heldOut === null) return [];
  const off = Object.entries(heldOut).filter(([, { meanPercent }]) => !(Math.abs(meanPercent) <= MOST_MEAN_ERROR));
  if (off.length === 0) return [];
  const said = off.map(([metric, { meanPercent }]) => `${metric} ${meanPercent.toFixed(1)}%`).join(", ");
  return [refuse("calibration_failed", `on later requests the fit is off by more than ${MOST_MEAN_ERROR}%: ${said}`)];
}
