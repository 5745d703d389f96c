export { findKvPolicy } from "./find-kv-policy.ts";
export { kvPolicies } from "./registry.gen.ts";
