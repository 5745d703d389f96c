/** Every KV policy, one import per file, sorted by file name. */
import { CentspanError } from "@centspan/base";
import type { KvPolicyPlugin } from "@centspan/model";
import fifo from "./fifo.ts";
import lru from "./lru.ts";
import lruLeaf from "./lru-leaf.ts";

export const KV_POLICIES: readonly KvPolicyPlugin[] = [fifo, lru, lruLeaf];

export function findKvPolicy(id: string): KvPolicyPlugin {
  const found = KV_POLICIES.find((policy) => policy.id === id);
  if (found) return found;
  const known = KV_POLICIES.map((policy) => policy.id).join(", ");
  throw new CentspanError("not_found", `no KV policy ${JSON.stringify(id)}; known: ${known}`);
}
