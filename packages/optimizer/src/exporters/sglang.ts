/** SGLang, `python -m sglang.launch_server`. Flags as of its server arguments. */
import { defineConfigExporter } from "@centspan/model";

const EVICTION: Readonly<Record<string, string>> = { "lru-leaf": "lru", lru: "lru", lfu: "lfu", slru: "slru" };

export default defineConfigExporter({
  id: "sglang",
  describe: "SGLang",
  knobs: {
    maxSequences: (value) => [`--max-running-requests ${value}`],
    // It counts prompts alone: who decodes is beside them, not in them.
    tokenBudget: (value) => [`--chunked-prefill-size ${value}`],
    chunkedPrefill: (value) => (value === true ? [] : ["--chunked-prefill-size -1"]),
    priorities: (value) => (value === true ? ["--enable-priority-scheduling"] : []),
    policy: (value) => {
      const known = EVICTION[String(value)];
      if (known !== undefined) return [`--radix-eviction-policy ${known}`];
      return { cannot: `eviction order ${value}: SGLang has lru, lfu, slru and priority` };
    },
    capacityBlocks: (value, { blockTokens }) =>
      typeof value === "number" ? [`--max-total-tokens ${value * blockTokens}`] : [],
    hostBlocks: (value) =>
      value === 0
        ? []
        : {
            cannot: "host memory: --enable-hierarchical-cache sizes it in GB (--hicache-size), which the model decides",
          },
    draftTokens: (value) => {
      if (value === 0) return [];
      if (value === "auto") return { cannot: "draft length by load: state a number of tokens" };
      return [`--speculative-draft-model-path DRAFT_MODEL`, `--speculative-num-draft-tokens ${value}`];
    },
    replicas: () => ({ cannot: "replicas: start as many servers, or --dp-size within one" }),
    router: () => ({ cannot: "router: its own router is a process before the servers" }),
  },
  write: (lines, { model }) => [`python -m sglang.launch_server`, `--model-path ${model}`, ...lines].join(" \\\n  "),
  notes: ["Restart one replica at a time; each begins with an empty cache."],
});
