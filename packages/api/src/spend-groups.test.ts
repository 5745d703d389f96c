/** Spend that is worked out by group: how far back by the calendar, of how many groups, and of which calls. */
import { formatDecimal, parseDecimal, parseInstant, sumDecimals } from "@centspan/base";
import { EMPTY_BUCKETS, type RatedCall } from "@centspan/model";
import { expect, it } from "vitest";
import { makeCall, useApi } from "./testing/use-api.ts";

const WORKSPACE = "spend-groups";
const TZ = "Europe/Berlin";
const at = (text: string): bigint => {
  const ns = parseInstant(text);
  if (ns === null) throw new Error(`${text} is no instant`);
  return ns;
};
let nowNs = 0n;
const { warehouse, client } = useApi(WORKSPACE, { nowNs: () => nowNs });

const priced = (team: string, instant: string, usd = "1"): RatedCall =>
  makeCall({
    callId: `${team} ${instant}`,
    atNs: at(instant),
    team,
    buckets: { ...EMPTY_BUCKETS, input: 1000 },
    costStatus: "rated",
    costUsd: parseDecimal(usd),
    lines: [
      {
        meter: "input",
        quantity: 1000,
        unitPriceUsd: parseDecimal(usd).times(parseDecimal("0.001")),
        listUnitPriceUsd: null,
        costUsd: parseDecimal(usd),
        priceEntryId: "p",
        ratingRunId: "r",
      },
    ],
  });

it.each([
  ["2026-04-15T12:00:00+02:00", "2026-01-20T23:30:00+01:00", "2026-01-21T00:00:00+01:00"],
  ["2026-11-30T12:00:00+01:00", "2026-09-06T23:59:59+02:00", "2026-09-07T00:30:00+02:00"],
  ["2026-06-15T12:00:00+02:00", "2026-03-22T23:59:59+01:00", "2026-03-23T00:00:00+01:00"],
])(
  "at %s looks back 84 days of the calendar, over a change of the clocks: not to %s, but to %s",
  async (now, before, first) => {
    nowNs = at(now);
    await warehouse.insertCalls(WORKSPACE, [priced(`before ${now}`, before), priced(`first ${now}`, first)]);
    const groups = async (team: string) => (await client.costForecast({ tz: TZ, team })).data.map(({ group }) => group);
    expect([await groups(`before ${now}`), await groups(`first ${now}`)]).toEqual([[], [`first ${now}`]]);
  },
);

it("forecasts and judges the dearest groups, and says what the others come to and how many they are", async () => {
  nowNs = at("2027-03-15T12:00:00+01:00");
  const days = Array.from({ length: 14 }, (_, day) => `2027-03-${String(day + 1).padStart(2, "0")}T12:00:00+01:00`);
  const teams = Array.from({ length: 60 }, (_, team) => `team ${team}`);
  await warehouse.insertCalls(
    WORKSPACE,
    teams.flatMap((team, index) => days.map((day) => priced(team, day, `0.${String(index + 1).padStart(3, "0")}`))),
  );
  const { data, others, total } = await client.costForecast({ tz: TZ });
  expect(data.map(({ group }) => group)).toEqual(teams.slice(10).reverse());
  expect(others).toMatchObject({ groups: 10, spentUsd: "0.77", method: "weeks" });
  for (const field of ["spentUsd", "expectedUsd"] as const) {
    const sum = sumDecimals([...data, ...(others ? [others] : [])].map((row) => parseDecimal(row[field] ?? "")));
    expect(formatDecimal(sum)).toBe(total[field]);
  }
  expect(await client.costAnomalies({ tz: TZ })).toEqual({ data: [], others: 10, nextCursor: null });
  expect((await client.costForecast({ tz: TZ, team: "team 1" })).others).toBe(null);
});

it("explains a change by the calls that have a cost: more without one are no volume", async () => {
  const from = "2027-01-02T00:00:00Z";
  const unknown = (index: number, costStatus: RatedCall["costStatus"]): RatedCall =>
    makeCall({ callId: `u${index}`, atNs: at(from), team: "change", costStatus });
  await warehouse.insertCalls(WORKSPACE, [
    priced("change", "2027-01-01T12:00:00Z", "5"),
    priced("change", "2027-01-02T12:00:00Z", "5"),
    ...Array.from({ length: 20 }, (_, index) => unknown(index, index % 2 ? "unpriced" : "quarantined")),
  ]);
  const change = await client.costChange({ from, to: "2027-01-03T00:00:00Z", team: "change" });
  expect(change).toMatchObject({
    before: { calls: 1 },
    after: { calls: 1 },
    volumeUsd: "0",
    mixUsd: "0",
    changeUsd: "0",
  });
});
