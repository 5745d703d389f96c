/** A KV policy by its id. */
import { CentspanError } from "@centspan/base";
import type { KvPolicyPlugin } from "@centspan/model";
import { kvPolicies } from "./registry.gen.ts";

export function findKvPolicy(id: string): KvPolicyPlugin {
  const found = kvPolicies.find((policy) => policy.id === id);
  if (found) return found;
  const known = kvPolicies.map((policy) => policy.id).join(", ");
  throw new CentspanError("not_found", `no KV policy ${JSON.stringify(id)}; known: ${known}`);
}
