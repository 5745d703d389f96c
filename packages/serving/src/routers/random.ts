import { defineRouter } from "@centspan/model";

export default defineRouter({
  id: "random",
  describe: "Any replica with equal chance, from the run's seed.",
  defaults: {},
  create: ({ random }) => ({
    choose: (_request, replicas) => Math.min(replicas.length - 1, Math.floor(random() * replicas.length)),
  }),
});
