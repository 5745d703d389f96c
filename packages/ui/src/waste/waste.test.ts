import type { BalanceRow, WasteAnswer, WasteFixRow, WasteRow } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { prepareBalance } from "./prepare-balance.ts";
import { prepareFixes } from "./prepare-fixes.ts";
import { prepareWaste, prepareWasteGroups } from "./prepare-waste.ts";

const row = (group: string, costUsd: string, rest: Partial<WasteRow> = {}): WasteRow => ({
  ...{ group, costUsd, layer: "harness", kind: "repeated", seconds: 0, calls: 3, runs: 2 },
  ...{ topEvidence: { traceId: "t", spanId: "s" }, provenance: "derived" },
  ...rest,
});
const total: WasteAnswer["total"] = {
  ...{ spendUsd: "100", usefulUsd: "60", wasteUsd: "20", failedUsd: "15", notAnalysedUsd: "5", seconds: 90 },
};
const answer: WasteAnswer = {
  data: [
    row("evicted_prefill", "4", { layer: "inference" }),
    row("serial_tools", "0", { seconds: 90 }),
    row("failed_attempt", "15", { kind: "failed" }),
    row("prefix_system", "12.50"),
    row("prefix_tools", "3.50"),
  ],
  total,
  nextCursor: null,
};

describe("where the money went", () => {
  const waste = prepareWaste(answer, null);

  it("goes from useful over the layers to what failed and what nobody looked at, the dearest cause first", () => {
    expect(waste.sections.map(({ id, sum, causes }) => [id, sum.amount, causes.map(({ cause }) => cause)])).toEqual([
      ["useful", "$60.00", []],
      ["harness", "$16.00", ["prefix_system", "prefix_tools", "serial_tools"]],
      ["inference", "$4.00", ["evicted_prefill"]],
      ["failed", "$15.00", ["failed_attempt"]],
      ["not_analysed", "$5.00", []],
    ]);
  });

  it("begins each bar where the last one ended, and ends at spend", () => {
    const bars = waste.sections.map(({ sum }) => sum.bar);
    expect(bars.map(({ leftPct }) => leftPct)).toEqual([0, 60, 76, 80, 95]);
    expect((bars.at(-1)?.leftPct ?? 0) + (bars.at(-1)?.widthPct ?? 0)).toBe(100);
    expect(waste.sections[1]?.causes.map(({ bar }) => bar.leftPct)).toEqual([60, 72.5, 76]);
  });

  it("says of what costs only time that it does, and how much", () => {
    expect(waste.sections[1]?.causes[2]).toMatchObject({ isTimeOnly: true, amount: "$0.00", time: "1 min 30 s" });
    expect(waste.sections[1]?.causes[0]).toMatchObject({ isTimeOnly: false, time: null });
  });

  it("compares with the period before: a cause that is new has no growth, one without a before says nothing", () => {
    const before: WasteAnswer = {
      ...answer,
      data: [row("prefix_system", "10")],
      total: { ...total, spendUsd: "80", wasteUsd: "10", failedUsd: "0" },
    };
    const grown = prepareWaste(answer, before);
    expect(grown.sections[1]?.sum.growth).toBe("+60.0%");
    expect(grown.sections[1]?.causes.map(({ growth }) => growth)).toEqual(["+25.0%", null, null]);
    expect([grown.growth, grown.figures.twice.growth, grown.figures.failed.growth]).toEqual([
      "+25.0%",
      "+100.0%",
      null,
    ]);
    expect([waste.growth, waste.figures.twice]).toEqual([null, { amount: "$20.00", ofSpend: "20.0%", growth: null }]);
  });

  it("has nothing to draw where nothing was spent", () => {
    const none = { spendUsd: "0", usefulUsd: "0", wasteUsd: "0", failedUsd: "0", notAnalysedUsd: "0", seconds: 0 };
    const empty = prepareWaste({ data: [], total: none, nextCursor: null }, null);
    expect([empty.sections, empty.usefulPct, empty.figures.twice.ofSpend]).toEqual([[], 0, null]);
  });

  it("lists groups by what they lost, the slowest first of those that lost only time", () => {
    const groups = [row("a", "0", { seconds: 1 }), row("b", "0", { seconds: 2 }), row("c", "3"), row("", "1")];
    expect(
      prepareWasteGroups(groups).map(({ group, ofWaste, barPct }) => [group, ofWaste, Math.round(barPct)]),
    ).toEqual([
      ["c", "75.0%", 100],
      ["", "25.0%", 33],
      ["b", "0.0%", 0],
      ["a", "0.0%", 0],
    ]);
  });
});

describe("what to fix first", () => {
  const fix = (savingPerMonthUsd: string, rest: Partial<WasteFixRow> = {}): WasteFixRow => ({
    ...{
      cause: "prefix_system",
      layer: "harness",
      title: "",
      remedy: "",
      section: "system",
      path: "$",
      change: "clock",
    },
    ...{ since: "2026-11-05T00:00:00Z", savingPerMonthUsd, interval: null, secondsPerMonth: 0, calls: 1, runs: 1 },
    ...{ keys: [], teams: [], proof: [], provenance: "derived" },
    ...rest,
  });

  it("puts savings and both ends of their intervals on one axis", () => {
    const { fixes, saving } = prepareFixes([
      fix("80", { interval: { lowUsd: "60", highUsd: "160", level: 0.95 } }),
      fix("0", { secondsPerMonth: 3_600 }),
    ]);
    expect(fixes[0]).toMatchObject({ saving: "$80.00", interval: "60.00–160.00", barPct: 50, isTimeOnly: false });
    expect(fixes[0]?.reach).toEqual({ lowPct: 37.5, highPct: 100 });
    expect(fixes[1]).toMatchObject({ isTimeOnly: true, time: "1 h 00 min", interval: null, reach: null, barPct: 0 });
    expect(saving).toBe("$80.00");
    expect(prepareFixes([]).fixes).toEqual([]);
  });
});

describe("balance sheet of a run", () => {
  const balance: BalanceRow = {
    ...{ paidUsd: "0.2994", usefulUsd: "0.1572", repeatedUsd: "0.1322", failedUsd: "0.01", notAnalysedUsd: "0" },
    repeatedSeconds: 31,
    causes: [
      {
        cause: "prefix_system",
        title: "",
        layer: "harness",
        kind: "repeated",
        costUsd: "0.1322",
        seconds: 31,
        items: 4,
        provenance: "derived",
      },
      {
        cause: "failed_attempt",
        title: "",
        layer: "harness",
        kind: "failed",
        costUsd: "0.01",
        seconds: 0,
        items: 1,
        provenance: "derived",
      },
    ],
    layers: [],
  };

  it("adds up to what was paid, with a tone for each part", () => {
    const { useful, causes, notAnalysed, ...sums } = prepareBalance(balance);
    expect(sums).toEqual({ paid: "$0.2994", twice: "$0.1322", twiceShare: "44.2%", time: "31.0 s" });
    expect([useful, ...causes].map(({ tone, amount, share }) => [tone, amount, share])).toEqual([
      ["useful", "$0.1572", "52.5%"],
      ["harness", "$0.1322", "44.2%"],
      ["failed", "$0.0100", "3.3%"],
    ]);
    expect(notAnalysed).toBeNull();
    expect(causes.at(-1)?.bar.leftPct).toBeCloseTo(96.66, 2);
  });

  it("names what nobody looked at, and draws nothing of a run that cost nothing", () => {
    expect(prepareBalance({ ...balance, notAnalysedUsd: "0.05" }).notAnalysed).toMatchObject({ amount: "$0.0500" });
    const free = prepareBalance({ ...balance, paidUsd: "0", usefulUsd: "0", causes: [] });
    expect([free.useful.bar.widthPct, free.useful.share]).toEqual([0, null]);
  });
});
