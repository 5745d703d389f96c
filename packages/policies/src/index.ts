export { findKvPolicy } from "./find-kv-policy.ts";
export { createLoopAwarePolicy, type LoopAwareOptions } from "./loop-aware/loop-aware-policy.ts";
export {
  BY_BEST_RATE,
  BY_RETURN_TIME,
  createWaitModel,
  type WaitModel,
  type WaitRule,
} from "./loop-aware/wait-model.ts";
export { kvPolicies } from "./registry.gen.ts";
