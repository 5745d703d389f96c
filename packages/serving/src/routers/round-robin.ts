import { defineRouter } from "@centspan/model";

export default defineRouter({
  id: "round-robin",
  describe: "Each replica in turn, whatever it holds or has to do.",
  defaults: {},
  create() {
    let next = 0;
    return {
      choose(_request, replicas) {
        const chosen = next % replicas.length;
        next = chosen + 1;
        return chosen;
      },
    };
  },
});
