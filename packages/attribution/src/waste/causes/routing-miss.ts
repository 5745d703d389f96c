import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "routing_miss",
  title: "Routing miss",
  describe: "The request went to another replica than the one that held its prompt.",
  remedy: "Route by prefix, and keep replicas of one model in one pool.",
  layer: "api",
  kind: "repeated",
  rank: 140,
  find: (run) => findMisses(run, "routed"),
});
