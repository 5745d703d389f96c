import { describe, expect, it } from "vitest";
import { exportConfig, exportEverywhere, findExporter } from "./export-config.ts";
import { configExporters } from "./registry.gen.ts";
import { KNOB_IDS, type KnobValue } from "./settings/knobs.ts";
import type { Change } from "./settings/space.ts";

const CONTEXT = { model: "Qwen/Qwen3-32B", blockTokens: 64, router: "random" };

const VALUES: Record<(typeof KNOB_IDS)[number], readonly [KnobValue, KnobValue]> = {
  machine: ["one", "two"],
  replicas: [2, 4],
  split: ["none", "1+3"],
  policy: ["fifo", "lru-leaf"],
  capacityBlocks: [1_000, 2_000],
  hostBlocks: [0, 4_000],
  maxSequences: [16, 64],
  tokenBudget: [2_048, 8_192],
  chunkedPrefill: [false, true],
  router: ["random", "prefix-affinity"],
  queueWeight: [0.3, 1],
  decodeWeight: [0.1, 1],
  activeWeight: [0, 1],
  draftTokens: [8, 2],
  priorities: [false, true],
};
const changeOf = (knob: (typeof KNOB_IDS)[number]): Change => ({ knob, from: VALUES[knob][0], to: VALUES[knob][1] });

describe("every exporter", () => {
  it.each(configExporters.flatMap((exporter) => KNOB_IDS.map((knob) => [exporter.id, knob] as const)))(
    "%s says %s, or that it can't",
    (id, knob) => {
      const { text, cannot, notes } = exportConfig(findExporter(id), [changeOf(knob)], CONTEXT);
      // A switch that is on by default needs no flag; all else is either a command or words.
      expect(text !== "" || cannot.length > 0 || ["chunkedPrefill", "priorities"].includes(knob)).toBe(true);
      expect(text === "" || cannot.length === 0).toBe(true);
      expect(notes.length).toBeGreaterThan(0);
    },
  );

  it("has an id of its own and names each knob that there is, or none", () => {
    expect(new Set(configExporters.map(({ id }) => id)).size).toBe(configExporters.length);
    const router = ["overlapCredit", "prefillLoadScale"];
    for (const { knobs } of configExporters)
      expect(
        Object.keys(knobs).filter((knob) => !KNOB_IDS.some((id) => id === knob) && !router.includes(knob)),
      ).toEqual([]);
  });

  it("is refused by a name that is none", () => {
    expect(() => findExporter("tgi")).toThrow(/known: centspan, dynamo, llm-d, sglang, vllm/);
  });
});

describe("a recommendation of several settings", () => {
  const changes = [changeOf("policy"), changeOf("maxSequences"), changeOf("tokenBudget"), changeOf("router")];
  const [centspan, dynamo, llmD, sglang, vllm] = exportEverywhere(changes, CONTEXT);

  it("is a command for vLLM, but for what it can't do, and one that undoes it", () => {
    expect(vllm?.text).toBe(
      "vllm serve Qwen/Qwen3-32B \\\n  --enable-prefix-caching \\\n  --max-num-seqs 64 \\\n  --max-num-batched-tokens 8192",
    );
    expect(vllm?.undo).toBe("vllm serve Qwen/Qwen3-32B \\\n  --max-num-seqs 16 \\\n  --max-num-batched-tokens 2048");
    expect(vllm?.cannot).toEqual([expect.stringContaining("router")]);
    const other = exportConfig(findExporter("vllm"), [{ knob: "policy", from: "lru-leaf", to: "loop-aware" }], CONTEXT);
    expect(other).toMatchObject({ text: "", undo: "", cannot: [expect.stringContaining("loop-aware")] });
  });

  it("is one for SGLang, Dynamo and llm-d in their own terms", () => {
    expect(sglang?.text).toContain("--radix-eviction-policy lru");
    expect(sglang?.text).toContain("--max-running-requests 64");
    expect(dynamo?.text).toBe("python -m dynamo.frontend \\\n  --router-mode kv");
    expect(dynamo?.cannot).toHaveLength(3);
    expect(llmD?.text).toContain("  - pluginRef: precise-prefix-cache-scorer\n    weight: 3");
  });

  it("is taken by our engine while it runs", () => {
    expect(centspan?.text).toContain(
      '{"policy": "lru-leaf", "maxSequences": 64, "tokenBudget": 8192, "router": {"id": "prefix-affinity"}}',
    );
    expect(centspan?.cannot).toEqual([]);
    const weights = exportConfig(findExporter("centspan"), [{ knob: "queueWeight", from: 0.3, to: 1 }], CONTEXT);
    expect(weights.text).toContain(`{"router": {"id": "random", "settings": {"queueWeight": 1}}}`);
    expect(weights.undo).toContain(`"queueWeight": 0.3`);
  });
});
