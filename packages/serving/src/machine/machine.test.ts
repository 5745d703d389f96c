import { parseDecimal } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { createStepTimeModel } from "../step-time.ts";
import { deriveCapacityBlocks, deriveCoefficients } from "./derive-machine.ts";
import { findStepTimePreset, STEP_TIME_PRESETS } from "./fitted-coefficients.ts";
import { findHardware, HARDWARE } from "./hardware.ts";
import { countKvBytesPerToken, findServedModel, MODELS } from "./models.ts";
import { withPipeline } from "./pipeline.ts";
import { costOfTime, costPerMillionTokens } from "./token-cost.ts";

const loadOf = (decodeSequences: number, contextTokens: number, prefillTokens = 0) => ({
  decodeSequences,
  decodeContextTokens: decodeSequences * contextTokens,
  prefillTokens,
  prefillAttentionPairs: (prefillTokens * prefillTokens) / 2,
});

describe("presets", () => {
  it("have unique ids and name a model and hardware that exist", () => {
    for (const list of [HARDWARE, MODELS, STEP_TIME_PRESETS])
      expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
    for (const preset of STEP_TIME_PRESETS) {
      expect(findServedModel(preset.model).kind).toBe("dense");
      expect(findHardware(preset.hardware).memoryBytesPerS).toBeGreaterThan(0);
    }
  });

  it("that are unknown are refused with what there is", () => {
    expect(() => findHardware("tpu")).toThrow(/known: h100/);
    expect(() => findServedModel("gpt")).toThrow(/known: llama/);
    expect(() => findStepTimePreset("fast")).toThrow(/known: llama/);
  });

  it("know how many bytes a token's keys and values take", () => {
    expect(countKvBytesPerToken(findServedModel("llama-3.1-8b"))).toBe(131_072);
    expect(countKvBytesPerToken(findServedModel("qwen3-32b"))).toBe(262_144);
  });
});

describe("a machine from data sheets", () => {
  const fitted = STEP_TIME_PRESETS.filter((preset) => preset.kind === "fitted");

  it.each(fitted.map((preset) => [preset.id, preset] as const))(
    "steps within a quarter of the fit %s where that was measured",
    (_id, preset) => {
      const derived = createStepTimeModel(
        deriveCoefficients(findServedModel(preset.model), findHardware(preset.hardware), preset.tensor),
      );
      const measured = createStepTimeModel(preset.coefficients);
      for (const sequences of [8, 32, 128]) {
        const ratio = derived(loadOf(sequences, 1_500)) / measured(loadOf(sequences, 1_500));
        expect(ratio, `${sequences} sequences`).toBeGreaterThan(0.75);
        expect(ratio, `${sequences} sequences`).toBeLessThan(1.25);
      }
    },
  );

  it("is faster in tensor parallel, but less than in proportion", () => {
    const model = findServedModel("llama-3.1-70b");
    const stepMs = [1, 2, 4, 8].map((tensor) => deriveCoefficients(model, findHardware("h100"), tensor).stepMs);
    for (const [at, ms] of stepMs.entries()) {
      if (at === 0) continue;
      expect(ms).toBeLessThan(stepMs[at - 1] ?? 0);
      expect(ms).toBeGreaterThan((stepMs[at - 1] ?? 0) / 2);
    }
  });

  it("holds what is left beside the weights, and is refused when nothing is", () => {
    const h100 = findHardware("h100");
    const blocks = deriveCapacityBlocks(
      findServedModel("llama-3.1-8b"),
      h100,
      { tensor: 1, pipeline: 1 },
      { blockTokens: 64 },
    );
    expect(blocks).toBe(Math.floor((72e9 - 16.06e9) / (64 * 131_072)));
    const tooLarge = () =>
      deriveCapacityBlocks(findServedModel("llama-3.1-70b"), h100, { tensor: 1, pipeline: 1 }, { blockTokens: 64 });
    expect(tooLarge).toThrow(/does not fit into 1 × h100/);
  });

  it("is refused for a mixture of experts", () => {
    expect(() => deriveCoefficients(findServedModel("qwen3-30b-a3b"), findHardware("h100"), 1)).toThrow(
      /mixture of experts/,
    );
  });
});

describe("pipeline stages", () => {
  const whole = createStepTimeModel(findStepTimePreset("qwen3-32b-h100-tp2").coefficients);

  it("change nothing for one sequence but the hops", () => {
    expect(withPipeline(whole, 4, 0.1)(loadOf(1, 1_000))).toBeCloseTo(whole(loadOf(1, 1_000)) + 0.4, 9);
    expect(withPipeline(whole, 1, 0.1)).toBe(whole);
  });

  it("share what grows with the batch, not the weights", () => {
    const { stepMs } = findStepTimePreset("qwen3-32b-h100-tp2").coefficients;
    const load = loadOf(64, 2_000, 512);
    expect(withPipeline(whole, 4, 0)(load) - stepMs).toBeCloseTo((whole(load) - stepMs) / 4, 9);
  });
});

describe("cost", () => {
  const hour = { hourUsd: parseDecimal("2.99"), accelerators: 2, durationNs: 3_600_000_000_000 };

  it("is exact", () => {
    expect(costOfTime(hour).toFixed()).toBe("5.98");
    expect(costPerMillionTokens(hour, 4_000_000)?.toFixed()).toBe("1.495");
    expect(costPerMillionTokens({ ...hour, durationNs: 1 }, 3)?.toFixed()).toBe("0.000000553704");
  });

  it("of no tokens is unknown, not zero", () => {
    expect(costPerMillionTokens(hour, 0)).toBeNull();
  });
});
