/** A workspace agrees on prices, sees what they would change, and books its calls anew, on real stores. */
import { formatDecimal, parseInstant } from "@centspan/base";
import {
  type Call,
  type ContractPrice,
  EMPTY_BUCKETS,
  findBillingPeriod,
  type RatedCall,
  type Statement,
  type TimeRange,
} from "@centspan/model";
import { findScopes, listPrices, rateCall, tabulatePrices } from "@centspan/pricing";
import { beforeAll, describe, expect, it } from "vitest";
import { makeCall, useApi } from "./testing/use-api.ts";

const WORKSPACE = `prices-${process.pid}`;
const { warehouse, control, client } = useApi(WORKSPACE);

const october = { from: "2026-10-01", to: "2026-11-01" };
const call = (callId: string, given: Partial<Call>): Call =>
  makeCall({
    callId,
    atNs: parseInstant("2026-10-15") ?? 0n,
    model: "gpt-6-sol",
    buckets: { ...EMPTY_BUCKETS, input: 100_000, outputText: 1000 },
    ...given,
  });
const calls = [
  call("a", { team: "payments", keyId: "k1" }),
  call("b", { team: "search", keyId: "k2" }),
  call("c", { team: "search", keyId: "k2", provider: "vllm", model: "llama-4-70b" }),
  call("d", { team: "search", quarantineReason: "total_mismatch" }),
];
const contract = (change: Partial<ContractPrice> = {}): ContractPrice => ({
  id: "oai-2026",
  scope: "org",
  scopeId: "",
  provider: "openai",
  model: "*",
  from: "2026-10-01",
  terms: { kind: "percent_off", percent: "10" },
  source: "contract 4711",
  ...change,
});
const gpu = contract({
  id: "gpu",
  provider: "vllm",
  model: "llama-4*",
  terms: {
    kind: "gpu_hours",
    basis: "measured",
    perGpuHour: "3",
    gpus: 4,
    secondsPerMillion: { input: "30", output_text: "300" },
  },
});
const NOTHING: Statement = { lines: [], commitments: [], unpricedCalls: 0, quarantinedCalls: 0, unratedUnits: 0 };
const add = (...contracts: ContractPrice[]) => client.addPriceTerms({ contracts, exchangeRates: [] });
const readCosts = async () =>
  Object.fromEntries(
    (
      await warehouse.readCalls(
        WORKSPACE,
        calls.map(({ callId }) => callId),
      )
    ).map((one) => [one.callId, one.costUsd === null ? one.costStatus : formatDecimal(one.costUsd)]),
  );

beforeAll(async () => {
  await control.ensureWorkspace("o", { id: WORKSPACE, name: WORKSPACE });
  await warehouse.insertCalls(
    WORKSPACE,
    calls.map((one) => rateCall(one, listPrices, "first")),
  );
});

const BOOKED = { a: "0.21", b: "0.21", c: "unpriced", d: "quarantined" };

describe("prices", () => {
  it("of the lists are dated entries, each with its source", async () => {
    const { data } = await client.rateCards();
    expect(data).toEqual(listPrices.cards);
  });

  it("that were agreed on are added all or nothing, once, and never edited", async () => {
    const euro = contract({ id: "eur", terms: { kind: "absolute", currency: "EUR", perMillion: { input: "1" } } });
    for (const [wrong, field] of [
      [[contract(), contract({ id: "other" })], /contracts: entry other: overlaps oai-2026/],
      [[contract(), euro], /contracts: entry eur: terms.currency: no exchange rate of EUR/],
      [[contract(), contract({ id: "k", scope: "key" })], /contracts: entry k: scopeId/],
      [
        [contract(), contract({ id: "x", provider: "OpenAI" })],
        /contracts\.x\.provider: OpenAI is written openai here/,
      ],
      [[contract(), { ...contract({ id: "x" }), ...{ discount: "5" } }], /body\.contracts\.1\.discount/],
    ] as const)
      await expect(add(...wrong)).rejects.toThrow(field);
    expect((await client.priceTerms()).contracts).toEqual([]);

    await add(contract());
    await add(contract());
    expect(await client.priceTerms()).toEqual({ contracts: [contract()], exchangeRates: [] });
    await expect(add(contract({ source: "another" }))).rejects.toMatchObject({ code: "conflict" });
    const { data } = await client.audit();
    expect(data.filter(({ action }) => action === "prices.added")).toMatchObject([
      { actor: "k (k)", subject: "oai-2026", details: { contracts: 1, exchangeRates: 0 } },
    ]);
  });

  it("are tried without booking anything", async () => {
    const { data } = await client.previewPrices({ ...october, groupBy: "team" });
    expect(data).toEqual([
      {
        group: "payments",
        calls: 1,
        bookedUsd: "0.21",
        previewedUsd: "0.189",
        differenceUsd: "-0.021",
        unpricedBefore: 0,
        unpricedAfter: 0,
      },
      {
        group: "search",
        calls: 2,
        bookedUsd: "0.21",
        previewedUsd: "0.189",
        differenceUsd: "-0.021",
        unpricedBefore: 1,
        unpricedAfter: 1,
      },
    ]);
    const terms = { contracts: [gpu], exchangeRates: [] };
    const tried = await client.previewPrices({ ...october, groupBy: "model", terms });
    expect(tried.data.map(({ group, previewedUsd, unpricedAfter }) => [group, previewedUsd, unpricedAfter])).toEqual([
      ["gpt-6-sol", "0.42", 0],
      // 12 USD an hour: 3 seconds of input and 0.3 of output.
      ["llama-4-70b", "0.011", 0],
    ]);
    expect(await readCosts()).toEqual(BOOKED);
    const outside = await client.previewPrices({ from: "2026-09-01", to: "2026-10-01" });
    expect(outside.data).toEqual([]);
  });

  it("are booked by a run, once, and named in the log", async () => {
    await add(gpu, contract({ id: "k1", scope: "key", scopeId: "k1", terms: { kind: "percent_off", percent: "50" } }));
    const run = await client.ratePrices(october);
    expect(run.changedCalls).toBe(3);
    expect(await readCosts()).toEqual({ ...BOOKED, a: "0.105", b: "0.189", c: "0.011" });
    expect(await client.ratePrices(october)).toEqual({ ...run, changedCalls: 0 });
    const { data } = await client.audit();
    expect(data.filter(({ action }) => action === "calls.rated").map(({ details }) => details.changedCalls)).toEqual([
      0, 3,
    ]);
  });

  it("end on a day, and then the next wider ones hold", async () => {
    await client.endContract("k1", "2026-10-10");
    await expect(client.endContract("k1", "2026-10-20")).rejects.toMatchObject({ code: "conflict", field: "to" });
    await expect(client.endContract("gpu", "2026-09-01")).rejects.toThrow(
      /contracts: entry gpu: to must be after from/,
    );
    await expect(client.endContract("none", "2026-10-20")).rejects.toMatchObject({ code: "not_found" });
    await client.ratePrices(october);
    expect(await readCosts()).toMatchObject({ a: "0.189" });
  });

  it("in another currency follow a rate that is said anew where it was mistyped", async () => {
    const rate = { currency: "EUR", from: "2026-10-01", usd: "11.7", source: "ECB" };
    await client.addPriceTerms({ contracts: [], exchangeRates: [rate] });
    const { exchangeRates } = await client.correctExchangeRate({ ...rate, usd: "1.17" });
    expect(exchangeRates).toEqual([{ ...rate, usd: "1.17" }]);
    await expect(client.correctExchangeRate({ ...rate, usd: "0" })).rejects.toMatchObject({ field: "body.usd" });
    await expect(client.correctExchangeRate({ ...rate, currency: "GBP" })).rejects.toMatchObject({ code: "not_found" });
    expect((await client.audit()).data[0]).toMatchObject({
      ...{ action: "prices.corrected", subject: "EUR 2026-10-01", details: { usd: "11.7 → 1.17" } },
    });
  });

  it("need a time that has a length", async () => {
    await expect(client.previewPrices({ from: "2026-10-01", to: "2026-10-01" })).rejects.toMatchObject({
      field: "body.to",
    });
  });
});

describe("a run over a closed month", () => {
  const closed = `closed-${process.pid}`;
  const { warehouse: ledger, control: books, client: api } = useApi(closed);

  it("bills in the open month what had no price, once, and tells of what would differ", async () => {
    await books.ensureWorkspace("o", { id: closed, name: closed });
    await ledger.insertCalls(
      closed,
      [call("known", {}), call("unknown", { provider: "vllm", model: "llama-4-70b" })].map((one) =>
        rateCall(one, listPrices, "first"),
      ),
    );
    const [sept, oct] = ["2026-09", "2026-10"].map((name) => findBillingPeriod("UTC", name));
    for (const period of [sept, oct]) if (period) await books.closePeriod(closed, period, "k", async () => NOTHING);
    await api.addPriceTerms({ contracts: [contract(), gpu], exchangeRates: [] });
    const posted = async (range: TimeRange) =>
      (await ledger.sumTeams(closed, range)).map(({ exactUsd }) => formatDecimal(exactUsd));
    const [before, later] = [
      { fromNs: 0n, toNs: oct?.toNs ?? 0n },
      { fromNs: oct?.toNs ?? 0n, toNs: 2n ** 62n },
    ];
    expect(await api.ratePrices(october)).toMatchObject({ changedCalls: 1, closedCalls: 1 });
    expect([await posted(before), await posted(later)]).toEqual([["0.21"], ["0.011"]]);
    expect(await api.ratePrices(october)).toMatchObject({ changedCalls: 0, closedCalls: 1 });
    expect([await posted(before), await posted(later)]).toEqual([["0.21"], ["0.011"]]);
    // What the open month bills follows its prices.
    await api.endContract("gpu", "2026-10-10");
    expect(await api.ratePrices(october)).toMatchObject({ changedCalls: 1, closedCalls: 1 });
    expect([await posted(before), await posted(later)]).toEqual([["0.21"], []]);
    expect(await ledger.countUnknownCosts(closed, later)).toEqual({ unpricedCalls: 1, quarantinedCalls: 0 });
  });

  it("follows a rate of a closed month that was mistyped, when it is asked to", async () => {
    const workspace = `rates-${process.pid}`;
    await books.ensureWorkspace("o", { id: workspace, name: workspace });
    const oct = findBillingPeriod("UTC", "2026-10");
    const rate = { currency: "EUR", from: "2026-10-01", usd: "11.7", source: "ECB" };
    const terms = {
      contracts: [
        contract({ terms: { kind: "absolute", currency: "EUR", perMillion: { input: "1", output_text: "10" } } }),
      ],
      exchangeRates: [rate],
    };
    const eur = rateCall(call("eur", {}), { ...listPrices, ...terms }, "first");
    await ledger.insertCalls(workspace, [eur]);
    expect(eur.costUsd && formatDecimal(eur.costUsd)).toBe("1.287");
    await books.addPriceTerms(workspace, terms, "k", () => {});
    await books.closePeriod(workspace, oct, "k", async () => NOTHING);
    await books.correctExchangeRate(workspace, { ...rate, usd: "1.17" }, "k");
    const book = { ...listPrices, ...(await books.readPriceTerms(workspace)) };
    const range = { fromNs: oct.fromNs, toNs: oct.toNs };
    const classes = await ledger.listCallClasses(workspace, { range, scopes: findScopes(book) });
    const run = { table: tabulatePrices(book, classes, range), range, ratingRunId: "second" };
    const correct = (one: RatedCall) => rateCall(one, book, "second");
    expect(await ledger.rateCalls(workspace, run)).toEqual({ changedCalls: 0, closedCalls: 1, correctedCalls: 0 });
    expect(await ledger.rateCalls(workspace, { ...run, correct })).toMatchObject({ correctedCalls: 1 });
    const later = await ledger.sumTeams(workspace, { fromNs: oct.toNs, toNs: 2n ** 62n });
    expect(later.map(({ exactUsd }) => formatDecimal(exactUsd))).toEqual(["-1.1583"]);
  });

  it("corrects in the open month what closed ones have billed otherwise, once, and only when it is asked for", async () => {
    const oct = findBillingPeriod("UTC", "2026-10");
    const billed = async (range: TimeRange) =>
      (await ledger.sumTeams(closed, range)).map(({ exactUsd }) => formatDecimal(exactUsd));
    const later = { fromNs: oct.toNs, toNs: 2n ** 62n };
    const correct = () => api.ratePrices({ ...october, correctClosed: true });
    // A call that is told again, by whatever prices, keeps those that it was billed at.
    await ledger.insertCalls(closed, [
      rateCall(call("known", {}), { ...listPrices, contracts: [contract()] }, "again"),
    ]);
    expect(await billed(later)).toEqual([]);
    expect(await correct()).toMatchObject({ changedCalls: 0, closedCalls: 0, correctedCalls: 1 });
    expect([await billed(oct), await billed(later)]).toEqual([["0.21"], ["-0.021"]]);
    expect(await correct()).toMatchObject({ correctedCalls: 0 });
    expect(await api.ratePrices(october)).toMatchObject({ closedCalls: 0, correctedCalls: 0 });
    // What was used otherwise since is corrected as it was used, and no usage of before comes back.
    const more = call("known", { buckets: { ...EMPTY_BUCKETS, input: 200_000 } });
    await ledger.insertCalls(closed, [rateCall(more, listPrices, "again")]);
    expect(await billed(later)).toEqual(["0.19"]);
    expect(await correct()).toMatchObject({ correctedCalls: 1 });
    expect(await billed(later)).toEqual(["0.15"]);
    await ledger.withdrawCalls(closed, ["known"]);
    expect(await correct()).toMatchObject({ correctedCalls: 0 });
    expect([await billed(oct), await billed(later)]).toEqual([["0.21"], ["-0.21"]]);
  });
});
