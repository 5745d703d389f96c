import { type CostRow, costRowSchema, outcomeCostRowSchema, traceRowSchema } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasSpend, prepareKeyFigures } from "./prepare-key-figures.ts";
import { prepareOutcomeTable } from "./prepare-outcome-table.ts";
import { prepareTasks } from "./prepare-tasks.ts";
import { chooseFiner, parseBucket, prepareTrend } from "./prepare-trend.ts";
import { listProvenanceParts, resolveProvenance } from "./resolve-provenance.ts";
import { makeCostRow, makeOutcomeRow, makeTraceRow } from "./testing-rows.ts";

it("tests with rows that the API could answer", () => {
  expect(outcomeCostRowSchema.safeParse(makeOutcomeRow("a")).error).toBeUndefined();
  expect(costRowSchema.safeParse(makeCostRow("a")).error).toBeUndefined();
  expect(traceRowSchema.safeParse(makeTraceRow("a")).error).toBeUndefined();
});

describe("outcome table", () => {
  const noPass = makeOutcomeRow("growth", {
    spendUsd: "23.1",
    tasks: 14,
    passed: 0,
    failed: 14,
    costPerPassUsd: null,
    interval: { lowUsd: "8.57", highUsd: null, level: 0.95, method: "zero_pass_bound" },
  });
  const dear = makeOutcomeRow("research", { spendUsd: "80", costPerPassUsd: "200", interval: null });
  const nothing = makeOutcomeRow("", {
    tasks: 0,
    passed: 0,
    failed: 0,
    costPerPassUsd: null,
    interval: null,
    coverage: null,
  });
  const table = prepareOutcomeTable([nothing, makeOutcomeRow("platform"), noPass, dear], makeOutcomeRow("total"), [
    makeCostRow("platform", { provenance: "simulated" }),
    makeCostRow("growth", { requests: 1_000, unpricedCalls: 2 }),
  ]);

  it("lists the dearest first and what belongs to nobody last", () => {
    expect(table.rows.map((row) => row.group)).toEqual(["research", "growth", "platform", ""]);
  });

  it("gives a bound where nothing passed, and nothing where nothing ran: never zero", () => {
    expect(table.rows.map((row) => row.perPass)).toEqual([
      { kind: "point", amount: "$200.00", interval: null },
      { kind: "at_least", amount: "$8.57", tasks: 14 },
      { kind: "point", amount: "$2.00", interval: "1.50–3.00" },
      { kind: "no_tasks" },
    ]);
    expect(table.rows.at(-1)).toMatchObject({ passRate: null, coverage: null, whisker: { kind: "none" } });
  });

  it("marks what lies beyond the shared axis instead of squeezing all others", () => {
    expect(table.axis.max).toBe(10);
    expect(table.rows[0]?.whisker).toEqual({ kind: "point", pointPct: null, lowPct: 100, highPct: 100, beyond: true });
    expect(table.rows[2]?.whisker).toEqual({ kind: "point", pointPct: 20, lowPct: 15, highPct: 30, beyond: false });
  });

  it("takes marks and counts from the cost rows, and adds the counts up", () => {
    expect(table.rows.map((row) => [row.provenance, row.calls])).toEqual([
      [null, null],
      ["measured", 1_000],
      ["simulated", 40],
      [null, null],
    ]);
    expect(table.total).toMatchObject({ calls: 1_040, unpricedCalls: 2 });
  });

  it("counts spend that belongs to no task as spend, in rows as in figures", () => {
    const untasked = makeOutcomeRow("a", {
      ...nothing,
      group: "a",
      spendUsd: "0",
      failedSpendUsd: "0",
      allSpendUsd: "7.5",
    });
    const partly = makeOutcomeRow("b", { spendUsd: "6", failedSpendUsd: "2", allSpendUsd: "20" });
    const { rows } = prepareOutcomeTable([untasked, partly], partly, []);
    expect(rows.map((row) => [row.group, row.spend, row.failedShare])).toEqual([
      ["b", "$20.00", "10.0%"],
      ["a", "$7.50", "0.0%"],
    ]);
    expect(prepareKeyFigures(untasked, [])).toMatchObject({ spend: "$7.50", failedShare: "0.0%" });
    expect(prepareKeyFigures(partly, [])).toMatchObject({ spend: "$20.00", failedShare: "10.0%" });
    expect(hasSpend(untasked)).toBe(true);
  });

  it("marks the total with what its rows are, and nothing as measured of which nobody says so", () => {
    const cost = makeCostRow("a", { provenance: "estimated", byProvenance: { estimated: "9", measured: "1" } });
    const total = (costs: CostRow[], simulatedShare = "0") =>
      prepareOutcomeTable([], makeOutcomeRow("total", { simulatedShare }), costs).total.provenance;
    expect([total([cost]), total([]), total([], "0.1")]).toEqual(["estimated", null, null]);
    const [row] = prepareOutcomeTable([makeOutcomeRow("a", { simulatedShare: "0.1" })], makeOutcomeRow(""), []).rows;
    expect(row?.provenance).toBe("simulated");
  });
});

describe("key figures", () => {
  it("show spend, cost per pass with its interval, passes and what failed", () => {
    const total = makeOutcomeRow("", {
      spendUsd: "230.4593276",
      failedSpendUsd: "77.9874",
      passed: 371,
      tasks: 500,
      failed: 129,
    });
    const figures = prepareKeyFigures(
      {
        ...total,
        costPerPassUsd: "0.6211841714",
        interval: { lowUsd: "0.567", highUsd: "0.68", level: 0.95, method: "bootstrap" },
      },
      [makeCostRow("a", { byProvenance: { measured: "230.4593276" }, quarantinedCalls: 1 })],
    );
    expect(figures).toMatchObject({
      spend: "$230.46",
      perPass: { kind: "point", amount: "$0.6212", interval: "0.5670–0.6800" },
      passRate: "74.2%",
      failedSpend: "$77.99",
      failedShare: "33.8%",
      provenance: "measured",
      parts: [],
      quarantinedCalls: 1,
      simulatedShare: null,
    });
  });

  it("show the range that pending tasks leave open", () => {
    const pending = makeOutcomeRow("", { pending: 2, pendingBounds: { allPassUsd: "1.4286", allFailUsd: "2" } });
    expect(prepareKeyFigures(pending, []).pendingBounds).toBe("$1.43–2.00");
    const noneYet = makeOutcomeRow("", { pending: 2, pendingBounds: { allPassUsd: "5", allFailUsd: null } });
    expect(prepareKeyFigures(noneYet, []).pendingBounds).toBe("≥ $5.00");
  });

  it("tell no spend from no tasks", () => {
    expect(hasSpend(makeOutcomeRow("", { tasks: 0, spendUsd: "0" }))).toBe(false);
    expect(hasSpend(makeOutcomeRow("", { tasks: 0, spendUsd: "0.0001" }))).toBe(true);
  });
});

describe("provenance", () => {
  it("is the weakest kind from a tenth on", () => {
    expect(resolveProvenance({ measured: "90", simulated: "10" })).toBe("simulated");
    expect(resolveProvenance({ measured: "90.1", simulated: "9.9" })).toBe("measured");
    expect(resolveProvenance({})).toBeNull();
    expect(listProvenanceParts({ measured: "90", simulated: "10" })).toEqual([
      { kind: "measured", share: "90.0%" },
      { kind: "simulated", share: "10.0%" },
    ]);
    expect(listProvenanceParts({ measured: "90" })).toEqual([]);
  });
});

describe("trend", () => {
  it("reads the buckets of the API, and nothing else", () => {
    const hour = 3_600_000_000_000n;
    const day = parseBucket("2026-11-29") ?? 0n;
    const texts = ["2026-11-29T18:00:00+00:00", "2026-11-29T18:00Z", "2026-11-30T03:00:00+09:00"];
    expect(texts.map(parseBucket)).toEqual(Array(3).fill(day + 18n * hour));
    expect(["", "29.11.2026", "2026-11-29T18", "2026-11-29T18:00:30Z"].map(parseBucket)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it("asks for finer buckets while the data lies within three coarse ones", () => {
    expect(chooseFiner([{ group: "2026-11-28" }, { group: "2026-11-29" }], "day")).toBe("hour");
    expect(chooseFiner([{ group: "2026-11-01" }, { group: "2026-11-29" }], "day")).toBeNull();
    expect(chooseFiner([{ group: "2026-11-29T18:00:00+00:00" }], "hour")).toBe("minute");
    expect(chooseFiner([{ group: "2026-11-29T18:01:00+00:00" }], "minute")).toBeNull();
    expect(chooseFiner([], "day")).toBeNull();
  });

  it("says the year where days of several years stand side by side", () => {
    const labels = (...days: string[]) =>
      prepareTrend(
        days.map((day) => makeCostRow(day)),
        [],
        "day",
        "en",
      ).map((point) => point.label);
    expect(labels("2024-11-29", "2026-11-29")).toEqual(["29 Nov 2024", "29 Nov 2026"]);
    expect(labels("2026-11-28", "2026-11-29")).toEqual(["28 Nov", "29 Nov"]);
  });

  it("fills the gaps: no spend is zero, no pass is no value", () => {
    const points = prepareTrend(
      [makeCostRow("2026-11-27"), makeCostRow("2026-11-29", { costUsd: "1" })],
      [makeOutcomeRow("2026-11-27"), makeOutcomeRow("2026-11-29", { passed: 0, costPerPassUsd: null, interval: null })],
      "day",
      "en",
    );
    expect(points.map((point) => [point.label, point.spendText, point.perPassText, point.band])).toEqual([
      ["27 Nov", "$10.00", "$2.0000", [1.5, 3]],
      ["28 Nov", "$0.00", null, null],
      ["29 Nov", "$1.00", null, null],
    ]);
  });

  it("draws an interval without an upper end only as far as it is known, and says so", () => {
    const interval = { lowUsd: "1.5", highUsd: null, level: 0.95, method: "bootstrap" } as const;
    const [point] = prepareTrend([], [makeOutcomeRow("2026-11-27", { interval })], "day", "en");
    expect(point).toMatchObject({ band: null, reach: [0.5, 0], intervalText: "≥ 1.5000" });
  });

  it("keeps every bucket that has rows, in order", () => {
    const minutes = fc.uniqueArray(fc.nat(2_000), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(minutes, (drawn) => {
        const groups = drawn.map((minute) => new Date(minute * 60_000).toISOString().replace(".000Z", "+00:00"));
        const points = prepareTrend(
          groups.map((group) => makeCostRow(group)),
          [],
          "minute",
          "en",
        );
        expect(points.filter((point) => point.spend > 0)).toHaveLength(drawn.length);
        expect(points.every((point, i) => i === 0 || point.startNs > (points[i - 1]?.startNs ?? 0n))).toBe(true);
      }),
    );
  });
});

describe("tasks", () => {
  it("carry every attempt in order, failed ones included, and where the task stands", () => {
    const outcomes = [
      makeOutcomeRow("task-1", { spendUsd: "3", tasks: 1, passed: 1, failed: 0 }),
      makeOutcomeRow("task-2", { spendUsd: "5", tasks: 1, passed: 0, failed: 1 }),
      makeOutcomeRow("task-3", { spendUsd: "1", tasks: 1, passed: 0, failed: 0, pending: 1 }),
      makeOutcomeRow(""),
    ];
    const traces = [
      makeTraceRow("second", { startedAt: "2026-11-29T18:05:00.000000000Z" }),
      makeTraceRow("first", { outcome: "failed" }),
    ];
    const costs = [makeCostRow("task-1", { requests: 5_000 })];
    const tasks = prepareTasks({ outcomes, costs, traces }, 10);
    expect(tasks.map((task) => [task.task, task.outcome, task.cost, task.calls])).toEqual([
      ["task-2", "failed", "$5.0000", null],
      ["task-1", "passed", "$3.0000", 5_000],
      ["task-3", "pending", "$1.0000", null],
    ]);
    expect(tasks[1]?.attempts.map((attempt) => [attempt.traceId, attempt.outcome])).toEqual([
      ["first", "failed"],
      ["second", "passed"],
    ]);
    expect(prepareTasks({ outcomes, costs, traces }, 1)).toHaveLength(1);
  });
});
