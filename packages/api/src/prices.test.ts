/** A workspace agrees on prices, sees what they would change, and books its calls anew, on real stores. */
import { formatDecimal, parseInstant } from "@centspan/base";
import { type Call, type ContractPrice, EMPTY_BUCKETS } from "@centspan/model";
import { listPrices, rateCall } from "@centspan/pricing";
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
  it("that were agreed on are added all or nothing, once, and never edited", async () => {
    const euro = contract({ id: "eur", terms: { kind: "absolute", currency: "EUR", perMillion: { input: "1" } } });
    for (const [wrong, field] of [
      [[contract(), contract({ id: "other" })], /contracts: entry other: overlaps oai-2026/],
      [[contract(), euro], /contracts: entry eur: terms.currency: no exchange rate of EUR/],
      [[contract(), contract({ id: "k", scope: "key" })], /contracts: entry k: scopeId/],
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
      { actor: "k", subject: "oai-2026", details: { contracts: 1, exchangeRates: 0 } },
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

  it("need a time that has a length", async () => {
    await expect(client.previewPrices({ from: "2026-10-01", to: "2026-10-01" })).rejects.toMatchObject({
      field: "body.to",
    });
  });
});
