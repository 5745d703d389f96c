import { defineKvPolicy } from "@centspan/model";
import { createRecencyPolicy } from "../recency-policy.ts";

export default defineKvPolicy({
  id: "lru",
  describe: "Least recently used, whatever its place in a prompt: the textbook policy, for comparison.",
  releases: "front-first",
  create: createRecencyPolicy,
});
