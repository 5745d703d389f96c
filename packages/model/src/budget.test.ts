import { formatDecimal, parseDecimal } from "@centspan/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Budget, budgetInputSchema, findBudgetPeriod, projectSpend } from "./budget.ts";

const HOUR_MS = 3_600_000;
const hours = ({ fromMs, toMs }: { fromMs: number; toMs: number | null }) => ((toMs ?? 0) - fromMs) / HOUR_MS;
const at = (text: string): number => Date.parse(text);

describe("the period of a budget", () => {
  it.each([
    ["an even day", "day", "UTC", "2026-11-30T12:00Z", "2026-11-30T00:00Z", 24],
    ["clocks go forward", "day", "America/New_York", "2026-03-08T12:00Z", "2026-03-08T05:00Z", 23],
    ["clocks go back", "day", "America/New_York", "2026-11-01T12:00Z", "2026-11-01T04:00Z", 25],
    ["a day that begins at one o'clock", "day", "Africa/Cairo", "2026-04-24T12:00Z", "2026-04-23T22:00Z", 23],
    ["midnight comes twice", "day", "America/Havana", "2026-11-01T04:30Z", "2026-11-01T04:00Z", 25],
    ["half an hour beside the others", "day", "Asia/Kolkata", "2026-11-29T18:30Z", "2026-11-29T18:30Z", 24],
    ["half an hour of summer", "day", "Australia/Lord_Howe", "2026-10-04T00:00Z", "2026-10-03T13:30Z", 23.5],
    ["a day was left out", "day", "Pacific/Apia", "2011-12-30T09:59Z", "2011-12-29T10:00Z", 24],
    ["weeks begin on Monday", "week", "Europe/Berlin", "2026-03-29T12:00Z", "2026-03-22T23:00Z", 167],
    ["a month with a change of clocks", "month", "Europe/Berlin", "2026-10-31T12:00Z", "2026-09-30T22:00Z", 745],
    ["December", "month", "Asia/Seoul", "2026-12-31T14:59Z", "2026-11-30T15:00Z", 744],
  ] as const)("%s", (_why, period, timeZone, now, from, length) => {
    const found = findBudgetPeriod({ period, timeZone }, at(now));
    expect([new Date(found.fromMs).toISOString(), hours(found)]).toEqual([new Date(at(from)).toISOString(), length]);
  });

  it("has no end for what counts in all its life", () => {
    expect(findBudgetPeriod({ period: "life", timeZone: "UTC" }, 5)).toEqual({ fromMs: 0, toMs: null });
  });

  /** Quarter by quarter, until the date is another. */
  function findDaySlowly(timeZone: string, atMs: number) {
    const dateAt = (ms: number) => new Date(ms).toLocaleDateString("sv-SE", { timeZone });
    const quarterMs = HOUR_MS / 4;
    let fromMs = Math.floor(atMs / quarterMs) * quarterMs;
    let toMs = fromMs + quarterMs;
    while (dateAt(fromMs - 1) === dateAt(atMs)) fromMs -= quarterMs;
    while (dateAt(toMs) === dateAt(atMs)) toMs += quarterMs;
    return { fromMs, toMs };
  }

  it("is what going from quarter to quarter finds, in every zone", { timeout: 30_000 }, () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    const instant = fc.integer({ min: at("2015-01-01T00:00Z"), max: at("2036-01-01T00:00Z") });
    fc.assert(
      fc.property(zone, instant, (timeZone, atMs) => {
        expect(findBudgetPeriod({ period: "day", timeZone }, atMs)).toEqual(findDaySlowly(timeZone, atMs));
      }),
      { numRuns: 30 },
    );
  });

  it("follows on the one before: weeks and months leave no gap", () => {
    const zone = fc.constantFrom("America/Sao_Paulo", "Europe/Dublin", "Pacific/Chatham", "Asia/Beirut");
    const instant = fc.integer({ min: at("2015-01-01T00:00Z"), max: at("2036-01-01T00:00Z") });
    fc.assert(
      fc.property(zone, fc.constantFrom("day", "week", "month"), instant, (timeZone, period, atMs) => {
        const budget: Pick<Budget, "period" | "timeZone"> = { period, timeZone };
        const { fromMs, toMs } = findBudgetPeriod(budget, atMs);
        expect(fromMs).toBeLessThanOrEqual(atMs);
        expect(toMs).toBeGreaterThan(atMs);
        expect(findBudgetPeriod(budget, fromMs - 1).toMs).toBe(fromMs);
      }),
    );
  });
});

describe("a forecast", () => {
  const period = { fromMs: 0, toMs: 1_000_000 };
  it.each([
    ["half of it", 500_000, "20"],
    ["a tenth", 100_000, "100"],
    ["too early to tell", 99_999, null],
    ["a third, to twelve decimals", 300_000, "33.333333333333"],
    ["over", 1_000_000, null],
  ])("%s", (_why, nowMs, expected) => {
    const forecast = projectSpend(parseDecimal("10"), period, nowMs);
    expect(forecast && formatDecimal(forecast)).toBe(expected);
  });
});

describe("a budget as it is given", () => {
  const given = { name: "ci", scope: "team", subject: "platform", period: "month", limitUsd: "12.50" };
  it("gets what it does not say", () => {
    expect(budgetInputSchema.parse(given)).toEqual({
      ...given,
      timeZone: "UTC",
      enforcement: "hard",
      unpriced: "refuse",
      alerts: { thresholds: [80, 100], forecast: true, email: [] },
    });
  });

  it.each([
    ["no amount", { limitUsd: "0.00" }, "limitUsd"],
    ["an amount as a number", { limitUsd: 5 }, "limitUsd"],
    ["more decimals than money has", { limitUsd: "1.0000000000001" }, "limitUsd"],
    ["a negative amount", { limitUsd: "-1" }, "limitUsd"],
    ["an exponent", { limitUsd: "1e3" }, "limitUsd"],
    ["an offset in place of a zone", { timeZone: "+09:00" }, "timeZone"],
    ["another protocol", { alerts: { webhook: "file:///etc/passwd" } }, "alerts.webhook"],
    ["a member that nobody knows", { alerts: { slack: "x" } }, "alerts"],
  ])("refuses %s", (_why, change, path) => {
    const { error } = budgetInputSchema.safeParse({ ...given, ...change });
    expect(error?.issues[0]?.path.join(".")).toBe(path);
  });
});
