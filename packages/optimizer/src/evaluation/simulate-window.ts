/** A window of traffic on the cluster that settings describe, and what else is asked of such a run. */
import {
  type BuiltCluster,
  buildCluster,
  findCoefficients,
  runCluster,
  type ServingRequest,
  type SimulatedRequest,
  type SimulationRun,
  type StepTimeCoefficients,
} from "@centspan/serving";
import type { Settings } from "../settings/knobs.ts";
import { createWorkload, type WatchedWorkload, type Window } from "../traffic/traffic.ts";

export type SimulatedWindow = BuiltCluster & {
  run: SimulationRun;
  /** In order of arrival; those that only fill the caches come first. */
  arrivals: readonly SimulatedRequest[];
  seen: readonly ServingRequest[];
  priorityOf: WatchedWorkload["priorityOf"];
  isClosed: boolean;
  coefficients: StepTimeCoefficients;
  acceleratorsEach: number;
};

/** The traffic's blocks are the engine's. Throws what `buildCluster` and `runCluster` throw of settings that can't work. */
export function simulateWindow({ priorities, ...config }: Settings, { traffic }: Window): SimulatedWindow {
  const sized = { ...config, engine: { ...config.engine, blockTokens: traffic.blockTokens } };
  const built = buildCluster(sized);
  const { workload, priorityOf, seen } = createWorkload(traffic, priorities);
  const run = runCluster(built.cluster, workload);
  return {
    ...built,
    run,
    arrivals: [...run.requests].sort((a, b) => a.arrivalNs - b.arrivalNs),
    seen,
    priorityOf,
    isClosed: workload.isClosed,
    coefficients: findCoefficients(sized),
    acceleratorsEach: config.tensorParallel * config.pipelineParallel,
  };
}
