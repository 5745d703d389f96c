/** NVIDIA Dynamo's frontend, which routes. What its workers do is set at the engines behind it. */
import { defineConfigExporter, type ExportedKnob } from "@centspan/model";

const MODES: Readonly<Record<string, readonly string[]>> = {
  "prefix-affinity": ["--router-mode kv"],
  "estimated-prefix": ["--router-mode kv", "--no-router-kv-events"],
  "least-load": ["--router-mode least-loaded"],
  "round-robin": ["--router-mode round-robin"],
  random: ["--router-mode random"],
};

const ofWorkers = (what: string) => (): ExportedKnob => ({
  cannot: `${what}: a setting of the workers; see vllm or sglang`,
});

export default defineConfigExporter({
  id: "dynamo",
  describe: "NVIDIA Dynamo",
  knobs: {
    router: (value) => MODES[String(value)] ?? { cannot: `router ${value}: Dynamo has none like it` },
    overlapCredit: (value) =>
      typeof value === "number" && value >= 0 && value <= 1
        ? [`--router-kv-overlap-score-credit ${value}`]
        : { cannot: `credit for what is cached: Dynamo takes 0 to 1, not ${value}` },
    prefillLoadScale: (value) => [`--router-prefill-load-scale ${value}`],
    queueWeight: () => ({
      cannot: "weight of prompt tokens in line: Dynamo counts them as prefill load, without a weight",
    }),
    decodeWeight: () => ({
      cannot: "weight of decoding blocks: 1 in Dynamo; raise --router-prefill-load-scale instead",
    }),
    activeWeight: () => ({ cannot: "weight of active requests: Dynamo counts blocks, not requests" }),
    maxSequences: ofWorkers("sequences in a batch"),
    tokenBudget: ofWorkers("tokens in a step"),
    chunkedPrefill: ofWorkers("prompts in pieces"),
    policy: ofWorkers("eviction order"),
    draftTokens: ofWorkers("draft length"),
    priorities: ofWorkers("priority classes"),
    split: () => ({ cannot: "separate prefill and decode: start workers of both kinds; the frontend finds them" }),
    replicas: () => ({ cannot: "replicas: of the worker's deployment" }),
  },
  write: (lines) => ["python -m dynamo.frontend", ...lines].join(" \\\n  "),
  notes: ["The frontend learns what workers hold anew after a restart, unless they publish KV events."],
});
