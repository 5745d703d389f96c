import { countToDecimal, formatDecimal, parseDecimal, sumDecimals, ZERO } from "@centspan/base";
import {
  type Books,
  BUCKET_OF_METER,
  type ChargeLine,
  type CostGroup,
  EMPTY_BUCKETS,
  METERS,
  PROVENANCES,
  type RatedCall,
} from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { and, whereCallIds } from "./conditions.ts";
import { insertCalls } from "./loaders/insert-calls.ts";
import { createRevisions } from "./loaders/revisions.ts";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { HOUR_NS, makeCall, makeLine, NOON_NS, traceId } from "./testing/records.ts";

const test = useWarehouse();
const OPEN_BOOKS: Books = { whileAlone: (_workspace, work) => work(0n) };
let workspaces = 0;
const freshWorkspace = (): string => `w${++workspaces}`;

const readAll = async (workspace: string) =>
  (await test.warehouse.listCalls(workspace, {}, { limit: 1000, cursor: null })).data;
const sumBy = (workspace: string, groupBy: CostGroup, timeZone = "UTC") =>
  test.warehouse.sumCosts(workspace, { groupBy, filter: {}, timeZone });

describe("calls", () => {
  const full = makeCall("call_full", {
    keyId: "key_1",
    key: "payments",
    team: "pay'ments",
    task: "payments/fix 🐛",
    taskType: "bug",
    runId: "run_1",
    sessionId: "s",
    role: "execute",
    repository: "acme/ledger",
    harnessVersion: "1.2.3",
    effort: "high",
    serviceTier: "flex",
    provider: "google",
    source: "client",
    inputSemantics: "ambiguous",
    requests: 40,
    buckets: {
      input: 1,
      cacheRead: 2,
      cacheWrite5m: 3,
      cacheWrite1h: 4,
      outputText: 5,
      outputReasoning: 2 ** 52,
      webSearches: 0,
    },
    ttftMs: 412.5,
    providedCostUsd: parseDecimal("0.123456789012"),
    provenance: "estimated",
    costStatus: "estimated",
    lines: METERS.map((meter, i) =>
      makeLine({ meter, quantity: i + 1, unitPriceUsd: parseDecimal(`0.00000000000${i + 1}`) }),
    ),
  });

  it("that are withdrawn are gone with their lines, and may come back", async () => {
    const workspace = freshWorkspace();
    const [kept, withdrawn] = [makeCall("call_kept"), makeCall("call_withdrawn")];
    await test.warehouse.insertCalls(workspace, [kept, withdrawn]);
    await test.warehouse.withdrawCalls(workspace, ["call_withdrawn", "call_unheard_of"]);
    expect((await readAll(workspace)).map(({ callId }) => callId)).toEqual(["call_kept"]);
    expect((await sumBy(workspace, "meter")).map(({ calls }) => calls)).toEqual([1]);
    await test.warehouse.insertCalls(workspace, [withdrawn]);
    expect(await readAll(workspace)).toHaveLength(2);
  });

  it("outlive a writer whose clock is behind, replaced, withdrawn and brought back", async () => {
    const workspace = freshWorkspace();
    const behind = createRevisions(() => 1n);
    const [first, second] = [makeCall("call", {}, "1"), makeCall("call", { team: "another" }, "2")];
    await test.warehouse.insertCalls(workspace, [first]);
    await insertCalls(test.connection, { revisions: behind, books: OPEN_BOOKS }, workspace, [second]);
    expect(await readAll(workspace)).toEqual([second]);
    await test.warehouse.withdrawCalls(workspace, ["call"]);
    await insertCalls(test.connection, { revisions: createRevisions(() => 1n), books: OPEN_BOOKS }, workspace, [first]);
    expect(await readAll(workspace)).toEqual([first]);
  });

  it("are billed late by what time it is, however far ahead of it a clock once was", async () => {
    const workspace = freshWorkspace();
    const closed = { whileAlone: <T>(_of: string, work: (closedToNs: bigint) => Promise<T>) => work(NOON_NS) };
    const clock = { nowNs: NOON_NS + 10n * HOUR_NS };
    const ahead = createRevisions(() => clock.nowNs);
    const insert = (id: string) =>
      insertCalls(test.connection, { revisions: ahead, books: closed }, workspace, [makeCall(id, { atNs: 1n })]);
    await insert("wrong");
    clock.nowNs = NOON_NS + HOUR_NS;
    await insert("right");
    const billed = await test.warehouse.sumTeams(workspace, { fromNs: NOON_NS, toNs: NOON_NS + 2n * HOUR_NS });
    expect(billed.map(({ lines }) => lines)).toEqual([1]);
  });

  it("come back with every field and every digit", async () => {
    const workspace = freshWorkspace();
    const huge = makeCall("call_huge", { atNs: NOON_NS + 1n }, "12345678901234567890.123456789012");
    const unpriced = makeCall("call_unpriced", { costUsd: null, costStatus: "unpriced", lines: [] });
    const quarantined = makeCall("call_quarantined", {
      atNs: NOON_NS - 1n,
      costUsd: null,
      costStatus: "quarantined",
      quarantineReason: "total is not the sum",
      lines: [],
    });
    await test.warehouse.insertCalls(workspace, [full, unpriced, quarantined, huge]);
    expect(await readAll(workspace)).toEqual([huge, unpriced, full, quarantined]);
    await test.warehouse.insertCalls(workspace, []);
  });

  it("are replaced as a whole, vanished lines included, before and after merging", async () => {
    const workspace = freshWorkspace();
    await test.warehouse.insertCalls(workspace, [full]);
    const again = makeCall("call_full", {
      key: "search",
      buckets: { ...EMPTY_BUCKETS, input: 1, outputText: 10 },
      lines: [makeLine({ meter: "output_text" })],
    });
    await test.warehouse.insertCalls(workspace, [again]);
    expect(await readAll(workspace)).toEqual([again]);
    expect((await sumBy(workspace, "meter")).map(({ group, costUsd }) => [group, formatDecimal(costUsd)])).toEqual([
      ["input", "0"],
      ["output_text", formatDecimal(again.costUsd ?? ZERO)],
    ]);
    await test.connection.command("OPTIMIZE TABLE calls FINAL");
    expect(await readAll(workspace)).toEqual([again]);
    await test.warehouse.insertCalls(workspace, [full]);
    expect(await readAll(workspace)).toEqual([full]);
  });

  it("keep what they are booked at while they say the same, whatever prices they come with, until a run books others", async () => {
    const workspace = freshWorkspace();
    const usage = { buckets: { ...EMPTY_BUCKETS, input: 1 } };
    const booked = makeCall("call", usage, "1");
    await test.warehouse.insertCalls(workspace, [booked]);
    await test.warehouse.insertCalls(workspace, [makeCall("call", { ...usage, priceProvenance: "simulated" }, "2")]);
    expect(await readAll(workspace)).toEqual([booked]);
    const named = makeCall("call", { ...usage, task: "named later" }, "2");
    await test.warehouse.insertCalls(workspace, [named]);
    expect(await readAll(workspace)).toEqual([{ ...booked, task: "named later" }]);
    const more = makeCall("call", { buckets: { ...EMPTY_BUCKETS, input: 2 } }, "2");
    await test.warehouse.insertCalls(workspace, [more]);
    expect(await readAll(workspace)).toEqual([more]);
    const unpriced = makeCall("call", { ...more, costStatus: "unpriced", costUsd: null, lines: [] });
    await test.warehouse.insertCalls(workspace, [unpriced]);
    expect(await readAll(workspace)).toEqual([more]);
    const unpricedModel = { ...unpriced, model: "another" };
    await test.warehouse.insertCalls(workspace, [unpricedModel]);
    expect(await readAll(workspace)).toEqual([unpricedModel]);
    await test.warehouse.insertCalls(workspace, [booked]);
    expect(await readAll(workspace)).toEqual([booked]);
  });

  it("are not written again when nothing changed; of two of the same id the later counts", async () => {
    const workspace = freshWorkspace();
    const later = { ...full, key: "later" };
    await test.warehouse.insertCalls(workspace, [full, later]);
    await test.warehouse.insertCalls(workspace, [later]);
    expect(await readAll(workspace)).toEqual([later]);
    const [rows] = await test.connection.query<{ calls: string }>(
      "SELECT count() AS calls FROM calls WHERE workspace = {workspace:String}",
      { workspace },
    );
    expect(rows?.calls).toBe("1");
  });

  it("are looked for by their ids on the days on which they happened, of all that there are", async () => {
    const workspace = freshWorkspace();
    const days = [0n, 1n, 2n, 3n].map((day) => makeCall(`${day}`, { atNs: NOON_NS + day * 24n * HOUR_NS }));
    await test.warehouse.insertCalls(workspace, days);
    const ofCalls = whereCallIds(["1"]);
    const plan = await test.connection.query<{ explain: string }>(
      `EXPLAIN indexes = 1 SELECT call_id FROM calls FINAL WHERE workspace = {workspace:String}${and(ofCalls)}`,
      { ...ofCalls.params, workspace },
    );
    const [, read, all] = plan.map(({ explain }) => /Parts: (\d+)\/(\d+)/.exec(explain)).find(Boolean) ?? [];
    expect(Number(read)).toBeLessThan(Number(all));
    expect(await test.warehouse.readCalls(workspace, ["1", "3"])).toHaveLength(2);
  });

  it("are refused when an amount has more decimals than are kept", async () => {
    const workspace = freshWorkspace();
    const fine = parseDecimal("0.0000000000001");
    await expect(test.warehouse.insertCalls(workspace, [makeCall("a", { costUsd: fine })])).rejects.toThrow(
      /12 decimals/,
    );
    expect(await readAll(workspace)).toEqual([]);
  });

  it("are listed newest first, page by page, each once, whatever arrives meanwhile", async () => {
    const workspace = freshWorkspace();
    const calls = Array.from({ length: 25 }, (_, i) =>
      makeCall(`call_${`${i}`.padStart(2, "0")}`, { atNs: NOON_NS + BigInt(Math.floor(i / 4)) }),
    );
    await test.warehouse.insertCalls(workspace, calls);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await test.warehouse.listCalls(workspace, {}, { limit: 4, cursor });
      seen.push(...page.data.map(({ callId }) => callId));
      cursor = page.nextCursor;
      await test.warehouse.insertCalls(workspace, [makeCall(`new_${seen.length}`, { atNs: NOON_NS + HOUR_NS })]);
    } while (cursor !== null);
    expect(seen).toEqual(calls.map(({ callId }) => callId).reverse());
    await expect(test.warehouse.listCalls(workspace, {}, { limit: 4, cursor: "nonsense" })).rejects.toMatchObject({
      code: "invalid_request",
      field: "cursor",
    });
  });

  it("are filtered by each field, from inclusive, to exclusive", async () => {
    const workspace = freshWorkspace();
    const other = makeCall("other", { atNs: NOON_NS + 1n, traceId: traceId(2) });
    await test.warehouse.insertCalls(workspace, [full, other]);
    const ids = async (filter: Parameters<typeof test.warehouse.listCalls>[1]) =>
      (await test.warehouse.listCalls(workspace, filter, { limit: 10, cursor: null })).data.map(({ callId }) => callId);
    const { key, keyId, team, task, model, runId, traceId: trace } = full;
    for (const filter of [
      { key },
      { keyId },
      { team },
      { task },
      { runId },
      { traceId: trace },
      { key, team, model },
    ]) {
      expect(await ids(filter), JSON.stringify(filter)).toEqual(["call_full"]);
    }
    expect(await ids({ model })).toEqual(["other", "call_full"]);
    expect(await ids({ key: "nobody" })).toEqual([]);
    expect(await ids({ team: "' OR 1 = 1 --" })).toEqual([]);
    expect(await ids({ range: { fromNs: NOON_NS, toNs: NOON_NS + 1n } })).toEqual(["call_full"]);
    expect(await ids({ range: { fromNs: NOON_NS + 1n, toNs: NOON_NS + 2n } })).toEqual(["other"]);
  });
});

describe("sums", () => {
  const amount = fc.bigInt(0n, 10n ** 20n).map((units) => parseDecimal(`${units}`).div(parseDecimal("1000000000000")));
  const anyCall = fc.record({
    key: fc.constantFrom("", "a", "b", "ü"),
    provenance: fc.constantFrom(...PROVENANCES),
    requests: fc.integer({ min: 1, max: 1000 }),
    status: fc.constantFrom("rated", "unpriced", "quarantined" as const),
    prices: fc.dictionary(fc.constantFrom(...METERS), fc.tuple(fc.integer({ min: 1, max: 10 ** 9 }), amount)),
  });

  const build = (part: typeof anyCall extends fc.Arbitrary<infer T> ? T : never, index: number): RatedCall => {
    const used = METERS.flatMap((meter): ChargeLine[] => {
      const [quantity, costUsd] = part.prices[meter] ?? [0, ZERO];
      return quantity === 0 ? [] : [makeLine({ meter, quantity, costUsd })];
    });
    const buckets = { ...EMPTY_BUCKETS };
    for (const { meter, quantity } of used) buckets[BUCKET_OF_METER[meter]] = quantity;
    const rated = part.status === "rated";
    return makeCall(`call_${index}`, {
      key: part.key,
      provenance: part.provenance,
      requests: part.requests,
      buckets,
      costStatus: part.status,
      lines: rated ? used : [],
      costUsd: rated ? sumDecimals(used.map(({ costUsd }) => costUsd)) : null,
    });
  };

  it("agree with exact addition, to the last digit, by key and by meter", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 40 }), async (parts) => {
        const workspace = freshWorkspace();
        const calls = parts.map(build);
        await test.warehouse.insertCalls(workspace, calls);

        const keys = [...new Set(calls.map(({ key }) => key))];
        const byKey = await sumBy(workspace, "key");
        expect(new Set(byKey.map(({ group }) => group))).toEqual(new Set(keys));
        for (const row of byKey) {
          const own = calls.filter(({ key }) => key === row.group);
          const cost = (some: RatedCall[]) => sumDecimals(some.map(({ costUsd }) => costUsd ?? ZERO));
          expect(formatDecimal(row.costUsd)).toBe(formatDecimal(cost(own)));
          expect(formatDecimal(sumDecimals(Object.values(row.byProvenance)))).toBe(formatDecimal(row.costUsd));
          for (const provenance of PROVENANCES) {
            const some = own.filter((call) => call.provenance === provenance && call.costUsd !== null);
            expect(formatDecimal(row.byProvenance[provenance] ?? ZERO)).toBe(formatDecimal(cost(some)));
            expect(provenance in row.byProvenance).toBe(some.length > 0);
          }
          expect(row).toMatchObject({
            calls: own.length,
            requests: own.reduce((n, { requests }) => n + requests, 0),
            pricedRequests: own.reduce((n, { requests, costUsd }) => n + (costUsd === null ? 0 : requests), 0),
            unpricedCalls: own.filter(({ costStatus }) => costStatus === "unpriced").length,
            quarantinedCalls: own.filter(({ costStatus }) => costStatus === "quarantined").length,
          });
          for (const bucket of Object.values(BUCKET_OF_METER)) {
            expect(row.buckets[bucket]).toBe(own.reduce((n, { buckets }) => n + buckets[bucket], 0));
          }
        }

        const byMeter = new Map((await sumBy(workspace, "meter")).map((row) => [row.group, row]));
        for (const meter of METERS) {
          const users = calls.filter(({ buckets }) => buckets[BUCKET_OF_METER[meter]] > 0);
          const row = byMeter.get(meter);
          expect(row?.calls ?? 0).toBe(users.length);
          const tokens = users.reduce((n, { buckets }) => n + buckets[BUCKET_OF_METER[meter]], 0);
          expect(row?.buckets ?? EMPTY_BUCKETS).toEqual({ ...EMPTY_BUCKETS, [BUCKET_OF_METER[meter]]: tokens });
          const lines = calls.flatMap((call) => call.lines).filter((line) => line.meter === meter);
          const expected = formatDecimal(sumDecimals(lines.map(({ costUsd }) => costUsd)));
          expect(formatDecimal(row?.costUsd ?? ZERO)).toBe(expected);
        }
      }),
      { numRuns: 8 },
    );
  });

  it("fall into days, hours and minutes of the zone, over a change of the clock too", async () => {
    const workspace = freshWorkspace();
    const at = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n + 7n;
    const instants = ["2026-10-24T21:59:59Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T23:00:00Z"];
    await test.warehouse.insertCalls(
      workspace,
      instants.map((iso, i) => makeCall(`call_${i}`, { atNs: at(iso) }, `${i + 1}`)),
    );
    const groups = async (groupBy: CostGroup, timeZone: string) =>
      (await sumBy(workspace, groupBy, timeZone)).map(({ group, costUsd }) => [group, formatDecimal(costUsd)]);
    expect(await groups("day", "Europe/Berlin")).toEqual([
      ["2026-10-24", "1"],
      ["2026-10-25", "5"],
      ["2026-10-26", "4"],
    ]);
    expect(await groups("hour", "Europe/Berlin")).toEqual([
      ["2026-10-24T23:00:00+02:00", "1"],
      ["2026-10-25T02:00:00+01:00", "3"],
      ["2026-10-25T02:00:00+02:00", "2"],
      ["2026-10-26T00:00:00+01:00", "4"],
    ]);
    expect((await groups("minute", "Asia/Kolkata"))[0]).toEqual(["2026-10-25T03:29:00+05:30", "1"]);
    expect((await groups("hour", "UTC"))[0]).toEqual(["2026-10-24T21:00:00+00:00", "1"]);
    for (const zone of ["Asia/Kolkata", "Europe/Kyiv", "america/new_york"]) {
      expect(await groups("day", zone)).not.toEqual([]);
    }
    for (const zone of ["Mars/Olympus", "+09:00", ""]) {
      await expect(groups("day", zone)).rejects.toMatchObject({ code: "invalid_request", field: "timeZone" });
    }
  });

  it("hold amounts that no floating point number does", async () => {
    const workspace = freshWorkspace();
    const cents = Array.from({ length: 100 }, (_, i) => makeCall(`c${i}`, {}, "0.100000000001"));
    await test.warehouse.insertCalls(workspace, [...cents, makeCall("big", {}, "9007199254740993")]);
    const [row] = await sumBy(workspace, "model");
    expect(formatDecimal(row?.costUsd ?? ZERO)).toBe("9007199254741003.0000000001");
    expect(
      row?.costUsd.eq(parseDecimal("0.100000000001").times(countToDecimal(100)).plus(parseDecimal("9007199254740993"))),
    ).toBe(true);
  });
});

it("a cost by a simulated price is simulated in every sum, and its usage stays what it was", async () => {
  const workspace = "simulated-price";
  const call = makeCall("c", { provenance: "measured", priceProvenance: "simulated" }, "2");
  await test.warehouse.insertCalls(workspace, [call]);
  expect(await test.warehouse.readCalls(workspace, ["c"])).toEqual([call]);
  const [sum] = await test.warehouse.sumCosts(workspace, { groupBy: "team", filter: {}, timeZone: "UTC" });
  expect(Object.keys(sum?.byProvenance ?? {})).toEqual(["simulated"]);
});
