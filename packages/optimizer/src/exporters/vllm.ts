/** vLLM, `vllm serve`. Flags as of its engine arguments; the eviction order of its block pool is fixed. */
import { defineConfigExporter } from "@centspan/model";

const count = (flag: string) => (value: string | number | boolean) => [`${flag} ${value}`];

export default defineConfigExporter({
  id: "vllm",
  describe: "vLLM",
  knobs: {
    maxSequences: count("--max-num-seqs"),
    tokenBudget: count("--max-num-batched-tokens"),
    chunkedPrefill: (value) => [value === true ? "--enable-chunked-prefill" : "--no-enable-chunked-prefill"],
    priorities: (value) => [`--scheduling-policy ${value === true ? "priority" : "fcfs"}`],
    policy: (value) =>
      value === "lru-leaf"
        ? ["--enable-prefix-caching"]
        : { cannot: `eviction order ${value}: vLLM evicts the least recently used blocks, and has no setting for it` },
    capacityBlocks: () => ({
      cannot:
        "KV blocks: --num-gpu-blocks-override is for tests; the cache is what --gpu-memory-utilization leaves beside the weights",
    }),
    hostBlocks: () => ({
      cannot: "host memory: a KV connector (--kv-transfer-config) has to be installed and set up for it",
    }),
    draftTokens: (value) => {
      if (value === 0) return [];
      if (value === "auto") return { cannot: "draft length by load: vLLM proposes a fixed number of tokens" };
      return [
        `--speculative-config '{"method": "draft_model", "model": "DRAFT_MODEL", "num_speculative_tokens": ${value}}'`,
      ];
    },
    replicas: () => ({ cannot: "replicas: start as many servers" }),
    router: () => ({ cannot: "router: vLLM serves; who chooses among servers stands before it" }),
  },
  write: (lines, { model }) => [`vllm serve ${model}`, ...lines].join(" \\\n  "),
  notes: ["Restart one replica at a time; each begins with an empty cache."],
});
