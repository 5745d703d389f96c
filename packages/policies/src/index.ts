export { findKvPolicy } from "./find-kv-policy.ts";
export { createLoopAwarePolicy, type LoopAwareOptions } from "./loop-aware/loop-aware-policy.ts";
export { createWaitModel, type ThreadState, type WaitModel } from "./loop-aware/wait-model.ts";
export { kvPolicies } from "./registry.gen.ts";
