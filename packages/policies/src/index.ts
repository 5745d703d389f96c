export { findKvPolicy, KV_POLICIES } from "./registry.ts";
