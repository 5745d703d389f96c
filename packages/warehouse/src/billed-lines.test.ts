/** Months that close: what is billed in which, by property against a slow model and by example. */
import { type Decimal, formatDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import { type Charge, findBillingPeriod, type RatedCall } from "@centspan/model";
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
  books: { whileOpen: (_workspace, write) => write(closedToNs) },
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
    const recharged = inOctober("changed", { team: "a" }, "1.25");
    await closing.insertCalls(workspace, [recharged, late]);
    await closing.withdrawCalls(workspace, ["gone", "unheard of"]);
    expect(await totals(workspace, OCTOBER)).toEqual({ a: "1", b: "2" });
    expect(await totals(workspace, AFTER_OCTOBER)).toEqual({ a: "0.25", b: "-2", c: "4" });
    expect(brief(await charges(workspace))).toEqual([
      ["2026-10-02", "a", -1, "-1", true],
      ["2026-10-02", "a", 1, "1.25", true],
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

  it("gets a price for what had none by a correction, and the usage stays counted once", async () => {
    const workspace = freshWorkspace();
    const unpriced = inOctober("call", { costStatus: "unpriced", costUsd: null, lines: [] });
    await closing.insertCalls(workspace, [unpriced]);
    expect(await closing.countUnknownCosts(workspace, OCTOBER)).toEqual({ unpricedCalls: 1, quarantinedCalls: 0 });
    const usage = async () => (await closing.sumUsage(workspace, OCTOBER, 86_400))[0];
    expect(await usage()).toMatchObject({ startNs: OCTOBER.fromNs + DAY_NS, quantity: 1, unpricedQuantity: 1 });
    closedToNs = OCTOBER.toNs;
    await closing.insertCalls(workspace, [inOctober("call", {}, "3")]);
    expect(await totals(workspace, OCTOBER)).toEqual({});
    expect(await totals(workspace, AFTER_OCTOBER)).toEqual({ "": "3" });
    expect(await usage()).toMatchObject({ quantity: 1, unpricedQuantity: 0, costUsd: parseDecimal("3") });
  });

  it("is followed by one that closes with the corrections that were posted in it", async () => {
    const workspace = freshWorkspace();
    closedToNs = OCTOBER.toNs;
    await closing.insertCalls(workspace, [inOctober("late", {}, "1")]);
    closedToNs = 2n ** 61n;
    await closing.insertCalls(workspace, [inOctober("late", {}, "5")]);
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
            const lines = [makeLine({ quantity: 1, unitPriceUsd: usd })];
            await closing.insertCalls(workspace, [makeCall(call, { team, lines, atNs: at })]);
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
});
