/** Hit rate by capacity of a trace's prompts: what the cache alone could do, without an engine in the way. */
import type { KvPolicyPlugin } from "@centspan/model";
import type { Prompt } from "../cache-replay/prompt.ts";
import { replayAccesses, replayChains } from "../cache-replay/replay.ts";
import type { TraceRequest } from "../workloads/trace-request.ts";

export type HitRatePoint = { capacityBlocks: number; hitRate: number };
export type HitRateCurve = { policy: string; points: HitRatePoint[] };

/** Leading blocks found, as engines find them; `optimum` counts what the offline optimum would have kept of all blocks. */
export function traceHitRates(
  trace: readonly TraceRequest[],
  {
    policies,
    optimum,
    capacities,
  }: { policies: readonly KvPolicyPlugin[]; optimum: KvPolicyPlugin; capacities: readonly number[] },
): HitRateCurve[] {
  const prompts = trace.map(({ blockKeys, arrivalNs }): Prompt => ({ keys: blockKeys, atNs: arrivalNs }));
  const curveOf = (policy: KvPolicyPlugin, replay: typeof replayChains, foresight: boolean): HitRateCurve => ({
    policy: policy.id,
    points: capacities.map((capacityBlocks) => {
      const { hits, accesses } = replay(prompts, { capacityBlocks, policy, foresight });
      return { capacityBlocks, hitRate: accesses === 0 ? 0 : hits / accesses };
    }),
  });
  return [...policies.map((policy) => curveOf(policy, replayChains, false)), curveOf(optimum, replayAccesses, true)];
}

/** Round capacities from a hundredth of the distinct blocks to all of them, about three a decade. */
export function chooseCapacities(trace: readonly TraceRequest[]): number[] {
  const distinct = new Set(trace.flatMap(({ blockKeys }) => blockKeys)).size;
  const capacities: number[] = [];
  for (let decade = 10; decade < 10 * distinct; decade *= 10)
    for (const step of [1, 2, 5]) {
      const capacity = decade * step;
      if (capacity >= distinct / 200 && capacity < distinct) capacities.push(capacity);
    }
  return [...capacities, Math.max(1, distinct)];
}
