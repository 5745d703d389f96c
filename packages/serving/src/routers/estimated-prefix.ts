/**
 * The same cost as prefix-affinity, but what a replica holds is guessed from what was sent there: nobody tells this router
 * of evictions. It remembers so many blocks a replica, least recently sent first out.
 */
import { defineRouter, type KvBlockId } from "@centspan/model";
import { chooseLowest } from "../choose-lowest.ts";
import { createPrefixCost, PREFIX_COST_DEFAULTS } from "../prefix-cost.ts";

/** Far below what any block costs. */
const TIE_BREAK = 1e-9;

export default defineRouter({
  id: "estimated-prefix",
  describe: "Prefix affinity by what was sent where, without news from the caches.",
  // Conversations stay where they began. Where they begin, how many are there counts, since of their load little is seen.
  defaults: { ...PREFIX_COST_DEFAULTS, activeWeight: 3, rememberedBlocks: 31_250 },
  create({ settings }) {
    const costOf = createPrefixCost(settings);
    const most = settings.rememberedBlocks ?? Number.POSITIVE_INFINITY;
    const sent: Set<KvBlockId>[] = [];

    const countSent = (index: number, keys: readonly KvBlockId[]): number => {
      const known = sent[index];
      const firstMiss = known ? keys.findIndex((key) => !known.has(key)) : 0;
      return firstMiss === -1 ? keys.length : firstMiss;
    };

    const remember = (index: number, keys: readonly KvBlockId[]): void => {
      sent[index] ??= new Set();
      const known = sent[index];
      for (const key of keys) {
        // A set keeps the order in which keys came: the first is the one not sent for longest.
        known.delete(key);
        known.add(key);
      }
      for (const oldest of known) {
        if (known.size <= most) break;
        known.delete(oldest);
      }
    };

    return {
      choose(request, replicas) {
        // Of equals the one that was sent least: what is new goes where it displaces least.
        const chosen = chooseLowest(
          replicas,
          (replica, index) =>
            costOf(request, replica, countSent(index, request.blockKeys)) + (sent[index]?.size ?? 0) * TIE_BREAK,
        );
        remember(chosen, request.blockKeys);
        return chosen;
      },
    };
  },
});
