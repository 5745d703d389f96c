/** A workload on a cluster, and what it came to. The same arguments give the same result to the last byte. */
import { type ClusterSpec, type RunOptions, runCluster } from "./run-cluster.ts";
import { type SimulationResult, type SummaryOptions, summarise } from "./summarise.ts";
import type { Workload } from "./workload.ts";

export function simulate(
  cluster: ClusterSpec,
  workload: Workload,
  { price, support, ...options }: RunOptions & SummaryOptions = {},
): SimulationResult {
  return summarise(runCluster(cluster, workload, options), { price: price ?? null, support: support ?? null });
}
