import { formatDecimal, parseDecimal } from "@centspan/base";
import { EMPTY_BUCKETS, type Evaluation, recommendationInputSchema } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { adviseEvaluations } from "./advise-evaluations.ts";
import { adviseShapes, type PricedShape } from "./advise-shapes.ts";

const usd = parseDecimal;
const shape = (given: Partial<PricedShape> = {}): PricedShape => ({
  ...{
    key: "nightly",
    provider: "openai",
    model: "m-large",
    serviceTier: "",
    taskType: "",
    effort: "",
    calls: 1_000,
    sessions: 40,
  },
  ...{ costUsd: usd("304.375"), buckets: EMPTY_BUCKETS, usualOutput: 400, outputBeyond: 0 },
  ...{ isWaitedFor: true, listUsd: usd("304.375"), patient: { tier: "batch", usd: usd("152.1875") } },
  ...{ smaller: { model: "m-small", usd: usd("30.4375") }, outputUsdPerMillion: usd("10") },
  ...given,
});
const advise = (...shapes: PricedShape[]) =>
  adviseShapes(shapes, { days: 30 }).map(({ changes: [change], savings }) => [
    change?.knob,
    change?.proposed,
    savings.cashUsdMonth,
  ]);

describe("advice from how calls look", () => {
  it("moves what nobody waits for to the cheaper tier, for what the list says, by the month", () => {
    expect(advise(shape({ isWaitedFor: false }))).toEqual([["serviceTier", "batch", "154.41"]]);
    // Half of what was charged, whatever was agreed on.
    expect(advise(shape({ isWaitedFor: false, costUsd: usd("152.1875") }))).toEqual([["serviceTier", "batch", "77.2"]]);
  });

  it("caps answers far beyond all others, and hands closed sets to a smaller model", () => {
    expect(advise(shape({ outputBeyond: 2_000_000 }))).toEqual([["maxOutputTokens", "1600", "20.29"]]);
    expect(advise(shape({ usualOutput: 4 }))).toEqual([["model", "m-small", "277.93"]]);
  });

  it("lowers the effort of what the same key asks at a lower one too, by the thought that its answers take there", () => {
    const at = (effort: string, outputReasoning: number, given: Partial<PricedShape> = {}) =>
      shape({ effort, buckets: { ...EMPTY_BUCKETS, outputReasoning }, ...given });
    // 2,000 tokens an answer less, of 1,000 answers.
    expect(advise(at("high", 2_500_000), at("low", 500_000))).toEqual([["reasoningEffort", "low", "20.29"]]);
    expect(advise(at("", 2_500_000), at("low", 250_000, { calls: 500 }))[0]).toEqual([
      "reasoningEffort",
      "low",
      "20.29",
    ]);
    for (const other of [{ calls: 199 }, { key: "another" }, { model: "m-small" }, { taskType: "plan" }])
      expect(advise(at("high", 2_500_000), at("low", 500_000, other))).toEqual([]);
    expect(advise(at("high", 500_000), at("low", 500_000))).toEqual([]);
  });

  it.each([
    ["somebody waits", shape()],
    ["they are at that tier", shape({ isWaitedFor: false, serviceTier: "batch" })],
    ["no tier is cheaper", shape({ isWaitedFor: false, patient: null })],
    ["nothing is known of prices", shape({ isWaitedFor: false, listUsd: null })],
    ["they are too few to say", shape({ isWaitedFor: false, calls: 199 })],
    ["it saves less than a dollar a month", shape({ isWaitedFor: false, costUsd: usd("1.9") })],
    ["it is the smallest model", shape({ usualOutput: 4, smaller: { model: "m-large", usd: usd("1") } })],
  ])("says nothing where %s", (_why, one) => {
    expect(advise(one)).toEqual([]);
  });

  it("can be filed as it is, dearest first", () => {
    const advised = adviseShapes([shape({ usualOutput: 4 }), shape({ isWaitedFor: false, key: "" })], { days: 30 });
    expect(advised.map(({ subject }) => subject)).toEqual(["nightly", "no key"]);
    for (const one of advised) expect(recommendationInputSchema.parse(one)).toEqual(one);
  });
});

describe("advice from evaluations", () => {
  const cost = (costPerPassUsd: string | null) => ({
    ...{ group: "", spendUsd: "1", tasks: 60, passed: 58, failed: 2, unknown: 0, pending: 0, costPerPassUsd },
    ...{ interval: null, pendingBounds: null, coverage: "1.0000000000", simulatedShare: "0.0000000000" },
    ...{ passRate: "0.9666666667", passRateInterval: null },
  });
  const way = (name: string, verdict: "meets" | "not_shown", perPass: string | null) => ({
    ...{ way: name, verdict, moreTasks: null, cost: cost(perPass) },
  });
  const evaluation = (cheapest: string | null): unknown => ({
    set: { name: "fixes", tasks: ["a"], minPassRate: 0.9 },
    ways: [
      way("m-large, high", "meets", "0.40"),
      way("m-small, high", "meets", "0.10"),
      way("m-tiny", "not_shown", "0.01"),
    ],
    ...{ cheapest, summary: "" },
  });
  const isEvaluation = (value: unknown): value is Evaluation => typeof Object(value).set === "object";
  const adviseOf = (value: unknown, spend: [string, string][]) =>
    isEvaluation(value) ? adviseEvaluations([value], new Map(spend.map(([model, text]) => [model, usd(text)]))) : [];

  it("puts the cheapest way that is shown to pass in the place of a dearer one, for what that costs here", () => {
    const [one, ...others] = adviseOf(evaluation("m-small, high"), [["m-large", "200"]]);
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      changes: [{ now: "m-large, high", proposed: "m-small, high" }],
      savings: { cashUsdMonth: formatDecimal(usd("150")) },
      provenance: "estimated",
    });
    expect(recommendationInputSchema.parse(one)).toEqual(one);
  });

  it("says nothing where none is shown to be cheapest, or nobody uses the dearer one", () => {
    expect(adviseOf(evaluation(null), [["m-large", "200"]])).toEqual([]);
    expect(adviseOf(evaluation("m-small, high"), [["m-small", "200"]])).toEqual([]);
  });
});
