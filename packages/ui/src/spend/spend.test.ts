import type { CostRow, SpendChangeAnswer, SpendForecastAnswer } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { addCosts } from "./add-costs.ts";
import { prepareChange } from "./prepare-change.ts";
import { prepareOddDays } from "./prepare-odd-days.ts";
import { prepareSpendChart } from "./prepare-spend-chart.ts";
import { prepareSpendFigures } from "./prepare-spend-figures.ts";
import { pairSpend, prepareSpendTable } from "./prepare-spend-table.ts";

const NONE = addCosts("", []);
const cost = (group: string, costUsd: string, given: Partial<CostRow> = {}): CostRow => ({
  ...NONE,
  group,
  costUsd,
  calls: 2,
  requests: 4,
  pricedRequests: 4,
  provenance: "measured",
  byProvenance: { measured: costUsd },
  ...given,
});

describe("spend by group", () => {
  const now = [
    cost("search", "30.00", {
      buckets: { ...NONE.buckets, input: 25, cacheRead: 75, outputText: 7, outputReasoning: 3 },
    }),
    cost("payments", "90"),
    cost("preview", "0", { pricedRequests: 0, unpricedCalls: 2, byProvenance: {}, provenance: null }),
  ];
  const pairs = pairSpend(now, [cost("search", "40"), cost("gone", "8"), cost("never", "0")]);
  const total = { now: addCosts("", now), beforeUsd: "48" };
  const table = prepareSpendTable({ pairs, total, compares: true, most: 10 });

  it("is dearest first, beside what was spent before; a group that has gone stays, one that never was doesn't come", () => {
    expect(
      table.rows.map(({ group, cost: spent, share, change, growth }) => [group, spent, share, change, growth]),
    ).toEqual([
      ["payments", "$90.00", "75.0%", "+$90.00", null],
      ["search", "$30.00", "25.0%", "−$10.00", "−25.0%"],
      ["gone", "$0.00", "0.0%", "−$8.00", "−100.0%"],
      ["preview", null, "0.0%", "$0.00", null],
    ]);
    expect(table.total).toMatchObject({ cost: "$120.00", share: "100.0%", change: "+$72.00", growth: "+150.0%" });
  });

  it("never shows what has no price as zero, nor counts it in what a call cost", () => {
    expect(table.rows[3]).toMatchObject({ cost: null, perCall: null, unpricedCalls: 2 });
    const [half] = prepareSpendTable({
      pairs: pairSpend([cost("half", "10", { pricedRequests: 2, unpricedCalls: 2 })], []),
      ...{ total, compares: true, most: 1 },
    }).rows;
    expect(half).toMatchObject({ calls: "4", perCall: "$5.0000" });
  });

  it("counts requests, what one cost, and where tokens came from", () => {
    expect(table.rows[1]).toMatchObject({
      ...{ calls: "4", perCall: "$7.5000", promptTokens: "100", cachedShare: "75.0%", outputTokens: "10" },
      barPct: 100 / 3,
    });
  });

  it("says how many groups there are where not all are shown, and compares nothing that has no before", () => {
    const short = prepareSpendTable({ pairs, total, compares: false, most: 1 });
    expect([short.rows.length, short.groups, short.rows[0]?.change, short.total.growth]).toEqual([1, 4, null, null]);
  });
});

const forecastDay = (day: string, expectedUsd: string) => ({ day, expectedUsd, lowUsd: "8", highUsd: "13" });
const forecast: SpendForecastAnswer = {
  from: "2026-11-01",
  until: "2026-11-30",
  level: 0.8,
  data: [],
  others: null,
  total: {
    ...{ group: "total", spentUsd: "1200.4", expectedUsd: "1500", lowUsd: "1400", highUsd: "1600", method: "weeks" },
    days: [forecastDay("2026-11-29", "10"), forecastDay("2026-11-30", "11")],
  },
  nextCursor: null,
};

describe("the figures", () => {
  it("say what changed with a sign, and an arrow that judges nothing", () => {
    const total = {
      now: cost("", "1098.70", { requests: 103, pricedRequests: 100, unpricedCalls: 3 }),
      beforeUsd: "1000",
    };
    expect(prepareSpendFigures(total, 50, forecast)).toMatchObject({
      spend: "$1,099",
      comparison: { arrow: "▲", growth: "+9.9%", difference: "+$98.70", before: "$1,000.00" },
      perCall: "$10.99",
      perCallBefore: "$20.00",
      unpricedCalls: 3,
      forecast: { month: "2026-11", spent: "$1,200", expected: "$1,500", interval: "1,400–1,600", levelPct: 80 },
    });
  });

  it("of a beginning have nothing to compare with, and no forecast", () => {
    const { total } = forecast;
    const unknown = { ...forecast, total: { ...total, expectedUsd: null, lowUsd: null, highUsd: null, days: [] } };
    expect(prepareSpendFigures({ now: NONE, beforeUsd: "0" }, 0, unknown)).toMatchObject({
      comparison: { arrow: "", growth: null, difference: "$0.00" },
      perCall: null,
      forecast: { expected: null, interval: null },
    });
  });
});

describe("the chart", () => {
  const input = {
    costs: [cost("2026-11-25", "9"), cost("2026-11-27", "10"), cost("2026-11-28", "40")],
    firstDay: "2026-11-27",
    lastDay: "2026-11-28",
    beforeFirstDay: "2026-11-25",
    anomalies: [
      { group: "ci", day: "2026-11-28", costUsd: "35", expectedUsd: "4", score: 9 },
      { group: "search", day: "2026-11-28", costUsd: "5", expectedUsd: "1", score: 5 },
    ],
    forecast: forecast.total.days,
  };

  it("has every day: before, now, and to come with how sure that is", () => {
    const points = prepareSpendChart(input, "en");
    expect(points.map(({ label, before, now, expected, band }) => [label, before, now, expected, band])).toEqual([
      ["25 Nov", 9, null, null, null],
      ["26 Nov", 0, null, null, null],
      ["27 Nov", null, 10, null, null],
      ["28 Nov", null, 40, null, null],
      ["29 Nov", null, null, 10, [8, 13]],
      ["30 Nov", null, null, 11, [8, 13]],
    ]);
    expect(points[5]).toMatchObject({
      reach: [3, 2],
      spendText: null,
      expectedText: "$11.00",
      intervalText: "8.00–13.00",
    });
  });

  it("marks an odd day once, with the groups that were odd", () => {
    expect(
      prepareSpendChart(input, "en").flatMap(({ odd, oddText }) => (odd === null ? [] : [[odd, oddText]])),
    ).toEqual([[40, "ci, search"]]);
  });

  it("leaves out a before without spend, and a forecast of days that are shown as spent", () => {
    const points = prepareSpendChart({ ...input, costs: [cost("2026-11-29", "1")], lastDay: "2026-11-29" }, "en");
    expect(points.map(({ label, now, expected }) => [label, now, expected])).toEqual([
      ["27 Nov", 0, null],
      ["28 Nov", 0, null],
      ["29 Nov", 1, null],
      ["30 Nov", null, 11],
    ]);
  });
});

describe("why it moved", () => {
  const period = { from: "", to: "", calls: 1, costUsd: "100" };
  const cell = (model: string, changeUsd: string, priceUsd: string, quantityUsd: string) =>
    ({ model, meter: "input", changeUsd, priceUsd, quantityUsd }) as const;
  const answer: SpendChangeAnswer = {
    ...{ before: period, after: period, changeUsd: "15", priceUsd: "-5", volumeUsd: "10", mixUsd: "10" },
    data: [cell("a", "20", "0", "20"), cell("b", "-8", "-5", "-3"), cell("c", "3", "0", "3"), cell("d", "0", "0", "0")],
    nextCursor: null,
  };

  it("is told in parts and meters that add up; what did not move is left out", () => {
    const change = prepareChange(answer, 2);
    expect(change.parts.map(({ id, amount }) => [id, amount])).toEqual([
      ["price", "−$5.00"],
      ["volume", "+$10.00"],
      ["mix", "+$10.00"],
    ]);
    expect(change.rows.map(({ model, price, quantity, total }) => [model, price, quantity, total])).toEqual([
      ["a", "$0.00", "+$20.00", "+$20.00"],
      ["b", "−$5.00", "−$3.00", "−$8.00"],
    ]);
    expect(change.others).toMatchObject({ count: 1, total: "+$3.00" });
    expect([change.price, change.quantity, change.difference]).toEqual(["−$5.00", "+$20.00", "+$15.00"]);
  });

  it("is drawn from the middle: less to the left, more to the right, the widest to the edge", () => {
    const { rows } = prepareChange(answer, 2);
    expect(rows.map(({ bar }) => bar)).toEqual([
      { leftPct: 50, widthPct: 50 },
      { leftPct: 30, widthPct: 20 },
    ]);
    expect(prepareChange({ ...answer, data: [] }, 2)).toMatchObject({ rows: [], others: null });
  });
});

it("tells an odd day by how many times the usual it was, if there is a usual", () => {
  const day = { group: "ci", day: "2026-11-28", costUsd: "35", expectedUsd: "4", score: 9 };
  expect(prepareOddDays([day, { ...day, expectedUsd: "0", group: "new" }], 2, "en")).toEqual([
    expect.objectContaining({ key: "2026-11-28 ci", label: "28 Nov", cost: "$35.00", usual: "$4.00", times: "8.8" }),
    expect.objectContaining({ usual: "$0.00", times: null }),
  ]);
});
