import { type Decimal, dayOf, formatDecimal, parseDecimal, sumDecimals, ZERO } from "@centspan/base";
import {
  BUCKET_OF_METER,
  type CallFilter,
  type CostGroup,
  EMPTY_BUCKETS,
  METERS,
  type RatedCall,
} from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSpend } from "./readers/spend-rows.ts";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { HOUR_NS, makeCall, makeLine, NOON_NS } from "./testing/records.ts";

const test = useWarehouse();
const DAY_NS = 24n * HOUR_NS;
const zones = new Map<string, string>();
let workspaces = 0;

function freshWorkspace(timeZone = "UTC"): string {
  const workspace = `w${++workspaces}`;
  zones.set(workspace, timeZone);
  return workspace;
}

const refresh = (nowNs = 2n ** 63n - 1n) =>
  test.warehouse.refreshDailyCosts(nowNs, async (workspace) => zones.get(workspace) ?? "UTC");

/** Nothing of the calls is left, so whatever a question answers is from the sums. */
const loseCalls = (workspace: string) =>
  test.connection.command("DELETE FROM calls WHERE workspace = {workspace:String}", { workspace });

const sums = async (workspace: string, groupBy: CostGroup, filter: CallFilter = {}, timeZone = "UTC") =>
  (await test.warehouse.sumCosts(workspace, { groupBy, filter, timeZone })).map(
    ({ group, calls, costUsd }) => [group, calls, formatDecimal(costUsd)] as const,
  );

describe("days that are summed up", () => {
  const calls = [
    makeCall("a", { atNs: NOON_NS, team: "x", model: "m1" }, "1"),
    makeCall("b", { atNs: NOON_NS + DAY_NS, team: "y", model: "m1" }, "2"),
    makeCall("c", { atNs: NOON_NS + DAY_NS, team: "y", model: "m2", costStatus: "unpriced", costUsd: null, lines: [] }),
  ];
  const byTeam = [
    ["x", 1, "1"],
    ["y", 2, "2"],
  ];

  it("answer without their calls, once, and a day with news is asked of its calls again", async () => {
    const workspace = freshWorkspace();
    await test.warehouse.insertCalls(workspace, calls);
    expect(await refresh()).toBe(2);
    expect(await refresh()).toBe(0);
    await loseCalls(workspace);
    expect(await sums(workspace, "team")).toEqual(byTeam);
    expect(await sums(workspace, "meter")).toEqual([["input", 3, "3"]]);
    expect(
      (await test.warehouse.sumCosts(workspace, { groupBy: "model", filter: {}, timeZone: "UTC" }))[1],
    ).toMatchObject({
      group: "m2",
      unpricedCalls: 1,
      byProvenance: {},
    });
    expect(await sums(workspace, "task")).toEqual([]);
    await test.warehouse.insertCalls(workspace, [makeCall("d", { atNs: NOON_NS + 1n, team: "z" }, "4")]);
    expect(await sums(workspace, "team")).toEqual([
      ["y", 2, "2"],
      ["z", 1, "4"],
    ]);
  });

  it("are over", async () => {
    const workspace = freshWorkspace("Asia/Seoul");
    await test.warehouse.insertCalls(workspace, calls);
    // In Seoul the day of the first ends nine hours before that of UTC.
    const firstEndsNs = (NOON_NS / DAY_NS) * DAY_NS + 15n * HOUR_NS;
    await refresh(firstEndsNs - 1n);
    await loseCalls(workspace);
    expect(await sums(workspace, "team")).toEqual([]);
    await test.warehouse.insertCalls(workspace, calls);
    await refresh(firstEndsNs);
    await loseCalls(workspace);
    expect(await sums(workspace, "team")).toEqual([["x", 1, "1"]]);
  });

  it("answer for whole days of their zone alone", async () => {
    const workspace = freshWorkspace("Asia/Seoul");
    await test.warehouse.insertCalls(workspace, calls);
    await refresh();
    await loseCalls(workspace);
    expect(await sums(workspace, "team")).toEqual(byTeam);
    expect(await sums(workspace, "day", {}, "Asia/Seoul")).toEqual([
      ["2026-11-15", 1, "1"],
      ["2026-11-16", 2, "2"],
    ]);
    expect(await sums(workspace, "day", {}, "UTC")).toEqual([]);
    const range = { fromNs: NOON_NS, toNs: NOON_NS + 2n * DAY_NS };
    expect(await sums(workspace, "team", { range })).toEqual([["y", 2, "2"]]);
  });

  it("follow the zone of the workspace", async () => {
    const workspace = freshWorkspace("UTC");
    await test.warehouse.insertCalls(workspace, calls);
    await refresh();
    zones.set(workspace, "America/Santiago");
    expect(await refresh()).toBeGreaterThan(2);
    await loseCalls(workspace);
    expect(await sums(workspace, "team")).toEqual(byTeam);
    expect((await sums(workspace, "day", {}, "America/Santiago")).map(([day]) => day)).toEqual([
      "2026-11-15",
      "2026-11-16",
    ]);
    expect(await sums(workspace, "day")).toEqual([]);
  });

  it("are not believed when they are written to while they are read", async () => {
    const workspace = freshWorkspace();
    await test.warehouse.insertCalls(workspace, calls);
    await refresh();
    let asked = 0;
    const question = { grain: "calls", columns: { team: "team" }, filter: {}, fits: () => true } as const;
    const cost = await readSpend(test.connection, workspace, question, async (rows, params) => {
      const [answer] = await test.connection.query<{ cost: string }>(
        `SELECT sum(charged_usd) AS cost FROM (${rows})`,
        params,
      );
      asked += 1;
      // After the answer was worked out: its sums are of before.
      if (asked === 1) await test.warehouse.insertCalls(workspace, [makeCall("late", { atNs: NOON_NS }, "8")]);
      return answer?.cost;
    });
    expect([asked, Number(cost)]).toEqual([2, 11]);
  });

  it.each([
    ["team", "calls", "without_keys"],
    ["key", "calls", "of_keys"],
    ["model", "meters", "without_keys"],
  ] as const)("by %s, of %s, are read from the sums %s", async (column, grain, projection) => {
    const workspace = freshWorkspace();
    await test.warehouse.insertCalls(workspace, calls);
    await refresh();
    const question = { grain, columns: { group: column }, filter: { team: "x" }, fits: () => true } as const;
    const plan = await readSpend(test.connection, workspace, question, (rows, params) =>
      test.connection.query(`EXPLAIN SELECT group, sum(charged_usd) FROM (${rows}) GROUP BY group`, params),
    );
    expect(plan).toContainEqual({ explain: expect.stringContaining(`ReadFromMergeTree (${projection})`) });
  });

  it("stay as they are when summing up dies half-way", async () => {
    const workspace = freshWorkspace();
    await test.warehouse.insertCalls(workspace, calls);
    await test.connection.command(
      `INSERT INTO daily_costs (workspace, at, team, calls, revision)
       SELECT {workspace:String}, '2026-11-15 00:00:00', 'x', 7, 1 + max(revision) FROM cost_days`,
      { workspace },
    );
    expect(await sums(workspace, "team")).toEqual(byTeam);
    await refresh();
    expect(await sums(workspace, "team")).toEqual(byTeam);
    await test.connection.command("OPTIMIZE TABLE daily_costs FINAL");
    expect(await sums(workspace, "team")).toEqual(byTeam);
  });
});

it("a call that moves is where it is now, whatever is merged", async () => {
  const workspace = freshWorkspace();
  const ranges = [0n, 10n, 20n].map((days) => ({
    fromNs: NOON_NS + days * DAY_NS,
    toNs: NOON_NS + (days + 1n) * DAY_NS,
  }));
  const where = async () => {
    const found = [];
    for (const range of ranges)
      found.push(...(await sums(workspace, "team", { range })).map(([, calls]) => calls), "|");
    return found.join("");
  };
  const moveTo = (days: bigint) =>
    test.warehouse.insertCalls(workspace, [makeCall("a", { atNs: NOON_NS + days * DAY_NS })]);
  const steps: [() => Promise<unknown>, string][] = [
    [() => moveTo(0n), "1|||"],
    [() => moveTo(10n), "|1||"],
    [() => moveTo(20n), "||1|"],
    [() => moveTo(10n), "|1||"],
    [() => test.connection.command("OPTIMIZE TABLE calls FINAL"), "|1||"],
    [() => test.warehouse.withdrawCalls(workspace, ["a"]), "|||"],
    [() => moveTo(0n), "1|||"],
  ];
  for (const [step, expected] of steps) {
    await step();
    expect(await where()).toBe(expected);
    expect((await test.warehouse.listCalls(workspace, {}, { limit: 9, cursor: null })).data).toHaveLength(
      expected.includes("1") ? 1 : 0,
    );
  }
});

it("the clocks of senders make few partitions", async () => {
  const workspace = freshWorkspace();
  const instants = [0n, 2n ** 63n - 1n, ...Array.from({ length: 50 }, (_, year) => BigInt(year) * 365n * DAY_NS)];
  await test.warehouse.insertCalls(
    workspace,
    instants.map((atNs, index) => makeCall(`${index}`, { atNs })),
  );
  const [row] = await test.connection.query<{ partitions: string }>(
    "SELECT uniqExact(_partition_id) AS partitions FROM calls WHERE workspace = {workspace:String} AND at < '2020-01-01 00:00:00' OR at > '2050-01-01 00:00:00'",
    { workspace },
  );
  expect(row?.partitions).toBe("1");
  await refresh();
  expect(await sums(workspace, "team")).toEqual([["", instants.length, `${instants.length / 2}`]]);
});

describe("after any changes, whichever days are summed up", () => {
  const zone = fc.constantFrom("UTC", "Asia/Kolkata", "America/New_York");
  const call = fc.record({
    id: fc.integer({ min: 0, max: 7 }),
    hours: fc.constantFrom(-400, -30, -13, -12, -1, 0, 1, 11, 12, 13, 300),
    team: fc.constantFrom("x", "y"),
    status: fc.constantFrom("rated", "unpriced" as const),
    quantities: fc.dictionary(fc.constantFrom(...METERS), fc.integer({ min: 1, max: 1000 })),
  });
  const step = fc.oneof(
    fc.record({ insert: fc.array(call, { minLength: 1, maxLength: 4 }) }),
    fc.record({ withdraw: fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 3 }) }),
    fc.record({ refreshIn: zone }),
  );

  const build = ({ id, hours, team, status, quantities }: typeof call extends fc.Arbitrary<infer T> ? T : never) => {
    const buckets = { ...EMPTY_BUCKETS };
    for (const meter of METERS) buckets[BUCKET_OF_METER[meter]] = quantities[meter] ?? 0;
    const lines = METERS.flatMap((meter, index) => {
      const unitPriceUsd = parseDecimal(`0.00000000000${index + 1}`);
      return quantities[meter] === undefined ? [] : [makeLine({ meter, quantity: quantities[meter], unitPriceUsd })];
    });
    const atNs = NOON_NS + BigInt(hours) * HOUR_NS;
    const cost = sumDecimals(lines.map(({ costUsd }) => costUsd));
    return status === "rated"
      ? makeCall(`call_${id}`, { atNs, team, buckets, lines, costUsd: cost })
      : makeCall(`call_${id}`, { atNs, team, buckets, costStatus: status, lines: [], costUsd: null });
  };

  /** The slow model: a walk over the calls. */
  const add = (entries: (readonly [group: string, cost: Decimal | null])[]) => {
    const groups = new Map<string, { calls: number; cost: Decimal }>();
    for (const [group, cost] of entries) {
      const before = groups.get(group) ?? { calls: 0, cost: ZERO };
      groups.set(group, { calls: before.calls + 1, cost: before.cost.plus(cost ?? ZERO) });
    }
    return [...groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([group, { calls, cost }]) => [group, calls, formatDecimal(cost)]);
  };

  it("spend is that of the calls", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), zone, async (steps, asked) => {
        const workspace = freshWorkspace();
        const model = new Map<string, RatedCall>();
        for (const change of steps) {
          if ("insert" in change) {
            const calls = change.insert.map(build);
            await test.warehouse.insertCalls(workspace, calls);
            for (const one of calls) model.set(one.callId, one);
          } else if ("withdraw" in change) {
            const ids = change.withdraw.map((id) => `call_${id}`);
            await test.warehouse.withdrawCalls(workspace, ids);
            for (const id of ids) model.delete(id);
          } else {
            zones.set(workspace, change.refreshIn);
            await refresh();
          }
        }
        const range = { fromNs: NOON_NS - 36n * HOUR_NS, toNs: NOON_NS + 12n * HOUR_NS };
        for (const filter of [{}, { range }, { team: "x" }]) {
          const calls = [...model.values()].filter(
            ({ atNs, team }) =>
              !("range" in filter && (atNs < range.fromNs || atNs >= range.toNs)) &&
              !("team" in filter && team !== "x"),
          );
          expect(await sums(workspace, "team", filter)).toEqual(add(calls.map((one) => [one.team, one.costUsd])));
          const byDay = add(calls.map((one) => [dayOf(asked, one.atNs), one.costUsd]));
          expect(await sums(workspace, "day", filter, asked)).toEqual(byDay);
          const used = calls.flatMap(({ buckets, lines }) =>
            METERS.filter((meter) => buckets[BUCKET_OF_METER[meter]] > 0).map(
              (meter) => [meter, lines.find((line) => line.meter === meter)?.costUsd ?? null] as const,
            ),
          );
          expect(await sums(workspace, "meter", filter)).toEqual(add(used));
          const charged = calls.flatMap(({ lines }) => lines);
          const spend = await test.warehouse.listMeterSpend(workspace, filter);
          expect(spend.map(({ meter, quantity }) => [meter, Number(quantity)])).toEqual(
            [...METERS]
              .sort()
              .filter((meter) => charged.some((line) => line.meter === meter))
              .map((meter) => [meter, charged.reduce((n, line) => n + (line.meter === meter ? line.quantity : 0), 0)]),
          );
        }
      }),
      { numRuns: 6 },
    );
  }, 120_000);
});
