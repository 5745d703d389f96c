/** `prefillLoadScale · max(0, prefill blocks − overlap credit) + decode blocks + w · active`, for routers that know prefixes. */
import type { ReplicaView, RoutedRequest } from "@centspan/model";

export const PREFIX_COST_DEFAULTS = {
  prefillLoadScale: 1,
  /** Credit for a block that is there, in blocks of prefill. */
  overlapCredit: 1,
  /** Weight of prompt tokens that others still have to compute there; most of them will be found in its cache. */
  queueWeight: 0.3,
  /** A decoding block costs much less of a step than a block of prefill. */
  decodeWeight: 0.1,
  activeWeight: 0,
  /** How much more than in proportion a slower replica is spared: its work also holds up whoever is in line behind it. */
  speedSharpness: 2,
} as const;

export type PrefixCost = (request: RoutedRequest, replica: ReplicaView, hitBlocks: number) => number;

export function createPrefixCost(settings: Readonly<Record<string, number>>): PrefixCost {
  const read = (name: keyof typeof PREFIX_COST_DEFAULTS): number => settings[name] ?? PREFIX_COST_DEFAULTS[name];
  const scale = read("prefillLoadScale");
  const credit = read("overlapCredit");
  const queueWeight = read("queueWeight");
  const decodeWeight = read("decodeWeight");
  const activeWeight = read("activeWeight");
  const sharpness = read("speedSharpness");
  return ({ promptTokens, blockTokens }, replica, hitBlocks) => {
    const prefillBlocks = (promptTokens + queueWeight * replica.queuedTokens()) / blockTokens;
    const prefill = scale * Math.max(0, prefillBlocks - credit * hitBlocks);
    const active = replica.waiting() + replica.running();
    return (prefill + decodeWeight * replica.activeBlocks() + activeWeight * active) / replica.speed ** sharpness;
  };
}
