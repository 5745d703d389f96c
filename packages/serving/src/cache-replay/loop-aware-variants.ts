/**
 * Loop-aware eviction as a study of recorded sessions needs it: with waits learned from the other half of the sessions
 * beforehand, so that no run is judged by its own future; and without any waits, for what the run's end and superseded
 * suffixes are worth alone (threads then go in order of their last request).
 */
import { defineKvPolicy, type KvPolicyPlugin } from "@centspan/model";
import {
  BY_BEST_RATE,
  BY_RETURN_TIME,
  createLoopAwarePolicy,
  createWaitModel,
  type WaitModel,
  type WaitRule,
} from "@centspan/policies";
import type { AgentSchedule } from "./agent-schedule.ts";
import { toThreadEvent } from "./replay-agents.ts";

/** Runs of even number are judged by the waits of odd ones, and the other way round. */
export function createCrossFittedLoopAware(schedule: AgentSchedule, rule: WaitRule = BY_RETURN_TIME): KvPolicyPlugin {
  const models = { even: createWaitModel(rule), odd: createWaitModel(rule) };
  const half = (runId: string | number, offset: number): WaitModel =>
    (Number(runId) + offset) % 2 === 0 ? models.even : models.odd;
  learnWaits(schedule, (runId) => half(runId, 1));
  return defineKvPolicy({
    id: rule === BY_BEST_RATE ? "loop-aware-by-best-rate" : "loop-aware-cross-fitted",
    describe: "Loop-aware with the waits of the other half of the sessions, known from the start.",
    releases: "tail-first",
    create: (blocks) => createLoopAwarePolicy(blocks, { model: (runId) => half(runId, 0), learns: false }),
  });
}

export const endsAndSupersededFirst: KvPolicyPlugin = defineKvPolicy({
  id: "ends-superseded-first",
  describe: "Ended runs and superseded suffixes first, then the thread whose last request is longest ago.",
  releases: "tail-first",
  create(blocks) {
    const nothing = createWaitModel();
    return createLoopAwarePolicy(blocks, { model: () => nothing, learns: false });
  },
});

/** Plays the threads to a policy that holds no blocks. */
function learnWaits({ events }: AgentSchedule, model: (runId: string | number) => WaitModel): void {
  const policy = createLoopAwarePolicy(
    {
      capacityBlocks: 1,
      slotCount: 1,
      keys: [],
      depths: new Uint32Array(1),
      evictable: new Uint8Array(1),
      nextUses: new Float64Array(1),
      expiresNs: new Float64Array(1),
    },
    { model, learns: true },
  );
  for (const event of events) policy.onThread?.(toThreadEvent(event));
}
