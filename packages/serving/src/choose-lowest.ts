/** The index with the lowest cost, the first of equals. */
import type { ReplicaView } from "@centspan/model";

export function chooseLowest(
  replicas: readonly ReplicaView[],
  costOf: (replica: ReplicaView, index: number) => number,
): number {
  let chosen = 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [index, replica] of replicas.entries()) {
    const cost = costOf(replica, index);
    if (cost < lowest) [chosen, lowest] = [index, cost];
  }
  return chosen;
}
