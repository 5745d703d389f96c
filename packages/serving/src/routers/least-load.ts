import { defineRouter } from "@centspan/model";
import { chooseLowest } from "../choose-lowest.ts";

export default defineRouter({
  id: "least-load",
  describe: "The replica with the fewest requests in line and under way, each counted once more for slower machines.",
  defaults: {},
  create: () => ({
    choose: (_request, replicas) =>
      chooseLowest(replicas, (replica) => (replica.waiting() + replica.running() + 1) / replica.speed),
  }),
});
