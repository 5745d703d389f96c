/** What spend will be, which days were odd and why it changed, over calls of ten weeks, at noon of 15 March 2026 in Seoul. */
import { formatDecimal, parseDecimal, parseInstant, sumDecimals } from "@centspan/base";
import type { RatedCall } from "@centspan/model";
import { beforeAll, expect, it } from "vitest";
import { makeCall, useApi } from "./testing/use-api.ts";

const nowNs = parseInstant("2026-03-15T12:00:00+09:00") ?? 0n;
const { warehouse, client } = useApi("spend", { nowNs: () => nowNs });
const TZ = "Asia/Seoul";
const DAY_NS = 86_400_000_000_000n;
const DAYS = 70;
/** 9 March: six days back. */
const ODD_DAY = 6;

/** Half past midnight there, which is the day before in UTC. */
const callAt = (team: string, model: string, daysBack: number, tokens: number, costUsd: string): RatedCall =>
  makeCall({
    callId: `${team}-${daysBack}`,
    atNs: nowNs - BigInt(daysBack) * DAY_NS - 11n * 3_600_000_000_000n - 1_800_000_000_000n,
    team,
    model,
    buckets: {
      input: tokens,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      outputText: 0,
      outputReasoning: 0,
      webSearches: 0,
    },
    costStatus: "rated",
    costUsd: parseDecimal(costUsd),
    lines: [
      {
        meter: "input",
        quantity: tokens,
        unitPriceUsd: parseDecimal(costUsd).div(parseDecimal(String(tokens))),
        listUnitPriceUsd: null,
        costUsd: parseDecimal(costUsd),
        priceEntryId: "p",
        ratingRunId: "r",
      },
    ],
  });

beforeAll(() =>
  warehouse.insertCalls(
    "spend",
    Array.from({ length: DAYS }, (_, n) => n + 1).flatMap((daysBack) => [
      callAt("steady", "small", daysBack, 1000, "2"),
      callAt("jumpy", "large", daysBack, 1000, daysBack === ODD_DAY ? "40" : "4"),
    ]),
  ),
);

it("forecasts the month by group and in total, with what is spent", async () => {
  const { from, until, data, total } = await client.costForecast({ tz: TZ });
  expect([from, until]).toEqual(["2026-03-01", "2026-03-31"]);
  expect(data.map(({ group }) => group)).toEqual(["jumpy", "steady"]);
  expect(data[1]).toEqual({
    group: "steady",
    spentUsd: "28",
    expectedUsd: "62",
    lowUsd: "62",
    highUsd: "62",
    method: "weeks",
  });
  expect(total.spentUsd).toBe(formatDecimal(sumDecimals(data.map(({ spentUsd }) => parseDecimal(spentUsd)))));
  expect(total.days.map(({ day }) => day)).toEqual(
    Array.from({ length: 17 }, (_, n) => `2026-03-${String(15 + n).padStart(2, "0")}`),
  );
  expect(Number(total.highUsd)).toBeGreaterThan(Number(total.lowUsd));
});

it("forecasts to another day, and names one that can't be", async () => {
  const { from, total } = await client.costForecast({ tz: TZ, until: "2026-04-02", team: "steady" });
  expect([from, total.spentUsd, total.expectedUsd]).toEqual(["2026-03-01", "28", "66"]);
  for (const until of ["2026-03-14", "2027-01-01", "soon"]) {
    await expect(client.costForecast({ tz: TZ, until })).rejects.toMatchObject({
      code: "invalid_request",
      field: "until",
    });
  }
});

it("counts what today has cost so far, and expects no less of it", async () => {
  await warehouse.insertCalls("spend", [
    callAt("today", "small", 0, 1000, "7"),
    callAt("steady", "small", 0, 1000, "5"),
  ]);
  const { data } = await client.costForecast({ tz: TZ });
  const rows = Object.fromEntries(data.map(({ group, spentUsd, expectedUsd }) => [group, [spentUsd, expectedUsd]]));
  expect(rows.steady).toEqual(["33", "65"]);
  expect(rows.today).toEqual(["7", "7"]);
});

it("has nothing to say of a workspace without history", async () => {
  const { data, total } = await client.costForecast({ tz: TZ, team: "nobody" });
  expect([data, total]).toEqual([
    [],
    { group: "total", spentUsd: "0", expectedUsd: null, lowUsd: null, highUsd: null, method: null, days: [] },
  ]);
});

it("is told by provider, and narrowed to one", async () => {
  const { data } = await client.cost({ groupBy: "provider", provider: "openai", team: "jumpy" });
  expect(data.map(({ group, calls }) => [group, calls])).toEqual([["openai", DAYS]]);
  expect((await client.cost({ groupBy: "team", provider: "another" })).data).toEqual([]);
});

it("finds the odd day of the group that had one", async () => {
  const { data } = await client.costAnomalies({ tz: TZ });
  expect(data).toEqual([
    { group: "jumpy", day: "2026-03-09", costUsd: "40", expectedUsd: "4", score: expect.any(Number) },
  ]);
});

it("explains a period by the one before it", async () => {
  const from = "2026-03-09T00:00:00+09:00";
  const change = await client.costChange({ from, to: "2026-03-10T00:00:00+09:00" });
  expect(change).toMatchObject({
    before: { from: "2026-03-07T15:00:00.000000000Z", calls: 2, costUsd: "6" },
    after: { calls: 2, costUsd: "42" },
    changeUsd: "36",
    volumeUsd: "0",
    mixUsd: "0",
    priceUsd: "36",
    data: [
      { model: "large", meter: "input", changeUsd: "36", priceUsd: "36", quantityUsd: "0" },
      { model: "small", meter: "input", changeUsd: "0", priceUsd: "0", quantityUsd: "0" },
    ],
  });
  await expect(client.costChange({ from })).rejects.toMatchObject({ field: "to" });
  await expect(client.costChange({ from, to: from })).rejects.toMatchObject({ field: "to" });
});
