import type { CohortRow, Comparison, Returns } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { makeOutcomeRow } from "../ledger/testing-rows.ts";
import { prepareComparison } from "./prepare-comparison.ts";
import { prepareReturns } from "./prepare-returns.ts";

const cohort = (group: string, rest: Partial<CohortRow> = {}): CohortRow => ({
  ...makeOutcomeRow(group),
  ...{ passRate: "0.6250000000", passRateInterval: { low: "0.3057", high: "0.8632" } },
  ...rest,
});
const comparison: Comparison = {
  a: cohort("payments", {
    costPerPassUsd: "58.27",
    interval: { lowUsd: "52.1", highUsd: "65.5", level: 0.95, method: "bootstrap" },
  }),
  b: cohort("search", { costPerPassUsd: "53.87", interval: null }),
  costPerPass: { value: "-4.4", low: "-12.6", high: "3.9", level: 0.95 },
  passRate: { value: "0.029", low: "-0.036", high: "0.094", level: 0.95 },
  reverted: { value: "-0.044", low: "-0.077", high: null, level: 0.95 },
  ...{ verdict: "not_shown", passRateVerdict: "not_shown", moreTasks: 2200, summary: "" },
};

describe("two cohorts", () => {
  const view = prepareComparison(comparison);

  it("says every difference with its sign and both ends, money to the cent and shares in points", () => {
    expect(view.costPerPass).toEqual({ value: "−$4.40", isLess: true, size: "$4.40", low: "−$12.60", high: "+$3.90" });
    expect(view.passRate).toMatchObject({ value: "+2.9", isLess: false, low: "−3.6", high: "+9.4" });
    expect(view.reverted).toMatchObject({ value: "−4.4", high: null });
    expect(prepareComparison({ ...comparison, costPerPass: null }).costPerPass).toBeNull();
  });

  it("puts both on one axis, and their shares with intervals", () => {
    expect(view.a).toMatchObject({ passRate: "62.5%", passRateInterval: "30.6–86.3%", spend: "$10.00" });
    expect(view.a.whisker).toMatchObject({ kind: "point", highPct: (65.5 / view.axis.max) * 100 });
    expect(view.b.whisker).toMatchObject({ pointPct: (53.87 / view.axis.max) * 100 });
  });
});

describe("what further spend bought", () => {
  const returns: Returns = {
    byAttempt: [
      { attempt: 1, tasks: 100, morePasses: 50, spendUsd: "100", costPerFurtherPassUsd: "2" },
      { attempt: 2, tasks: 50, morePasses: 10, spendUsd: "60", costPerFurtherPassUsd: "6" },
      { attempt: 5, tasks: 40, morePasses: 0, spendUsd: "40", costPerFurtherPassUsd: null },
    ],
    byGroup: [
      {
        group: "thrifty",
        tasks: 50,
        passed: 30,
        spendUsd: "50",
        spendPerTaskUsd: "1",
        passRate: "0.6",
        costPerPassUsd: "1.67",
        spendTimes: "1",
        passRateGain: "0",
        costPerFurtherPassUsd: null,
        summary: "",
      },
      {
        group: "lavish",
        tasks: 50,
        passed: 33,
        spendUsd: "500",
        spendPerTaskUsd: "10",
        passRate: "0.66",
        costPerPassUsd: "15.15",
        spendTimes: "10",
        passRateGain: "0.06",
        costPerFurtherPassUsd: "150",
        summary: "",
      },
    ],
  };
  const view = prepareReturns(returns);

  it("adds attempts up: the curve rises by what each bought, and the last of them bought nothing", () => {
    expect(view.total).toEqual({ attempt: 0, morePasses: 60, spend: "$200.00", perPass: "$3.3333" });
    expect(view.attempts.map(({ perPass }) => perPass)).toEqual(["$2.0000", "$6.0000", null]);
    expect(view.curve.points.map(({ rate, xPct }) => [rate, xPct])).toEqual([
      ["50.0%", 50],
      ["60.0%", 80],
      ["60.0%", 100],
    ]);
  });

  it("shows ten times the spend for six points more as such", () => {
    expect(view.groups[1]).toMatchObject({
      times: "10.0×",
      gain: "+6.0",
      perFurtherPass: "$150.00",
      perTask: "$10.00",
    });
  });

  it("has no curve without attempts", () => {
    const none = prepareReturns({ byAttempt: [], byGroup: [] });
    expect([none.curve.points, none.total.perPass]).toEqual([[], null]);
  });
});
