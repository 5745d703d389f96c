/** A workspace closes its months over the API, on real stores, at an hour that the test sets. */
import { countToDecimal, formatDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { type Commitment, EMPTY_BUCKETS, findBillingPeriod, type Principal, type RatedCall } from "@centspan/model";
import { type Gate, openGate, waitUntil } from "@centspan/testing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ApiClient, createApiClient, createTraceApi } from "./index.ts";
import { makeCall } from "./testing/use-api.ts";

const ORG = `org-periods-${process.pid}`;
const SEOUL_OCTOBER = findBillingPeriod("Asia/Seoul", "2026-10");
const DAY_NS = 86_400_000_000_000n;
let gate: Gate;
let warehouse: Warehouse;
let control: Control;
let nowNs = SEOUL_OCTOBER.toNs;
let workspaces = 0;

beforeAll(async () => {
  gate = await openGate(inject("clickhouseUrl"));
  control = openControl({ url: inject("databaseUrl") });
  const url = new URL("/centspan_periods_test", gate.url).href;
  // Calls that are late come in while November is open.
  warehouse = openWarehouse({ url, books: control, clock: { nowNs: () => SEOUL_OCTOBER.toNs + DAY_NS } });
  await Promise.all([warehouse.migrate(), control.migrate()]);
});
afterAll(async () => {
  await Promise.all([warehouse.close(), control.close()]);
  await gate.shut();
});

/** In the year 2116, for all test files: they share the store. */
const RATED_TO_NS = 2n ** 62n;

async function openWorkspace(): Promise<{ workspace: string; api: ApiClient }> {
  const workspace = `${ORG}-${++workspaces}`;
  await control.ensureWorkspace(ORG, { id: workspace, name: workspace });
  await control.writeJob("rating", RATED_TO_NS);
  const api = createTraceApi({ warehouse, control, clock: { nowNs: () => nowNs } });
  const principal: Principal = {
    keyId: "key_finance",
    keyName: "finance",
    kind: "api",
    scopes: null,
    workspace,
    org: ORG,
    orgWide: false,
    team: null,
    rules: {},
  };
  const send = (path: string, init?: RequestInit) =>
    api.handle(new Request(new URL(path, "http://trace-api.internal"), init), principal);
  return { workspace, api: createApiClient(send) };
}

/** A call of 1,000 input tokens at a unit price; without one it is unpriced. */
function call(callId: string, atNs: bigint, team: string, unitPrice: string | null): RatedCall {
  const unitPriceUsd = parseDecimal(unitPrice ?? "0");
  const costUsd = unitPriceUsd.times(countToDecimal(1000));
  const line = { meter: "input", quantity: 1000, unitPriceUsd, listUnitPriceUsd: unitPriceUsd, costUsd } as const;
  return makeCall({
    callId,
    atNs,
    team,
    buckets: { ...EMPTY_BUCKETS, input: 1000 },
    ...(unitPrice !== null && {
      costStatus: "rated",
      costUsd,
      lines: [{ ...line, priceEntryId: "entry", ratingRunId: "run" }],
    }),
  });
}

describe("a month", () => {
  it("closes in the workspace's time zone, with a statement that stays and corrections that follow", async () => {
    const { workspace, api } = await openWorkspace();
    expect(await api.setBillingTimeZone("Asia/Seoul")).toEqual({ timeZone: "Asia/Seoul" });
    expect(await api.billingTimeZone()).toEqual({ timeZone: "Asia/Seoul" });
    const lastNs = SEOUL_OCTOBER.toNs - 1n;
    await warehouse.insertCalls(workspace, [
      call("a", SEOUL_OCTOBER.fromNs, "search", "0.000003333"),
      call("b", lastNs, "data", "0.000003333"),
      call("c", lastNs, "", "0.000003334"),
      call("d", SEOUL_OCTOBER.toNs, "data", "0.000009"),
    ]);
    const closed = await api.closePeriod("2026-10", { acceptUnknown: false });
    expect(closed).toMatchObject({
      status: "closed",
      closedBy: "finance (key_finance)",
      exactUsd: "0.01",
      amountUsd: "0.01",
    });
    expect(closed.lines).toMatchObject([
      { team: "", exactUsd: "0.003334", amountUsd: "0.01", roundingUsd: "0.006666", owner: null },
      { team: "data", exactUsd: "0.003333", amountUsd: "0", roundingUsd: "-0.003333" },
      { team: "search", exactUsd: "0.003333", amountUsd: "0", roundingUsd: "-0.003333" },
    ]);
    await warehouse.insertCalls(workspace, [
      call("a", SEOUL_OCTOBER.fromNs, "search", "0.000004"),
      call("late", lastNs, "search", "0.000001"),
    ]);
    expect(await api.period("2026-10")).toEqual(closed);
    const [open, ...others] = (await api.periods()).data;
    expect(others).toEqual([closed]);
    expect(open).toMatchObject({ period: "2026-11", status: "open", from: closed.to });

    const assigned = await api.assignUnallocated("2026-10", "Grace");
    expect(assigned.lines[0]?.owner).toBe("Grace");
    expect((await api.audit()).data).toMatchObject([
      { actor: "finance (key_finance)", action: "period.assign", subject: "2026-10", details: { owner: "Grace" } },
      { actor: "finance (key_finance)", action: "period.close", subject: "2026-10" },
      { action: "time_zone.set", subject: "Asia/Seoul" },
    ]);
    await expect(api.setBillingTimeZone("UTC")).rejects.toMatchObject({ code: "conflict" });
  });

  it("is exported as FOCUS data that adds up to the statement when closed, and to its charges while open", async () => {
    const { workspace, api } = await openWorkspace();
    nowNs = 2n ** 61n;
    const october = findBillingPeriod("UTC", "2026-10");
    await warehouse.insertCalls(workspace, [
      call("a", october.fromNs, "search", "0.000003333"),
      call("b", october.toNs - 1n, "", "0.000001111"),
    ]);
    const billed = async (version: string) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of api.exportFocus({ version, period: "2026-10" })) pieces.push(piece);
      const rows = Buffer.concat(pieces).toString().trimEnd().split("\n").slice(1);
      const usd = sumDecimals(rows.map((row) => parseDecimal(row.slice(0, row.indexOf(",")))));
      return [rows.length, formatDecimal(usd)];
    };
    expect(await billed("1.2")).toEqual([2, "0.004444"]);
    const { amountUsd } = await api.closePeriod("2026-10", { acceptUnknown: false });
    // Both teams had less than a cent.
    expect([await billed("1.2"), await billed("1.4")]).toEqual([
      [4, amountUsd],
      [4, amountUsd],
    ]);
    expect(
      (await api.exportFocus({ version: "1.2", period: "2026-10", format: "parquet" }).next()).value,
    ).toBeDefined();
    await expect(api.exportFocus({ version: "1.3", period: "2026-10" }).next()).rejects.toMatchObject({
      field: "version",
    });
  });

  it("is compared with what a provider says of it, and that it was is in the audit log", async () => {
    const { workspace, api } = await openWorkspace();
    const october = findBillingPeriod("UTC", "2026-10");
    await warehouse.insertCalls(workspace, [call("a", october.fromNs, "search", "0.000002")]);
    const content = [
      "start_time,end_time,amount_value,amount_currency,line_item,project_id",
      '1790812800,1790899200,0.002,usd,"m, input",proj_1',
      "1790812800,1790899200,-1.5,usd,Credit grant,proj_1",
    ].join("\n");
    const found = await api.reconcile({ file: "costs.csv", content, aliases: { proj_1: "search" } });
    expect(found).toMatchObject({ format: "openai-costs-csv", matched: 1, difference: "-1.5", unexplained: "0" });
    expect(found.differences).toMatchObject([{ cause: "provider_credit", evidence: "Credit grant", rows: ["row 3"] }]);
    expect((await api.audit()).data).toMatchObject([{ action: "invoice.reconcile", subject: "costs.csv" }]);
    const wrong = api.reconcile({ file: "costs.csv", content: content.replace("0.002", "-"), aliases: {} });
    await expect(wrong).rejects.toThrow('costs.csv: row 2: amount_value: "-" is not an amount');
    expect((await api.audit()).data).toHaveLength(1);
  });

  it("is compared with its own export, and finds nothing that has no name: late calls and changed ones are corrections", async () => {
    const { workspace, api } = await openWorkspace();
    const compareOwn = async (period: string) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of api.exportFocus({ version: "1.2", period })) pieces.push(piece);
      return api.reconcile({ file: `${period}.csv`, content: Buffer.concat(pieces).toString(), aliases: {} });
    };
    const causes = async (period: string) => {
      const { unexplained, differences } = await compareOwn(period);
      return [unexplained, [...new Set(differences.map(({ cause }) => cause))].sort()];
    };
    const [october, november] = [findBillingPeriod("UTC", "2026-10"), findBillingPeriod("UTC", "2026-11")];
    const onDay = (day: bigint) => october.fromNs + day * DAY_NS;
    await warehouse.insertCalls(workspace, [
      ...Array.from({ length: 27 }, (_, day) => call(`d${day}`, onDay(BigInt(day)), "search", "0.001")),
      call("november", november.fromNs, "search", "0.002"),
    ]);
    nowNs = 2n ** 61n;
    await api.closePeriod("2026-10", { acceptUnknown: false });
    expect(await causes("2026-10")).toEqual(["0", []]);
    await warehouse.insertCalls(workspace, [
      call("late", onDay(4n), "search", "0.001"),
      call("d5", onDay(5n), "data", "0.001"),
    ]);
    await api.closePeriod("2026-11", { acceptUnknown: false });
    expect(await causes("2026-11")).toEqual(["0", ["correction"]]);
    expect(await causes("2026-10")).toEqual(["0", ["correction"]]);
  });

  it("does not close before its end, before it is rated, twice, or before an earlier one", async () => {
    const { workspace, api } = await openWorkspace();
    const september = findBillingPeriod("UTC", "2026-09");
    await warehouse.insertCalls(workspace, [call("s", september.fromNs, "data", "0.000001")]);
    nowNs = september.toNs - 1n;
    await expect(api.closePeriod("2026-09", { acceptUnknown: false })).rejects.toThrow("2026-09 ends at 2026-10-01");
    nowNs = findBillingPeriod("UTC", "2200-01").toNs;
    await expect(api.closePeriod("2200-01", { acceptUnknown: false })).rejects.toThrow("is not rated to its end yet");
    nowNs = 2n ** 61n;
    await expect(api.closePeriod("2026-10", { acceptUnknown: false })).rejects.toThrow("2026-09 is to be closed first");
    await api.closePeriod("2026-09", { acceptUnknown: false });
    await expect(api.closePeriod("2026-09", { acceptUnknown: false })).rejects.toMatchObject({ code: "conflict" });
    await api.closePeriod("2026-10", { acceptUnknown: false });
    expect((await api.periods()).data.map(({ period, status }) => [period, status])).toEqual([
      ["2026-11", "open"],
      ["2026-10", "closed"],
      ["2026-09", "closed"],
    ]);
  });

  it("is not the first to close where nothing was spent in it: the way to the real one would be long", async () => {
    const { workspace, api } = await openWorkspace();
    nowNs = 2n ** 61n;
    const close = (period: string) => api.closePeriod(period, { acceptUnknown: false });
    await expect(close("2026-10")).rejects.toThrow("there is neither spend nor a commitment yet");
    await warehouse.insertCalls(workspace, [call("o", findBillingPeriod("UTC", "2026-10").fromNs, "data", "0.000001")]);
    await expect(close("2020-01")).rejects.toThrow(
      "2020-01 comes before all spend and commitments: the first month with some is 2026-10",
    );
    await close("2026-10");
    // Between others an empty month is one like them.
    await close("2026-11");
  });

  it("takes with it the months before in which there is nothing, however many, and none with a call or a commitment", async () => {
    const { workspace, api } = await openWorkspace();
    nowNs = 2n ** 61n;
    const close = (period: string) => api.closePeriod(period, { acceptUnknown: true });
    const [october, december] = ["2026-10", "2026-12"].map((name) => findBillingPeriod("UTC", name).fromNs);
    // A clock that was wrong, once.
    await warehouse.insertCalls(workspace, [
      call("wrong", findBillingPeriod("UTC", "2020-01").fromNs, "data", null),
      call("o", october ?? 0n, "data", "0.001"),
      call("d", december ?? 0n, "data", "0.002"),
    ]);
    await expect(close("2026-10")).rejects.toThrow("2020-01 is to be closed first");
    await close("2020-01");
    expect((await api.periods()).data[0]).toMatchObject({ period: "2026-10", amountUsd: "1" });
    await expect(close("2026-12")).rejects.toThrow("2026-10 is to be closed first");
    await close("2026-10");
    await expect(close("2025-05")).rejects.toThrow("2025-05 is closed");
    const credits: Commitment = {
      kind: "credits",
      id: "c",
      amount: "5",
      provider: "openai",
      model: "*",
      scope: "org",
      scopeIds: [],
      from: "2026-11-05",
      to: "2026-12-05",
      source: "test",
    };
    await api.addCommitments([credits]);
    await expect(close("2026-12")).rejects.toThrow("2026-11 is to be closed first");
    expect(await close("2026-11")).toMatchObject({ amountUsd: "5" });
    await close("2026-12");
    expect((await api.periods()).data.map(({ period }) => period)).toEqual([
      ...["2027-01", "2026-12", "2026-11", "2026-10", "2020-01"],
    ]);
  });

  it("with calls of unknown cost closes only when that is said to be accepted", async () => {
    const { workspace, api } = await openWorkspace();
    nowNs = 2n ** 61n;
    await warehouse.insertCalls(workspace, [call("u", findBillingPeriod("UTC", "2026-10").fromNs, "data", null)]);
    await expect(api.closePeriod("2026-10", { acceptUnknown: false })).rejects.toMatchObject({
      field: "acceptUnknown",
    });
    const closed = await api.closePeriod("2026-10", { acceptUnknown: true });
    expect(closed).toMatchObject({ unpricedCalls: 1, amountUsd: "0", lines: [] });
  });

  it("waits for a statement whose writer lost its lock, and for nobody else's", async () => {
    const { workspace, api } = await openWorkspace();
    nowNs = 2n ** 61n;
    const { fromNs } = findBillingPeriod("UTC", "2026-10");
    await warehouse.insertCalls(workspace, [call("first", fromNs, "data", "0.001")]);
    const url = new URL("/?database=centspan_periods_test", inject("clickhouseUrl"));
    const run = async (body: string) => (await fetch(url, { method: "POST", body })).text();
    const write = (of: string, seconds: number) =>
      run(`INSERT INTO calls (workspace, call_id, at, team, lines, revision) SETTINGS log_comment = '${of}', max_block_size = 1
        SELECT '${of}', 'late', fromUnixTimestamp64Nano(${fromNs}), 'data', [('input', 1, 2, 2, 2)], 1
        FROM numbers(${seconds}) WHERE sleepEachRow(1) = 0 LIMIT 1 BY 1`);
    const ended: string[] = [];
    const [late, others] = [2, 9].map((seconds, index) =>
      write([workspace, "somebody"][index] ?? "", seconds).then((answer) => ended.push(answer)),
    );
    const count = "SELECT count() FROM system.processes WHERE query_kind = 'Insert' AND query LIKE '%sleepEachRow%'";
    await waitUntil("both write", async () => (await run(count)) === "2\n");
    expect(await api.closePeriod("2026-10", { acceptUnknown: false })).toMatchObject({ amountUsd: "3" });
    expect(ended).toEqual([""]);
    await Promise.all([late, others]);
  }, 30_000);

  it("with what could not be rated closes only when that is said to be accepted, and tells what it was", async () => {
    const { workspace, api } = await openWorkspace();
    nowNs = 2n ** 61n;
    const { fromNs, toNs } = findBillingPeriod("UTC", "2026-10");
    await warehouse.insertCalls(workspace, [call("r", fromNs, "data", "0.001")]);
    const unit = { kind: "trace", traceId: "t" } as const;
    await control.keepUnratedUnit({ workspace, unit, message: "why", receivedAtNs: toNs });
    expect(await api.period("2026-10")).toMatchObject({ unratedUnits: 1 });
    expect((await api.unrated()).data).toMatchObject([{ kind: "trace", id: "t", message: "why", attempts: 1 }]);
    await expect(api.closePeriod("2026-10", { acceptUnknown: false })).rejects.toThrow(/1 traces that could not be/);
    expect(await api.closePeriod("2026-10", { acceptUnknown: true })).toMatchObject({
      unratedUnits: 1,
      amountUsd: "1",
    });
    expect((await api.periods()).data.map(({ unratedUnits }) => unratedUnits)).toEqual([1, 1]);
  });

  it("is named as YYYY-MM, and a zone by IANA", async () => {
    const { api } = await openWorkspace();
    await expect(api.period("2026-13")).rejects.toMatchObject({ code: "invalid_request", field: "period" });
    await expect(api.setBillingTimeZone("+09:00")).rejects.toMatchObject({ field: "body.timeZone" });
    await expect(api.assignUnallocated("2026-10", " ")).rejects.toMatchObject({ field: "body.owner" });
  });
});
