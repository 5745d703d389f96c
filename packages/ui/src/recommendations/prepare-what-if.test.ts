import type { SimulationRecord } from "@centspan/model";
import { expect, it } from "vitest";
import { prepareWhatIf } from "./prepare-what-if.ts";

const simulation = (given: Partial<SimulationRecord> = {}): SimulationRecord => ({
  ...{ id: "s", state: "done", config: {}, workload: { requests: 60 }, calibration: null, refused: [] },
  result: {
    ...{ hitRate: 0.5, tokensPerS: 1_200, costPerMillionTokensUsd: "0.80" },
    ...{ ttftMs: { p90: 400 }, tpotMs: { p90: 20 } },
  },
  ...{ provenance: "simulated", createdAt: "2026-11-30T00:00:00Z" },
  ...given,
});

it("sets figures beside each other, with how they change", () => {
  const result = {
    hitRate: 0.6,
    ttftMs: { p90: 300 },
    tpotMs: null,
    tokensPerS: 2_400,
    costPerMillionTokensUsd: "0.40",
  };
  const { rows, requests, refused } = prepareWhatIf(simulation(), simulation({ result }));
  expect(rows).toEqual([
    { metric: "hitRate", now: "50.0%", after: "60.0%", change: "+20.0%" },
    { metric: "ttft", now: "400 ms", after: "300 ms", change: "−25.0%" },
    { metric: "tpot", now: "20.0 ms", after: "–", change: "–" },
    { metric: "tokensPerS", now: "1200", after: "2400", change: "+100.0%" },
    { metric: "perMillion", now: "$0.80", after: "$0.40", change: "−50.0%" },
  ]);
  expect([requests, refused]).toEqual([60, []]);
});

it("has no figures where one of them has none, and says why", () => {
  const refused = [{ reason: "present_unservable", message: "too small", collect: "more" }];
  expect(prepareWhatIf(simulation(), simulation({ result: null, refused }))).toMatchObject({ rows: [], refused });
});
