import { defineKvPolicy } from "@centspan/model";
import { createLoopAwarePolicy } from "../loop-aware/loop-aware-policy.ts";
import { createWaitModel } from "../loop-aware/wait-model.ts";

export default defineKvPolicy({
  id: "loop-aware",
  describe: "Knows agents: ended runs and superseded suffixes first, then the thread least likely to be back soon.",
  releases: "tail-first",
  create(blocks) {
    const model = createWaitModel();
    return createLoopAwarePolicy(blocks, { model: () => model, learns: true });
  },
});
