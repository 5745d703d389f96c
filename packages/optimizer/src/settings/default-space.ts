/** What is worth trying where nobody says it: values around the usual ones, of what engines can change without new hardware. */
import { kvPolicies } from "@centspan/policies";
import { routers } from "@centspan/serving";
import type { KnobValue, Settings } from "./knobs.ts";

/** Belady's needs the future, and a lifetime is a setting of its own. */
const NOT_TRIED = new Set(["belady", "ttl"]);

export function createDefaultSpace({ replicas, speculation }: Settings): Record<string, KnobValue[]> {
  return {
    policy: kvPolicies.map(({ id }) => id).filter((id) => !NOT_TRIED.has(id)),
    maxSequences: [8, 16, 32, 64, 128, 256],
    tokenBudget: [1_024, 2_048, 4_096, 8_192, 16_384],
    chunkedPrefill: [true, false],
    ...(replicas > 1
      ? {
          router: routers.map(({ id }) => id).filter((id) => id !== "generation-weighted"),
          queueWeight: [0.1, 0.3, 1],
          activeWeight: [0, 3],
        }
      : {}),
    ...(speculation === null ? {} : { draftTokens: [0, 1, 2, 4, 8] }),
  };
}
