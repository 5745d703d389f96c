/** Seats, credits and throughput through a month's close and into the next, on real stores. */
import { countToDecimal, formatDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import { openControl } from "@centspan/control";
import { type Commitment, EMPTY_BUCKETS, findBillingPeriod, type RatedCall } from "@centspan/model";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { createTraceApi } from "./index.ts";
import { makeCall, useApi } from "./testing/use-api.ts";

const WORKSPACE = `commitments-${process.pid}`;
const october = findBillingPeriod("UTC", "2026-10");
const november = findBillingPeriod("UTC", "2026-11");
const MINUTE_NS = 60_000_000_000n;
/** When calls that are late come in. */
const IN_NOVEMBER = { nowNs: () => november.toNs - 1n };
const { warehouse, control, client } = useApi(WORKSPACE, { nowNs: () => november.toNs }, IN_NOVEMBER);

/** Of 1,000,000 tokens at 3 USD, but for what is given. */
function call(callId: string, given: Partial<RatedCall>, tokens = 1_000_000): RatedCall {
  const unitPriceUsd = parseDecimal("0.000003");
  const costUsd = unitPriceUsd.times(countToDecimal(tokens));
  return makeCall({
    callId,
    atNs: october.fromNs + 100n * MINUTE_NS,
    model: "gpt-6-sol",
    buckets: { ...EMPTY_BUCKETS, input: tokens },
    costStatus: "rated",
    costUsd,
    lines: [
      {
        meter: "input",
        quantity: tokens,
        unitPriceUsd,
        listUnitPriceUsd: null,
        costUsd,
        priceEntryId: "e",
        ratingRunId: "r",
      },
    ],
    ...given,
  });
}

const common = { provider: "openai", model: "*", from: "2026-10-01", source: "order" } as const;
const seats: Commitment = {
  ...common,
  kind: "seats",
  id: "plus",
  plan: "ChatGPT Plus",
  seats: 3,
  perSeatMonth: "20",
  scope: "key",
  scopeIds: ["ada", "grace"],
};
const credits: Commitment = {
  ...common,
  kind: "credits",
  id: "prepaid",
  amount: "10",
  to: "2026-12-01",
  scope: "org",
  scopeIds: [],
};
const throughput: Commitment = {
  ...common,
  kind: "provisioned",
  id: "ptu",
  units: 1,
  perUnit: "31",
  per: "month",
  tokensPerMinute: 600_000,
  scope: "team",
  scopeIds: ["batch"],
  to: "2026-11-01",
};

const shares = async (period: string) =>
  (await client.period(period)).commitments.map(({ commitment, team, status, payPerTokenUsd, costUsd }) =>
    [commitment, team, status, payPerTokenUsd, costUsd].join(" "),
  );
const teams = async (period: string) =>
  Object.fromEntries((await client.period(period)).lines.map(({ team, exactUsd }) => [team, exactUsd]));
async function readExport(version: string, period: string): Promise<Record<string, string>[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of client.exportFocus({ version, period })) pieces.push(piece);
  const [header = [], ...rows] = Buffer.concat(pieces).toString().trimEnd().split("\n").map(readCells);
  return rows.map((cells) => Object.fromEntries(header.map((column, index) => [column, cells[index] ?? ""])));
}
const readCells = (row: string) => [...row.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = ""]) => cell);
const sum = (rows: readonly Record<string, string>[], column: string) =>
  formatDecimal(sumDecimals(rows.map((row) => parseDecimal(row[column] ?? ""))));

beforeAll(async () => {
  await control.ensureWorkspace("o", { id: WORKSPACE, name: WORKSPACE });
  await control.writeJob("rating", 2n ** 62n);
  await warehouse.insertCalls(WORKSPACE, [
    call("ada", { keyId: "ada", team: "search" }),
    call("ada twice", { keyId: "ada", team: "data" }),
    call("alan", { keyId: "alan", team: "search" }),
    call("first minute", { keyId: "batch", team: "batch" }),
    call("second minute", { keyId: "batch", team: "batch", atNs: october.fromNs + 101n * MINUTE_NS }, 200_000),
    call("elsewhere", { provider: "anthropic", team: "search" }),
    call("november", { keyId: "alan", team: "search", atNs: november.fromNs }),
  ]);
});

describe("commitments", () => {
  it("are added all or nothing, once, and what is wrong is named by entry and field", async () => {
    for (const [wrong, field, message] of [
      [{ ...credits, id: "x", to: "2026-10-01" }, "commitments.x.to", /entry x: to: must be after from/],
      [{ ...credits, id: "x", provider: "OpenAI" }, "commitments.x.provider", /is written openai here/],
      [{ ...credits, id: "x", model: "gpt-99" }, "commitments.x.model", /knows gpt-99/],
      [{ ...seats, id: "x" }, "commitments.plus.scopeIds", /entry x: scopeIds: the same is covered by plus/],
      [{ ...seats, id: "x", seats: -1 }, "body.commitments.1.seats", /body\.commitments\.1\.seats/],
      [{ ...credits, id: "x", amount: "1.5e3" }, "body.commitments.1.amount", /decimal string/],
    ] satisfies [Commitment, string, RegExp][]) {
      const adding = client.addCommitments([seats, wrong]);
      await expect(adding).rejects.toMatchObject({ code: "invalid_request", message: expect.stringMatching(message) });
      await expect(adding).rejects.toMatchObject({ field });
    }
    expect((await client.commitments()).data).toEqual([]);
    await client.addCommitments([seats, credits, throughput]);
    expect((await client.addCommitments([seats])).data).toEqual([seats, credits, throughput]);
    await expect(client.addCommitments([{ ...seats, plan: "Pro" }])).rejects.toMatchObject({ code: "conflict" });
    expect((await client.audit()).data).toMatchObject([
      { action: "commitments.added", subject: "plus, prepaid, ptu", details: { commitments: 3 } },
    ]);
  });

  it("that are seats say how many of their days were used, apart from the cash and from the list value", async () => {
    const { data } = await client.seats();
    expect(data.map(({ period }) => period)).toEqual(["2026-12", "2026-11", "2026-10"]);
    expect(data.at(-1)).toMatchObject({
      ...{ commitment: "plus", plan: "ChatGPT Plus", seats: 3, holders: 1, seatDays: 93, usedDays: 1 },
      ...{ paidUsd: "60", allocatedUsd: "20", unassignedUsd: "40", listUsd: "6" },
      ...{ idleShare: "0.9892473118", idleUsd: "59.354838708" },
      provenance: { cash: "allocated", list: "derived", idle: "estimated" },
    });
    // Of the month that has begun today, its first day.
    expect(data[0]).toMatchObject({ seatDays: 3, usedDays: 0, idleShare: "1", allocatedUsd: "0", paidUsd: "60" });
  });

  it("are in the month's statement by team: what was used, at which price by the token, and what was not", async () => {
    expect(await shares("2026-10")).toEqual(
      [
        "plus  unused 0 40",
        "plus data used 3 10",
        "plus search used 3 10",
        "prepaid  prepaid 0 5.8",
        "prepaid batch used 1.2 1.2",
        "prepaid search used 3 3",
        "ptu batch unused 0 30.999074074074",
        "ptu batch used 2.4 0.000925925926",
      ].map((text) => text),
    );
    // 40 unused and 5.8 for later; by the token the call of another provider alone.
    expect(await teams("2026-10")).toEqual({ "": "45.8", batch: "32.2", data: "10", search: "16" });
  });

  it("close with their month, are exported with it, and carry over what is left of credits", async () => {
    const closed = await client.closePeriod("2026-10", { acceptUnknown: false });
    expect(closed.exactUsd).toBe("104");
    for (const version of ["1.2", "1.4"]) {
      const rows = await readExport(version, "2026-10");
      expect(sum(rows, "BilledCost")).toBe("104");
      const purchases = rows.filter(({ ChargeCategory }) => ChargeCategory === "Purchase");
      expect([purchases.length, sum(purchases, "BilledCost"), sum(purchases, "EffectiveCost")]).toEqual([
        3,
        "101",
        "0",
      ]);
      const ofSeats = rows.filter(({ CommitmentDiscountId }) => CommitmentDiscountId === "plus");
      expect(sum(ofSeats, "EffectiveCost")).toBe("60");
      expect(sum(rows, "EffectiveCost")).toBe("98.2");
    }
    expect(await shares("2026-11")).toEqual([
      "plus  unused 0 60",
      "prepaid  prepaid 0 -5.8",
      "prepaid  unused 0 2.8",
      "prepaid search used 3 3",
    ]);
    await warehouse.insertCalls(WORKSPACE, [call("late", { keyId: "ada", team: "data" })]);
    expect((await client.period("2026-10")).commitments).toEqual(closed.commitments);
    expect(await shares("2026-11")).toContain("plus data used 3 0");
    expect(sum(await readExport("1.2", "2026-10"), "BilledCost")).toBe("104");
    expect((await client.closePeriod("2026-11", { acceptUnknown: false })).exactUsd).toBe("60");
  });

  it("that were a mistake are taken back while no closed month knows of them", async () => {
    await client.addCommitments([{ ...seats, id: "pro", scopeIds: ["alan"], from: "2026-12-01" }]);
    expect((await client.removeCommitment("pro")).data.map(({ id }) => id)).toEqual(["plus", "prepaid", "ptu"]);
    await expect(client.removeCommitment("pro")).rejects.toMatchObject({ code: "not_found" });
    await expect(client.removeCommitment("plus")).rejects.toMatchObject({ code: "conflict", field: "from" });
    expect((await client.audit()).data[0]).toMatchObject({ action: "commitments.removed", subject: "pro" });
  });

  it("change nothing that is closed, whatever is said of them or of exchange rates afterwards", async () => {
    await expect(client.addCommitments([{ ...credits, id: "back" }])).rejects.toMatchObject({
      field: "commitments.back.from",
      message: expect.stringContaining("the first open day is 2026-12-01"),
    });
    await expect(client.endCommitment("plus", "2026-11-15")).rejects.toMatchObject({ field: "to" });
    await expect(client.endCommitment("plus", "soon")).rejects.toMatchObject({ field: "to" });
    await expect(client.endCommitment("prepaid", "2026-12-15")).rejects.toMatchObject({ code: "conflict" });
    await expect(client.endCommitment("none", "2026-12-15")).rejects.toMatchObject({ code: "not_found" });
    const { data } = await client.endCommitment("plus", "2026-12-15");
    expect(data.find(({ id }) => id === "plus")).toEqual({ ...seats, to: "2026-12-15" });
    expect(await shares("2026-12")).toEqual(["plus  unused 0 27.096774193548"]);
  });
});

describe("a commitment from before the first call", () => {
  const EARLY = `${WORKSPACE}-early`;
  const {
    warehouse: calls,
    control: books,
    client: early,
  } = useApi(EARLY, { nowNs: () => november.toNs }, IN_NOVEMBER);

  it("begins the first month, so that what was paid for it is billed", async () => {
    await books.ensureWorkspace("o", { id: EARLY, name: EARLY });
    await books.writeJob("rating", november.toNs);
    await early.addCommitments([{ ...credits, from: "2026-08-15", to: "2026-11-01" }]);
    await calls.insertCalls(EARLY, [call("october", { team: "search" })]);
    await expect(early.closePeriod("2026-10", { acceptUnknown: false })).rejects.toThrow(
      "2026-08 is to be closed first",
    );
    expect((await early.periods()).data.map(({ period, exactUsd }) => [period, exactUsd])).toEqual([["2026-08", "10"]]);
    for (const [period, exactUsd] of [
      ["2026-08", "10"],
      ["2026-09", "0"],
      ["2026-10", "0"],
    ] as const)
      expect((await early.closePeriod(period, { acceptUnknown: false })).exactUsd).toBe(exactUsd);
    // Of ten, three were used; a call that comes late was used of the seven that are booked as unused.
    await calls.insertCalls(EARLY, [call("late", { team: "search" })]);
    const { commitments, exactUsd } = await early.period("2026-11");
    expect(commitments.map(({ team, status, costUsd }) => [team, status, costUsd])).toEqual([
      ["", "unused", "-3"],
      ["search", "used", "3"],
    ]);
    expect(exactUsd).toBe("0");
  });

  it("closes with a single connection to Postgres", async () => {
    const alone = openControl({ url: inject("databaseUrl"), maxConnections: 1 });
    const api = createTraceApi({ warehouse: calls, control: alone, clock: { nowNs: () => november.toNs } });
    const owner = {
      keyId: "k",
      keyName: "k",
      kind: "api",
      scopes: null,
      workspace: EARLY,
      org: "o",
      orgWide: false,
    } as const;
    const request = new Request("http://api.test/api/v1/periods/2026-11/close", { method: "POST", body: "{}" });
    const response = await api.handle(request, { ...owner, team: null, rules: {} });
    expect([response.status, await response.json()]).toMatchObject([200, { period: "2026-11", exactUsd: "0" }]);
    await alone.close();
  });
});
