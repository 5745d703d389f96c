/** The table against the function that it is made of, on calls and books of any kind. */
import { formatDecimal } from "@centspan/base";
import {
  type Call,
  type ContractPrice,
  METERS,
  type PriceBook,
  type PriceEntry,
  type PriceTable,
  type UnitPrice,
} from "@centspan/model";
import fc from "fast-check";
import { expect, it } from "vitest";
import { findScopes, listPrices, tabulatePrices } from "./index.ts";
import { minuteOfWeek } from "./offers.ts";
import { priceCall } from "./price-call.ts";
import { makeBook, makeCall, makeContract, makeEntry } from "./testing/make-book.ts";

const describePrice = (price: UnitPrice | null) =>
  price && {
    id: price.id,
    units: METERS.map((meter) => price.units[meter] && formatDecimal(price.units[meter])),
    list: price.list && METERS.map((meter) => price.list?.[meter] && formatDecimal(price.list[meter])),
  };

/** As a store does it. */
function lookUp({ classes }: PriceTable, call: Call): UnitPrice | null {
  const found = classes.filter(
    ({ callClass }) =>
      callClass.serviceTier === call.serviceTier && callClass.keyId === call.keyId && callClass.team === call.team,
  );
  const { timeCutsNs, contextCuts, minuteCuts, prices } = found[0] ?? expect.fail("the class is not there");
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = call.buckets;
  const context = input + cacheRead + cacheWrite5m + cacheWrite1h;
  const bands = {
    timeBand: timeCutsNs.filter((cut) => call.atNs >= cut).length,
    contextBand: contextCuts.filter(({ comparator, tokens }) =>
      comparator === ">" ? context > tokens * call.requests : context >= tokens * call.requests,
    ).length,
    minuteBand: minuteCuts.filter((cut) => minuteOfWeek(call.atNs) >= cut).length,
  };
  const rows = prices.filter((row) =>
    Object.entries(bands).every(([band, number]) => Reflect.get(row, band) === number),
  );
  expect([found.length, rows.length]).toEqual([1, 1]);
  return rows[0]?.price ?? null;
}

const FROM = "2026-03-01";
const minutes = fc.nat(60 * 24 * 100);
const instant = minutes.map((minute) => new Date(Date.parse(FROM) + minute * 60_000).toISOString());
const period = fc
  .tuple(instant, fc.option(fc.integer({ min: 1, max: 60 * 24 * 60 }), { nil: undefined }))
  .map(([from, length]) => ({
    from,
    ...(length !== undefined && { to: new Date(Date.parse(from) + length * 60_000).toISOString() }),
  }));
const when = fc.record(
  {
    serviceTier: fc.constantFrom("flex", "batch"),
    context: fc.record({
      comparator: fc.constantFrom(">" as const, ">=" as const),
      tokens: fc.constantFrom(99, 100, 101),
    }),
    hours: fc.record({ from: fc.constantFrom("00:00", "01:30", "16:30"), to: fc.constantFrom("04:00", "23:59") }),
    weekdays: fc.constantFrom([1, 2, 3, 4, 5], [7], [6, 7]),
  },
  { requiredKeys: [] },
);
const entries: fc.Arbitrary<PriceEntry[]> = fc
  .array(fc.tuple(period, when, fc.constantFrom("m", "m*")), { maxLength: 4 })
  .map((drawn) =>
    drawn.map(([dates, selectors, model], index) =>
      makeEntry({ id: `e${index}`, model, ...dates, when: selectors, perMillion: { input: `${index}` } }),
    ),
  );
const contracts: fc.Arbitrary<ContractPrice[]> = fc
  .array(
    fc.tuple(
      period,
      fc.constantFrom(
        { scope: "key" as const, scopeId: "k" },
        { scope: "team" as const, scopeId: "t" },
        { scope: "org" as const, scopeId: "" },
      ),
      fc.constantFrom("m", "*"),
      fc.boolean(),
      when,
    ),
    { maxLength: 3 },
  )
  .map((drawn) =>
    drawn.map(([dates, scope, model, off, selectors], index) =>
      makeContract({
        id: `c${index}`,
        ...scope,
        ...dates,
        model,
        when: selectors,
        terms: off
          ? { kind: "percent_off", percent: "33.3333" }
          : { kind: "absolute", currency: "EUR", perMillion: { input: "7" } },
      }),
    ),
  );
const rates = fc
  .uniqueArray(instant, { maxLength: 3 })
  .map((days) => days.map((from, index) => ({ currency: "EUR", from, usd: `1.0${index}`, source: "test" })));
const calls = fc.array(
  fc.record({
    at: instant,
    serviceTier: fc.constantFrom("", "flex", "batch"),
    keyId: fc.constantFrom("", "k", "other"),
    team: fc.constantFrom("", "t"),
    requests: fc.constantFrom(1, 3),
    buckets: fc.record({ input: fc.constantFrom(0, 99, 100, 101, 297, 299, 300, 301, 303, 304) }),
  }),
  { maxLength: 8 },
);

const range = { fromNs: makeCall({ at: FROM }).atNs, toNs: makeCall({ at: "2026-07-01" }).atNs };

function check(book: PriceBook, made: readonly Call[]): void {
  const table = tabulatePrices(book, distinct(made), range);
  for (const call of made) expect(describePrice(lookUp(table, call))).toEqual(describePrice(priceCall(call, book)));
}

/** Classes are given once. */
const distinct = (made: readonly Call[]): Call[] => [
  ...new Map(made.map((call) => [JSON.stringify([call.serviceTier, call.keyId, call.team]), call])).values(),
];

it("holds the price of each call in its bands", () => {
  fc.assert(
    fc.property(entries, contracts, rates, calls, (list, agreed, exchange, drawn) =>
      check(
        makeBook(list, agreed, exchange),
        drawn.map((one) => makeCall(one)),
      ),
    ),
    { numRuns: 40 },
  );
}, 60_000);

it("tells averages apart that lie between two cuts of whole tokens", () => {
  const cut = (id: string, comparator: ">" | ">=", tokens: number) =>
    makeEntry({ id, when: { context: { comparator, tokens } } });
  const list = [makeEntry(), cut("above", ">", 99), cut("from", ">=", 100)];
  for (const input of [297, 298, 299, 300]) check(makeBook(list), [makeCall({ requests: 3, buckets: { input } })]);
});

it("has rows only for what the prices of a class depend on", () => {
  const calls = ["openai/gpt-5", "deepseek/deepseek-v4-pro", "openrouter/deepseek/deepseek-v4-pro"].map((name) =>
    makeCall({ provider: name.split("/")[0] ?? "", model: name.slice(name.indexOf("/") + 1), at: "2026-08-20" }),
  );
  const [plain, hourly, passed] = tabulatePrices(listPrices, calls, {
    fromNs: makeCall({ at: "2026-08-01" }).atNs,
    toNs: makeCall({ at: "2026-09-01" }).atNs,
  }).classes;
  expect(plain?.prices).toHaveLength(1);
  expect(hourly).toMatchObject({ timeCutsNs: { length: 2 }, contextCuts: [], minuteCuts: { length: 34 } });
  expect(passed).toEqual({ ...hourly, callClass: passed?.callClass });
});

it("names the keys and teams that contracts are for", () => {
  const book = makeBook(
    [],
    [
      makeContract({ id: "1", scope: "key", scopeId: "k" }),
      makeContract({ id: "2", scope: "team", scopeId: "t" }),
      makeContract({ id: "3", scope: "team", scopeId: "t" }),
      makeContract({ id: "4" }),
    ],
  );
  expect(findScopes(book)).toEqual({ keyIds: ["k"], teams: ["t"] });
});
