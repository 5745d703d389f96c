/** A measured workload replayed on a model of its engine, and how far the two are apart. */
import type { KvPolicyPlugin } from "@centspan/model";
import { runCluster, type SimulatedRequest } from "../simulate/run-cluster.ts";
import { createOpenLoop } from "../simulate/workload.ts";
import { createStepTimeModel, type StepTimeCoefficients } from "../step-time.ts";
import { METRICS, type MeasuredRequest, type MeasuredRun, type Metric, READ_NS } from "./measured-run.ts";

/** In percent of the measured mean: of the means' difference, and of the mean absolute difference. */
export type MetricError = { meanPercent: number; absolutePercent: number };
export type ReplayError = Record<Metric, MetricError>;

/** The first `count` of the requests, all of them unless said otherwise, replayed among all others; in their order. */
export function replayRun(
  run: MeasuredRun,
  coefficients: StepTimeCoefficients,
  policy: KvPolicyPlugin,
  count = run.requests.length,
): SimulatedRequest[] {
  const wanted = new Set(run.requests.slice(0, count).map(({ id }) => id));
  let left = wanted.size;
  const isEnough = ({ id }: SimulatedRequest): boolean => {
    if (wanted.has(id)) left -= 1;
    return left === 0;
  };
  const replica = { config: run.config, policy, stepTime: createStepTimeModel(coefficients) };
  const { requests } = runCluster({ replicas: [replica] }, createOpenLoop(run.requests), { isEnough });
  const byId = new Map(requests.map((request) => [request.id, request]));
  return run.requests.slice(0, count).flatMap(({ id }) => byId.get(id) ?? []);
}

export type Pair = { measured: MeasuredRequest; replayed: SimulatedRequest };

export function pairUp(run: MeasuredRun, replayed: readonly SimulatedRequest[]): Pair[] {
  return run.requests.flatMap((measured, at) => {
    const one = replayed[at];
    return one ? [{ measured, replayed: one }] : [];
  });
}

export function measureError(pairs: readonly Pair[]): ReplayError {
  const errorOf = (metric: Metric): MetricError => {
    let [measuredNs, replayedNs, apartNs] = [0, 0, 0];
    for (const pair of pairs) {
      const [expected, got] = [READ_NS[metric](pair.measured), READ_NS[metric](pair.replayed)];
      if (Number.isNaN(expected)) continue;
      measuredNs += expected;
      replayedNs += got;
      apartNs += Math.abs(got - expected);
    }
    return {
      meanPercent: (100 * (replayedNs - measuredNs)) / measuredNs,
      absolutePercent: (100 * apartNs) / measuredNs,
    };
  };
  return { ttft: errorOf(METRICS[0]), tpot: errorOf(METRICS[1]), e2e: errorOf(METRICS[2]) };
}
