/**
 * For the API tier, whose work is counted in CPU: machines of several generations side by side, each with a share of the
 * requests in proportion to its speed raised to `sharpness`, smoothly interleaved.
 */
import { defineRouter } from "@centspan/model";

export default defineRouter({
  id: "generation-weighted",
  describe: "Shares by the speed of each machine's CPU generation, whatever is in line.",
  defaults: { sharpness: 2 },
  create({ settings }) {
    const sharpness = settings.sharpness ?? 2;
    const credits: number[] = [];
    return {
      choose(_request, replicas) {
        let total = 0;
        let chosen = 0;
        for (const [index, replica] of replicas.entries()) {
          const weight = replica.speed ** sharpness;
          total += weight;
          credits[index] = (credits[index] ?? 0) + weight;
          if ((credits[index] ?? 0) > (credits[chosen] ?? 0)) chosen = index;
        }
        credits[chosen] = (credits[chosen] ?? 0) - total;
        return chosen;
      },
    };
  },
});
