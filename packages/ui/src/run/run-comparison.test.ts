import type { RunComparison, TraceRow } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { prepareRunComparison } from "./prepare-run-comparison.ts";

const run = (more: Partial<TraceRow> = {}): TraceRow => ({
  traceId: "a".repeat(32),
  ...{ runId: "", name: "", title: "", task: "t", taskType: "", key: "", team: "", model: "m" },
  startedAt: "2026-11-29T18:00:00.000000000Z",
  durationNs: "6100000000",
  ...{ spans: 9, calls: 12, errors: 0, costUsd: "0.005", wasteUsd: "0.001" },
  ...{ provenance: "simulated", outcome: "failed", anomalies: [] },
  ...more,
});
const buckets = {
  input: 1_000,
  cacheRead: 3_000,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  outputText: 5,
  outputReasoning: 5,
  webSearches: 0,
};
const place = (spanId: string) => ({ traceId: "a".repeat(32), spanId });
const turn = (spanId: string, costUsd: string | null, tools: string[] = []) => ({
  ...{ number: "1", ...place(spanId), costUsd, promptTokens: 1_200, outputTokens: 3, calls: 1, tools },
});

const WALKED: NonNullable<RunComparison["walked"]> = {
  turnCount: [2, 1],
  listedFrom: 0,
  turns: [
    [turn("1a", "0.004", ["read", "read", "edit"]), turn("1b", null)],
    [turn("2a", "0.001"), null],
  ],
  parting: { at: 1, by: ["ended_second"], beforeUsd: ["0.004", "0"], fromUsd: ["0.001", "0"] },
  time: [
    { kind: "tools", seconds: [3, 1] },
    { kind: "harness", seconds: [0.5, 0.5] },
  ],
  tools: [{ tool: "read", calls: [2, 0], failed: [1, 0], seconds: [0.2, 0], first: [place("r"), null] }],
};

const COMPARISON: RunComparison = {
  runs: [
    run(),
    run({
      traceId: "b".repeat(32),
      durationNs: "2300000000",
      calls: 6,
      costUsd: "0.0125",
      wasteUsd: null,
      outcome: "passed",
    }),
  ],
  differenceUsd: "0.0075",
  buckets: [buckets, { ...buckets, input: 4_000, cacheRead: 0 }],
  meters: [
    { meter: "input", costUsd: ["0.001", "0.01"], differenceUsd: "0.009" },
    { meter: "cache_read", costUsd: ["0.0015", "0"], differenceUsd: "-0.0015" },
  ],
  models: [{ model: "m", calls: [12, 6], costUsd: ["0.005", "0.0125"], differenceUsd: "0.0075" }],
  causes: [
    {
      ...{ cause: "failed_attempt", title: "Failed attempt", layer: "harness", kind: "failed" },
      ...{
        costUsd: ["0.0045", "0"],
        differenceUsd: "-0.0045",
        seconds: [0, 0],
        calls: [12, 0],
        proof: [place("f"), null],
      },
    },
  ],
  walked: WALKED,
};

const figuresOf = (comparison: RunComparison) =>
  Object.fromEntries(
    prepareRunComparison(comparison).figures.map(({ id, values, difference }) => [id, [...values, difference]]),
  );

describe("two runs side by side", () => {
  it("say how much B cost more, and of each figure what it is in both", () => {
    const view = prepareRunComparison(COMPARISON);
    expect(view).toMatchObject({ sense: "more", size: "$0.0075", growth: "+150.0%", difference: "+$0.0075" });
    expect(figuresOf(COMPARISON)).toEqual({
      cost: ["$0.0050", "$0.0125", "+$0.0075"],
      // Of B nothing but its cost is known.
      repeated: ["$0.0010", "–", null],
      failed: ["$0.0045", "$0.0000", "−$0.0045"],
      calls: ["12", "6", "−6"],
      turns: ["2", "1", "−1"],
      toolCalls: ["2", "0", "−2"],
      duration: ["6.1 s", "2.3 s", "−3.8 s"],
      prompt: ["4,000", "4,000", "0"],
      cached: ["75.0%", "0.0%", null],
      output: ["10", "10", "0"],
    });
  });

  it("tell of the difference what it is made of, with bars on one axis", () => {
    const { meters, causes } = prepareRunComparison(COMPARISON);
    expect(meters).toMatchObject([
      {
        meter: "input",
        tokens: ["1,000", "4,000"],
        costs: ["$0.0010", "$0.0100"],
        difference: "+$0.0090",
        bar: { leftPct: 50, widthPct: 50 },
      },
      {
        meter: "cache_read",
        tokens: ["3,000", "0"],
        difference: "−$0.0015",
        bar: { leftPct: expect.closeTo(41.667, 2) },
      },
    ]);
    expect(causes).toMatchObject([
      { cause: "failed_attempt", bar: { leftPct: 25, widthPct: 25 }, places: [{ spanId: "f" }, null] },
    ]);
  });

  it("go turn by turn to where they part", () => {
    const { walk } = prepareRunComparison(COMPARISON);
    expect(walk?.turns).toMatchObject([
      {
        isParting: false,
        sides: [
          {
            cost: "$0.0040",
            barPct: 100,
            tokens: "1,200",
            tools: [
              { name: "read", times: 2 },
              { name: "edit", times: 1 },
            ],
          },
          { cost: null, barPct: 0, tools: [] },
        ],
      },
      { isParting: true, sides: [{ cost: "$0.0010", barPct: 25 }, null] },
    ]);
    expect(walk?.parting).toEqual({
      ...{
        turn: 2,
        by: ["ended_second"],
        before: ["$0.0040", "$0.0000"],
        from: ["$0.0010", "$0.0000"],
        difference: "−$0.0010",
      },
    });
    expect(walk?.time).toMatchObject([
      { kind: "tools", seconds: ["3.0 s", "1.0 s"], difference: "−2.0 s", bar: { leftPct: 0, widthPct: 50 } },
      { kind: "harness", difference: "0", bar: { widthPct: 0 } },
    ]);
    expect(walk?.tools).toMatchObject([
      { calls: ["2", "0"], failed: [1, 0], seconds: ["200 ms", "–"], places: [{ spanId: "r" }, null] },
    ]);
    expect(walk?.notListed).toBe(0);
    expect(walk?.turns.map(({ number }) => number)).toEqual(["1", "2"]);
  });

  it("count turns from the run's first, where the listed ones begin later", () => {
    const parting = WALKED.parting && { ...WALKED.parting, at: 2_951 };
    const walked: typeof WALKED = { ...WALKED, listedFrom: 2_950, turnCount: [4_900, 4_900], parting };
    const { walk } = prepareRunComparison({ ...COMPARISON, walked });
    expect(walk?.turns.map(({ number, isParting }) => [number, isParting])).toEqual([
      ["2,951", false],
      ["2,952", true],
    ]);
    expect(walk).toMatchObject({ notListed: 4_898, parting: { turn: 2_952 } });
  });

  it.each([
    ["less", "-0.0025", "0.005", "0.0025"],
    ["same", "0", "0.005", "0.005"],
    ["unknown", null, "0.005", null],
  ])("cost %s", (sense, differenceUsd, a, b) => {
    const runs: RunComparison["runs"] = [run({ costUsd: a }), run({ costUsd: b })];
    const view = prepareRunComparison({ ...COMPARISON, runs, differenceUsd });
    expect(view.sense).toBe(sense);
    expect(view.figures[0]?.values[1]).toBe(b === null ? null : `$${Number(b).toFixed(4)}`);
  });

  it("say less where one is too large, has no calls or no end", () => {
    const runs: RunComparison["runs"] = [run({ durationNs: "-1" }), run({ calls: 0, costUsd: null })];
    const figures = figuresOf({ ...COMPARISON, runs, differenceUsd: null, walked: null, causes: [] });
    expect(Object.keys(figures)).toEqual(["cost", "repeated", "calls", "prompt", "cached", "output"]);
    expect(figures.cost).toEqual(["$0.0050", "–", null]);
  });
});
