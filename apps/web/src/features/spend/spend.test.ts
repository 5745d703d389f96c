import { addCosts } from "@centspan/ui";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { reachToday, readDayRange } from "../page/day-range.ts";
import { callsOf } from "./load-explorer.ts";
import { narrowTo } from "./spend-table.tsx";
import { writeSpendCsv } from "./write-spend-csv.ts";

const NOW_NS = BigInt(Date.parse("2026-11-29T18:06:24Z")) * 1_000_000n;

describe("the days of the spend page", () => {
  it("are 30 that are over, against the 30 before, in the workspace's zone", () => {
    expect(readDayRange({}, "UTC", NOW_NS)).toMatchObject({
      ...{ id: "30d", firstDay: "2026-10-30", lastDay: "2026-11-28", isOpen: false },
      before: { firstDay: "2026-09-30", lastDay: "2026-10-29" },
    });
    // Over there it is the 30th already.
    expect(readDayRange({ period: "7d" }, "Asia/Seoul", NOW_NS)).toMatchObject({
      ...{ firstDay: "2026-11-23", lastDay: "2026-11-29" },
      ...{ from: "2026-11-22T15:00:00.000000000Z", to: "2026-11-29T15:00:00.000000000Z" },
    });
  });

  it("are as many before, where clocks change among them", () => {
    const range = readDayRange({ from: "2026-10-01", to: "2026-10-30" }, "Europe/Berlin", NOW_NS);
    expect(range.before).toEqual({
      ...{ firstDay: "2026-09-01", lastDay: "2026-09-30", from: "2026-08-31T22:00:00.000000000Z" },
    });
  });

  it("are those that a person names, both included; one alone is enough", () => {
    const named = readDayRange({ from: "2026-11-03", to: "2026-11-09" }, "UTC", NOW_NS);
    expect(named).toMatchObject({
      id: "custom",
      from: "2026-11-03T00:00:00.000000000Z",
      to: "2026-11-10T00:00:00.000000000Z",
    });
    expect(named.before).toMatchObject({ firstDay: "2026-10-27", lastDay: "2026-11-02" });
    expect(readDayRange({ to: "2026-11-09" }, "UTC", NOW_NS)).toMatchObject({ firstDay: "2026-10-11" });
    expect(readDayRange({ from: "2026-11-29" }, "UTC", NOW_NS)).toMatchObject({ lastDay: "2026-11-29", isOpen: true });
  });

  it("understand what other pages carry along: instants, and periods that are none here", () => {
    const range = { from: "2026-11-02T15:00:00Z", to: "2026-11-09T15:00:00Z" };
    expect(readDayRange(range, "Asia/Seoul", NOW_NS)).toMatchObject({ firstDay: "2026-11-03", lastDay: "2026-11-09" });
    expect(readDayRange({ period: "24h" }, "UTC", NOW_NS).id).toBe("30d");
  });

  it.each([
    [{ from: "soon" }, "from"],
    [{ from: "2026-11-09", to: "2026-11-03" }, "to"],
  ])("refuse %j and name the field", (params, field) => {
    expect(() => readDayRange(params, "UTC", NOW_NS)).toThrow(expect.objectContaining({ field }));
  });

  it("reach to today where all spend is of today", () => {
    expect(reachToday(readDayRange({ period: "7d" }, "UTC", NOW_NS), NOW_NS)).toMatchObject({
      ...{ firstDay: "2026-11-23", lastDay: "2026-11-29", isOpen: true },
    });
  });
});

describe("a row", () => {
  it("opens what it is made of, one level down; a meter and what has no name open nothing", () => {
    expect(narrowTo("team", "payments")).toEqual({ groupBy: "key", team: "payments" });
    expect(narrowTo("provider", "openai")).toEqual({ groupBy: "model", provider: "openai" });
    expect(narrowTo("day", "2026-11-03")).toEqual({
      groupBy: "team",
      period: null,
      from: "2026-11-03",
      to: "2026-11-03",
    });
    expect([narrowTo("meter", "input"), narrowTo("team", "")]).toEqual([null, null]);
  });

  it("leads to runs of the same time: days where they are those of the runs page, instants elsewhere", () => {
    const filter = { team: "a" };
    expect(callsOf({ filter, range: readDayRange({ period: "7d" }, "UTC", NOW_NS) })).toEqual({
      ...{ team: "a", period: null, from: "2026-11-22", to: "2026-11-28" },
    });
    expect(callsOf({ filter, range: readDayRange({ period: "7d" }, "Asia/Seoul", NOW_NS) }).from).toContain("T15:00");
  });
});

describe("the file", () => {
  const range = readDayRange({ period: "7d" }, "UTC", NOW_NS);
  const now = { ...addCosts("", []), group: "=cmd()", costUsd: "0.000000000001", calls: 1, requests: 3 };

  it("has every decimal, and no name that is run as a formula", () => {
    const csv = writeSpendCsv({ grouping: "key", range, pairs: [{ now, beforeUsd: "1234.5" }] });
    expect(parse(csv, { columns: true })).toEqual([
      expect.objectContaining({ key: "'=cmd()", cost_usd: "0.000000000001", before_usd: "1234.5", requests: "3" }),
    ]);
  });

  it("has its header without rows, and no before for days", () => {
    expect(writeSpendCsv({ grouping: "day", range, pairs: [] }).split(",").slice(0, 5)).toEqual([
      ...["day", "from", "to", "time_zone", "cost_usd"],
    ]);
    expect(writeSpendCsv({ grouping: "day", range, pairs: [] })).not.toContain("before");
  });
});
