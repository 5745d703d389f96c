/**
 * A schedule of agents against one cache and one policy: the leading resident blocks of each request are its hits. A
 * policy that keeps a request's own chain makes room before the chain comes in; one that may bypass gets the whole chain
 * and gives back the worst of all blocks, those of the request among them.
 */
import type { KvPolicyPlugin, KvThreadEvent } from "@centspan/model";
import { createTier, type KvTier } from "../kv-tier.ts";
import type { AgentEvent, AgentSchedule } from "./agent-schedule.ts";
import { readNextRequests } from "./next-uses.ts";
import type { ReplayResult } from "./replay.ts";

export type AgentReplayOptions = {
  capacityBlocks: number;
  policy: KvPolicyPlugin;
  mayBypass: boolean;
  /** Tells the policy when each block is used next: for offline optima. */
  foresight?: boolean;
};

type Request = Extract<AgentEvent, { kind: "requested" }>;

export function replayAgents({ events }: AgentSchedule, options: AgentReplayOptions): ReplayResult {
  const { capacityBlocks, policy, mayBypass, foresight } = options;
  const prompts = events.filter((event) => event.kind === "requested");
  const spareBlocks = mayBypass ? prompts.reduce((most, { keys }) => Math.max(most, keys.length), 0) : 0;
  const tier = createTier(capacityBlocks, policy, spareBlocks);
  const nextUses = foresight ? readNextRequests(prompts) : null;
  /** Where the blocks of each thread were last: a chain extends the one before it, mostly. */
  const lastChains = new Map<number, readonly number[]>();
  let hits = 0;
  let accesses = 0;
  for (const event of events) {
    const { atNs } = event;
    if (event.kind === "requested") {
      const most = mayBypass ? event.keys.length : Math.min(event.keys.length, capacityBlocks);
      const { chain, hitBlocks } = bringIn(tier, event, {
        most,
        roomBlocks: capacityBlocks + spareBlocks,
        guesses: lastChains.get(event.thread) ?? [],
        nextUses: nextUses?.subarray(accesses, accesses + event.keys.length),
      });
      lastChains.set(event.thread, chain);
      tier.tellThread(toThreadEvent(event, chain));
      tier.unpin(chain, atNs);
      while (tier.size() > capacityBlocks) tier.evict(atNs, null);
      hits += hitBlocks;
      accesses += event.keys.length;
    } else {
      if (event.isLast) lastChains.delete(event.thread);
      tier.tellThread(toThreadEvent(event));
    }
  }
  return { hits, accesses };
}

/** What a policy hears of an event. The last answer of a thread ends it. */
export function toThreadEvent(event: AgentEvent, chain?: readonly number[]): KvThreadEvent {
  const thread = { runId: event.run, threadId: event.thread, atNs: event.atNs };
  if (event.kind === "requested")
    return chain ? { kind: "requested", ...thread, chain } : { kind: "requested", ...thread };
  return event.isLast ? { kind: "ended", ...thread } : { kind: "waiting", ...thread, waitsFor: event.waitsFor };
}

type Room = { most: number; roomBlocks: number; guesses: readonly number[]; nextUses: Float64Array | undefined };

/** Pins the chain of a request, making room where there is none. */
function bringIn(tier: KvTier, { keys, atNs }: Request, room: Room): { chain: number[]; hitBlocks: number } {
  const { most, roomBlocks, guesses, nextUses } = room;
  const chain: number[] = [];
  let hitBlocks = most;
  for (let depth = 0; depth < most; depth += 1) {
    const key = keys[depth] ?? 0;
    const known = tier.find(key, guesses[depth]);
    if (known >= 0) {
      if (nextUses) tier.foretell(known, nextUses[depth] ?? 0);
      tier.pin(known, atNs);
      chain.push(known);
      continue;
    }
    hitBlocks = Math.min(hitBlocks, depth);
    if (tier.size() === roomBlocks) tier.evict(atNs, key);
    chain.push(tier.insert(key, depth, atNs, nextUses?.[depth]));
  }
  return { chain, hitBlocks };
}
