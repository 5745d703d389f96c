/**
 * Cost terms as in NVIDIA Dynamo's KV router: what is left to prefill after the blocks that are there, what decodes there
 * already, and a weight per active request. With the two load terms at 0 it shows the known failure: when everybody shares
 * a system prompt, the replica that had it first gets all traffic.
 */
import { defineRouter } from "@centspan/model";
import { chooseLowest } from "../choose-lowest.ts";
import { createPrefixCost, PREFIX_COST_DEFAULTS } from "../prefix-cost.ts";

export default defineRouter({
  id: "prefix-affinity",
  describe:
    "The lowest cost of prefill left after the blocks its cache really holds, decoding blocks, and active requests.",
  defaults: PREFIX_COST_DEFAULTS,
  create({ settings }) {
    const costOf = createPrefixCost(settings);
    return {
      choose: (request, replicas) =>
        chooseLowest(replicas, (replica) => costOf(request, replica, replica.countHits(request.blockKeys))),
    };
  },
});
