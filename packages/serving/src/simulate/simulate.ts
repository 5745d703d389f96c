/** A workload on a cluster, and what it came to. The same arguments give the same result to the last byte. */
import { type ClusterSpec, type RunOptions, runCluster } from "./run-cluster.ts";
import { type Price, type SimulationResult, summarise } from "./summarise.ts";
import type { Workload } from "./workload.ts";

export function simulate(
  cluster: ClusterSpec,
  workload: Workload,
  { price = null, ...options }: RunOptions & { price?: Price | null } = {},
): SimulationResult {
  return summarise(runCluster(cluster, workload, options), price);
}
