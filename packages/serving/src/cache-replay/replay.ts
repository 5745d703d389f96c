/**
 * Replays of prompts against one cache, without a clock or an engine: what published hit-rate tables measure. Requests
 * come one after the other in the order given, block ids front to back.
 * `replayAccesses` counts every block that is resident when its turn comes, in a cache without pins. `replayChains` does
 * what engines do: it counts the leading resident blocks, holds the request's own chain, and adds what is missing.
 */
import type { KvPolicyPlugin } from "@centspan/model";
import { createTier } from "../kv-tier.ts";
import { readNextAccesses, readNextRequests } from "./next-uses.ts";
import type { Prompt } from "./prompt.ts";

export type ReplayOptions = {
  capacityBlocks: number;
  policy: KvPolicyPlugin;
  /** Tells the policy when each block is used next: for offline optima. */
  foresight?: boolean;
  /** Chains only: the request's own blocks may go too, all at once when it has been served, and not just older ones. */
  mayBypass?: boolean;
};
export type ReplayResult = { hits: number; accesses: number };

export function replayAccesses(prompts: readonly Prompt[], options: ReplayOptions): ReplayResult {
  const tier = createTier(options.capacityBlocks, options.policy);
  const nextUses = options.foresight ? readNextAccesses(prompts) : null;
  let hits = 0;
  let accesses = 0;
  for (const { keys, atNs } of prompts) {
    for (let depth = 0; depth < keys.length; depth += 1) {
      const key = keys[depth] ?? 0;
      const nextUse = nextUses?.[accesses] ?? Number.POSITIVE_INFINITY;
      accesses += 1;
      const slot = tier.find(key);
      if (slot >= 0) {
        hits += 1;
        tier.foretell(slot, nextUse);
        tier.touch(slot, atNs);
      } else {
        if (tier.size() === options.capacityBlocks) tier.evict(atNs, key);
        tier.unpin([tier.insert(key, depth, atNs, nextUse)], atNs);
      }
    }
  }
  return { hits, accesses };
}

export function replayChains(prompts: readonly Prompt[], options: ReplayOptions): ReplayResult {
  const { capacityBlocks, policy, foresight, mayBypass } = options;
  const spareBlocks = mayBypass ? prompts.reduce((most, { keys }) => Math.max(most, keys.length), 0) : 0;
  const roomBlocks = capacityBlocks + spareBlocks;
  const tier = createTier(capacityBlocks, policy, spareBlocks);
  const nextUses = foresight ? readNextRequests(prompts) : null;
  let hits = 0;
  let accesses = 0;
  for (const { keys, atNs } of prompts) {
    const chain: number[] = [];
    // A prompt longer than the cache keeps what fits of its front.
    const most = Math.min(keys.length, roomBlocks);
    for (let depth = 0; depth < most; depth += 1) {
      const slot = tier.find(keys[depth] ?? 0);
      if (slot < 0) break;
      if (nextUses) tier.foretell(slot, nextUses[accesses + depth] ?? 0);
      tier.pin(slot, atNs);
      chain.push(slot);
    }
    hits += chain.length;
    for (let depth = chain.length; depth < most; depth += 1) {
      const key = keys[depth] ?? 0;
      // Its front went and came back; under policies that leave orphans the rest may still be there.
      const known = tier.find(key);
      if (known >= 0) tier.pin(known, atNs);
      else if (tier.size() === roomBlocks) tier.evict(atNs, key);
      chain.push(known >= 0 ? known : tier.insert(key, depth, atNs, nextUses?.[accesses + depth]));
    }
    tier.unpin(chain, atNs);
    while (tier.size() > capacityBlocks) tier.evict(atNs, null);
    accesses += keys.length;
  }
  return { hits, accesses };
}
