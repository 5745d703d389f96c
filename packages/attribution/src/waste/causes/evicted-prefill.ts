import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "evicted_prefill",
  title: "Evicted and re-prefilled",
  describe: "The prompt had been computed where the request went, and its cache had let it go.",
  remedy: "Give the cache more room or another eviction policy; tell it of ends and long waits.",
  layer: "inference",
  kind: "repeated",
  rank: 150,
  find: (run) => findMisses(run, "evicted"),
});
