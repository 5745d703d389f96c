/** Months that close: what is billed in which, by property against a slow model and by example. */
import { type Decimal, formatDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import {
  type Charge,
  EMPTY_BUCKETS,
  findBillingPeriod,
  type RatedCall,
  type TimeRange,
  type UsageQuestion,
} from "@centspan/model";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openWarehouse } from "./index.ts";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { HOUR_NS, makeCall, makeLine } from "./testing/records.ts";

const test = useWarehouse();
const OCTOBER = findBillingPeriod("UTC", "2026-10");
const NOVEMBER = findBillingPeriod("UTC", "2026-11");
const ALL = { fromNs: 0n, toNs: 2n ** 62n };
const AFTER_OCTOBER = { fromNs: OCTOBER.toNs, toNs: 2n ** 62n };
const DAY_NS = 24n * HOUR_NS;

let closedToNs = 0n;
const closing = openWarehouse({
  url: test.url,
  books: {
    whileAlone: (_workspace, work) => work(closedToNs),
  },
});
afterAll(() => closing.close());

let workspaces = 0;
function freshWorkspace(): string {
  closedToNs = 0n;
  return `billed${++workspaces}`;
}
const inOctober = (callId: string, call: Partial<RatedCall> = {}, cost = "0.5") =>
  makeCall(callId, { atNs: OCTOBER.fromNs + DAY_NS, ...call }, cost);

const totals = async (workspace: string, range = ALL) =>
  Object.fromEntries(
    (await closing.sumTeams(workspace, range)).map(({ team, exactUsd }) => [team, formatDecimal(exactUsd)]),
  );
async function charges(workspace: string, range = AFTER_OCTOBER): Promise<Charge[]> {
  const all: Charge[] = [];
  for await (const some of closing.listCharges(workspace, range, "UTC")) all.push(...some);
  return all;
}
const brief = (rows: readonly Charge[]) =>
  rows.map(({ day, team, quantity, costUsd, isCorrection }) => [
    day,
    team,
    quantity,
    formatDecimal(costUsd),
    isCorrection,
  ]);

describe("a closed month", () => {
  it("keeps its lines; what changes, goes and comes later is corrections in the month that is open", async () => {
    const workspace = freshWorkspace();
    const [changed, gone, late] = [
      inOctober("changed", { team: "a" }, "1"),
      inOctober("gone", { team: "b" }, "2"),
      inOctober("late", { team: "c" }, "4"),
    ];
    await closing.insertCalls(workspace, [changed, gone]);
    closedToNs = OCTOBER.toNs;
    const dearer = inOctober("changed", { team: "a" }, "7");
    const more = inOctober("changed", {
      team: "a",
      lines: [makeLine({ quantity: 2, unitPriceUsd: parseDecimal("0.625") })],
    });
    await closing.insertCalls(workspace, [dearer]);
    expect(await totals(workspace, AFTER_OCTOBER)).toEqual({});
    await closing.insertCalls(workspace, [more, late]);
    await closing.withdrawCalls(workspace, ["gone", "unheard of"]);
    expect(await totals(workspace, OCTOBER)).toEqual({ a: "1", b: "2" });
    expect(await totals(workspace, AFTER_OCTOBER)).toEqual({ a: "0.25", b: "-2", c: "4" });
    expect(brief(await charges(workspace))).toEqual([
      ["2026-10-02", "a", 2, "1.25", true],
      ["2026-10-02", "a", -1, "-1", true],
      ["2026-10-02", "b", -1, "-2", true],
      ["2026-10-02", "c", 1, "4", true],
    ]);
    // The calls themselves stay as they were billed.
    const [first] = await closing.readCalls(workspace, ["changed"]);
    expect(first).toEqual(changed);
  });

  it("has its corrections once, however often they are said, and takes them back when they are", async () => {
    const workspace = freshWorkspace();
    const call = inOctober("call", { team: "a" }, "1");
    await closing.insertCalls(workspace, [call]);
    closedToNs = OCTOBER.toNs;
    const moved = { ...call, team: "b" };
    for (const version of [moved, moved, { ...moved, task: "named later", atNs: moved.atNs + 5n }])
      await closing.insertCalls(workspace, [version]);
    expect(await totals(workspace, AFTER_OCTOBER)).toEqual({ a: "-1", b: "1" });
    await closing.insertCalls(workspace, [call]);
    expect(await totals(workspace)).toEqual({ a: "1", b: "0" });
    expect(await charges(workspace)).toEqual([]);
    await closing.withdrawCalls(workspace, ["call"]);
    await closing.withdrawCalls(workspace, ["call"]);
    expect(await totals(workspace)).toEqual({ a: "0", b: "0" });
    await closing.insertCalls(workspace, [call]);
    expect(await totals(workspace)).toEqual({ a: "1", b: "0" });
  });

  it("gives nothing back where what a call costs is not known any more: what was billed stands", async () => {
    const workspace = freshWorkspace();
    const call = inOctober("call", { team: "a" }, "1");
    await closing.insertCalls(workspace, [call]);
    closedToNs = OCTOBER.toNs;
    for (const costStatus of ["unpriced", "quarantined"] as const)
      await closing.insertCalls(workspace, [{ ...call, team: "b", costStatus, costUsd: null, lines: [] }]);
    expect(await charges(workspace)).toEqual([]);
    expect(await totals(workspace)).toEqual({ a: "1" });
  });

  it("counts what is not known any more in the month that is open, once, until it is known again", async () => {
    const workspace = freshWorkspace();
    const call = inOctober("call", { team: "a" }, "1");
    await closing.insertCalls(workspace, [call]);
    closedToNs = OCTOBER.toNs;
    const unknown = async () => Object.values(await closing.countUnknownCosts(workspace, AFTER_OCTOBER));
    const becomes = (costStatus: "unpriced" | "quarantined") =>
      closing.insertCalls(workspace, [{ ...call, costStatus, costUsd: null, lines: [] }]);
    await becomes("unpriced");
    await becomes("unpriced");
    expect(await unknown()).toEqual([1, 0]);
    await becomes("quarantined");
    expect(await unknown()).toEqual([0, 1]);
    await closing.insertCalls(workspace, [call]);
    expect(await unknown()).toEqual([0, 0]);
    await becomes("unpriced");
    await closing.insertCalls(workspace, [inOctober("call", { team: "b" }, "3")]);
    expect(await unknown()).toEqual([0, 0]);
    await becomes("unpriced");
    await closing.withdrawCalls(workspace, ["call"]);
    expect(await unknown()).toEqual([0, 0]);
    expect(await totals(workspace)).toEqual({ a: "0", b: "0" });
    expect(await closing.countUnknownCosts(workspace, OCTOBER)).toEqual({ unpricedCalls: 0, quarantinedCalls: 0 });
    // No line of a bill comes of it.
    const lines = (await closing.sumTeams(workspace, AFTER_OCTOBER)).map((sum) => sum.lines);
    expect(lines).toEqual([1, 2]);
  });

  it("has what it had no price for billed in the open month, and the usage stays counted once", async () => {
    const workspace = freshWorkspace();
    const unpriced = inOctober("call", { costStatus: "unpriced", costUsd: null, lines: [] });
    await closing.insertCalls(workspace, [unpriced]);
    expect(await closing.countUnknownCosts(workspace, OCTOBER)).toEqual({ unpricedCalls: 1, quarantinedCalls: 0 });
    const question: UsageQuestion = {
      range: OCTOBER,
      providers: [unpriced.provider],
      by: [],
      cells: { daysOf: "UTC" },
    };
    const usage = async () => (await closing.sumUsage(workspace, question))[0];
    expect(await usage()).toMatchObject({ startNs: OCTOBER.fromNs + DAY_NS, quantity: 1, unpricedQuantity: 1 });
    closedToNs = OCTOBER.toNs;
    await closing.insertCalls(workspace, [inOctober("call", {}, "3")]);
    expect(await totals(workspace, OCTOBER)).toEqual({});
    expect(await totals(workspace, AFTER_OCTOBER)).toEqual({ "": "3" });
    expect(await usage()).toMatchObject({ quantity: 1, unpricedQuantity: 0, costUsd: parseDecimal("3") });
    expect((await usage())?.laterUsd).toEqual(parseDecimal("3"));
    // It is a call of the open month now, until that is closed too.
    await closing.insertCalls(workspace, [inOctober("call", { team: "b" }, "4")]);
    expect(await totals(workspace)).toEqual({ b: "4" });
    expect((await charges(workspace)).map(({ isCorrection }) => isCorrection)).toEqual([true]);
  });

  it("bills nothing of a call without a price that turned out to be none", async () => {
    const workspace = freshWorkspace();
    const unpriced = inOctober("call", { costStatus: "unpriced", costUsd: null, lines: [] });
    await closing.insertCalls(workspace, [unpriced]);
    closedToNs = OCTOBER.toNs;
    // Said anew while it has no price, it stays where it was counted.
    await closing.insertCalls(workspace, [{ ...unpriced, team: "a" }]);
    const count = (range: TimeRange) => closing.countUnknownCosts(workspace, range);
    expect([await count(OCTOBER), await count(AFTER_OCTOBER)].map(({ unpricedCalls }) => unpricedCalls)).toEqual([
      1, 0,
    ]);
    await closing.withdrawCalls(workspace, ["call"]);
    expect(await closing.readCalls(workspace, ["call"])).toEqual([]);
  });

  it("is asked what was used by what is told apart, in days of a zone or in quarters of an hour, of whom", async () => {
    const workspace = freshWorkspace();
    closedToNs = 0n;
    const used = (callId: string, call: Partial<RatedCall>) => ({ ...inOctober(callId), provider: "p", ...call });
    // Eleven in the evening in Berlin, and half an hour later.
    const lateNs = OCTOBER.fromNs + 3n * DAY_NS - 3n * HOUR_NS;
    await closing.insertCalls(workspace, [
      used("a", { key: "k1", model: "m1", atNs: lateNs }),
      used("b", { key: "k2", model: "m2", atNs: lateNs + HOUR_NS / 2n }),
      used("c", { key: "k2", model: "m2", atNs: lateNs + HOUR_NS }),
      used("d", { provider: "another", atNs: lateNs }),
    ]);
    const ask = async (question: Omit<UsageQuestion, "range" | "providers">) =>
      (await closing.sumUsage(workspace, { range: OCTOBER, providers: ["p"], ...question })).map(
        ({ startNs, key, model, quantity }) => [startNs - lateNs, key, model, quantity],
      );
    expect(await ask({ by: [], cells: { daysOf: "UTC" } })).toEqual([[-21n * HOUR_NS, "", "", 3]]);
    expect(await ask({ by: ["key"], cells: { daysOf: "Europe/Berlin" } })).toEqual([
      [-23n * HOUR_NS, "k1", "", 1],
      [-23n * HOUR_NS, "k2", "", 1],
      [HOUR_NS, "k2", "", 1],
    ]);
    const only = [{ team: "", key: "k2", model: "m2" }];
    expect(await ask({ by: ["key", "model"], cells: "quarters", only })).toEqual([
      [HOUR_NS / 2n, "k2", "m2", 1],
      [HOUR_NS, "k2", "m2", 1],
    ]);
  });

  it("is asked which calls are in quarantine, by day and of whom", async () => {
    const workspace = freshWorkspace();
    const held: Partial<RatedCall> = {
      ...{ provider: "p", model: "m", costStatus: "quarantined", costUsd: null, lines: [] },
    };
    await closing.insertCalls(workspace, [
      inOctober("a", { ...held, key: "k1" }),
      inOctober("b", { ...held, key: "k1" }),
      inOctober("c", { ...held, key: "k2", atNs: OCTOBER.toNs - 1n }),
      inOctober("d", { ...held, provider: "another" }),
      inOctober("e", { provider: "p" }),
    ]);
    const ask = (of: string) => closing.countQuarantined(of, { range: OCTOBER, providers: ["p"], by: ["key"] });
    const common = { provider: "p", team: "", model: "" };
    expect(await ask(workspace)).toEqual([
      { ...common, day: "2026-10-02", key: "k1", calls: 2 },
      { ...common, day: "2026-10-31", key: "k2", calls: 1 },
    ]);
    expect(await ask(freshWorkspace())).toEqual([]);
  });

  it("is followed by one that closes with the corrections that were posted in it", async () => {
    const workspace = freshWorkspace();
    closedToNs = OCTOBER.toNs;
    await closing.insertCalls(workspace, [inOctober("late", {}, "1")]);
    closedToNs = 2n ** 61n;
    await closing.insertCalls(workspace, [inOctober("late", { model: "another" }, "5")]);
    expect(await totals(workspace)).toEqual({ "": "5" });
    expect(await totals(workspace, { fromNs: OCTOBER.toNs, toNs: closedToNs })).toEqual({ "": "1" });
  });

  it("never changes, and all months together are what the calls came to, whatever happens in which order", async () => {
    const version = fc.record({
      call: fc.constantFrom("p", "q", "r"),
      team: fc.constantFrom("a", "b"),
      cents: fc.integer({ min: 0, max: 300 }),
      at: fc.constantFrom(OCTOBER.fromNs, OCTOBER.toNs - 1n, NOVEMBER.fromNs),
    });
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant("write" as const), version }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), version }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("close" as const), version }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const workspace = freshWorkspace();
        const said = new Map<string, { team: string; usd: Decimal }>();
        let october: Record<string, string> | null = null;
        for (const {
          kind,
          version: { call, team, cents, at },
        } of steps) {
          const usd = parseDecimal((cents / 100).toFixed(2));
          if (kind === "write") {
            const lines = cents === 0 ? [] : [makeLine({ quantity: cents, unitPriceUsd: parseDecimal("0.01") })];
            const buckets = { ...EMPTY_BUCKETS, input: cents };
            await closing.insertCalls(workspace, [makeCall(call, { team, lines, buckets, atNs: at })]);
            said.set(call, { team, usd });
          } else if (kind === "withdraw") {
            await closing.withdrawCalls(workspace, [call]);
            said.delete(call);
          } else if (october === null) {
            october = await totals(workspace, OCTOBER);
            closedToNs = OCTOBER.toNs;
          }
          if (october !== null) expect(await totals(workspace, OCTOBER)).toEqual(october);
        }
        const bills = await closing.sumTeams(workspace, ALL);
        for (const name of ["a", "b"]) {
          const expected = sumDecimals([...said.values()].filter(({ team }) => team === name).map(({ usd }) => usd));
          const billed = bills.find(({ team }) => team === name)?.exactUsd ?? parseDecimal("0");
          expect([name, formatDecimal(billed)]).toEqual([name, formatDecimal(expected)]);
        }
      }),
      { numRuns: 10 },
    );
  });
});

it("gives charges by day of the zone, apart by all that has a price of its own", async () => {
  const workspace = freshWorkspace();
  const lines = [
    makeLine({ meter: "input", quantity: 3 }),
    makeLine({ meter: "output_text", quantity: 2, unitPriceUsd: parseDecimal("0.00001") }),
  ];
  const call = (id: string, hours: bigint) => makeCall(id, { atNs: OCTOBER.fromNs + hours * HOUR_NS, lines });
  await closing.insertCalls(workspace, [call("x", 1n), call("y", 2n), call("z", 23n)]);
  const rows: Charge[] = [];
  for await (const some of closing.listCharges(workspace, OCTOBER, "Asia/Seoul")) rows.push(...some);
  expect(rows.map(({ day, meter, quantity, costUsd }) => [day, meter, quantity, formatDecimal(costUsd)])).toEqual([
    ["2026-10-01", "input", 6, "0.000018"],
    ["2026-10-01", "output_text", 4, "0.00004"],
    ["2026-10-02", "input", 3, "0.000009"],
    ["2026-10-02", "output_text", 2, "0.00002"],
  ]);
  expect(await closing.readFirstPostedNs(workspace)).toBe(OCTOBER.fromNs + HOUR_NS);
  expect(await closing.readFirstPostedNs("nobody")).toBeNull();
  closedToNs = OCTOBER.toNs;
  const nowNs = BigInt(Date.now()) * 1_000_000n;
  await closing.withdrawCalls(workspace, ["x"]);
  const next = (fromNs: bigint) => closing.readNextPostedNs(workspace, fromNs);
  expect(await next(OCTOBER.fromNs + 3n * HOUR_NS)).toBe(OCTOBER.fromNs + 23n * HOUR_NS);
  // A correction, posted as it is made.
  expect(await next(OCTOBER.toNs)).toBeGreaterThanOrEqual(nowNs > OCTOBER.toNs ? nowNs : OCTOBER.toNs);
  expect(await next(2n ** 62n)).toBeNull();
});
