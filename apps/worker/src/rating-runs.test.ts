/** Rating by sets in the store against `rateCall`, to the last digit: on any calls and books, and on the shared vectors. */
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { formatDecimal, parseInstant } from "@centspan/base";
import {
  BUCKET_OF_METER,
  type Call,
  type ContractPrice,
  EMPTY_BUCKETS,
  EMPTY_CALL,
  METERS,
  type PriceBook,
  type RatedCall,
  type TimeRange,
} from "@centspan/model";
import { findScopes, listPrices, rateCall, tabulatePrices } from "@centspan/pricing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it } from "vitest";

const range: TimeRange = { fromNs: parseInstant("2025-08-01") ?? 0n, toNs: parseInstant("2027-01-01") ?? 0n };
const NOTHING: PriceBook = { cards: [], contracts: [], exchangeRates: [] };

let warehouse: Warehouse;
let workspaces = 0;
beforeAll(async () => {
  const address = new URL(inject("clickhouseUrl"));
  address.pathname = `/rating_${randomBytes(8).toString("hex")}`;
  warehouse = openWarehouse({ url: address.href });
  await warehouse.migrate();
});
afterAll(() => warehouse.close());

async function rateBySets(workspace: string, book: PriceBook, ratingRunId: string): Promise<number> {
  const classes = await warehouse.listCallClasses(workspace, { range, scopes: findScopes(book) });
  const table = tabulatePrices(book, classes, range);
  return (await warehouse.rateCalls(workspace, { table, range, ratingRunId })).changedCalls;
}

it("prices any number of classes in one run: whoever may send spans can name as many models", async () => {
  const workspace = `rating-${++workspaces}`;
  const contract: ContractPrice = {
    ...{ id: "all", scope: "org", scopeId: "", provider: "p", model: "*", from: "2025-01-01", source: "test" },
    terms: { kind: "absolute", perMillion: { input: "1" } },
  };
  const book = { ...NOTHING, contracts: [contract] };
  const calls = Array.from({ length: 10_000 }, (_, n) => ({
    ...EMPTY_CALL,
    callId: `call_${n}`,
    atNs: range.fromNs,
    provider: "p",
    model: `a model whose name somebody made up, number ${n}`,
    buckets: { ...EMPTY_BUCKETS, input: n + 1 },
  }));
  await warehouse.insertCalls(
    workspace,
    calls.map((call) => rateCall(call, NOTHING, "none")),
  );
  expect(await rateBySets(workspace, book, "run")).toBe(calls.length);
  const some = calls.filter((_, n) => n % 999 === 0);
  expect(await readAll(workspace, some)).toEqual(showAll(some.map((call) => rateCall(call, book, "run"))));
});

const show = ({ callId, costStatus, costUsd, lines, provenance, priceProvenance }: RatedCall) => ({
  callId,
  provenance,
  priceProvenance,
  costStatus,
  costUsd: costUsd && formatDecimal(costUsd),
  lines: lines.map((line) => ({
    ...line,
    unitPriceUsd: formatDecimal(line.unitPriceUsd),
    listUnitPriceUsd: line.listUnitPriceUsd && formatDecimal(line.listUnitPriceUsd),
    costUsd: formatDecimal(line.costUsd),
  })),
});
const showAll = (calls: readonly RatedCall[]) => calls.map(show).sort((a, b) => (a.callId < b.callId ? -1 : 1));
const readAll = async (workspace: string, calls: readonly Call[]) =>
  showAll(
    await warehouse.readCalls(
      workspace,
      calls.map(({ callId }) => callId),
    ),
  );

const count = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(1000), fc.nat(2 ** 40));
const call: fc.Arbitrary<Omit<Call, "callId">> = fc
  .record({
    at: fc.constantFrom(
      "2025-08-07T00:00:00Z",
      "2026-03-12T23:59:59.999999999Z",
      "2026-03-13T00:00:00Z",
      "2026-07-15T12:00:00Z",
      "2026-08-21T03:59:59.999999999Z",
      "2026-08-28T04:00:00Z",
      "2026-11-22T01:00:00Z",
    ),
    named: fc.constantFrom(
      { provider: "openai", model: "gpt-5-2025-08-07" },
      { provider: "openai", model: "gpt-5.6-sol" },
      { provider: "openai", model: "gpt-5.4" },
      { provider: "anthropic", model: "claude-opus-4-6" },
      { provider: "deepseek", model: "deepseek-v4-pro" },
      { provider: "openrouter", model: "deepseek/deepseek-v4-flash" },
      { provider: "xai", model: "grok-4.3" },
      { provider: "vllm", model: "llama 'quoted'\t\\" },
      { provider: "nobody", model: "" },
    ),
    serviceTier: fc.constantFrom("", "batch"),
    requests: fc.constantFrom(1, 1, 1, 7),
    keyId: fc.constantFrom("k1", "k2"),
    team: fc.constantFrom("", "t1"),
    provenance: fc.constantFrom("measured" as const, "estimated" as const),
    quarantineReason: fc.constantFrom("", "", "", "total_mismatch"),
    buckets: fc.tuple(...METERS.map(() => count)),
    context: fc.constantFrom(null, 199_999, 200_000, 200_001, 272_000, 272_001),
  })
  .map(({ at, named, buckets, context, ...facts }) => ({
    ...EMPTY_CALL,
    traceId: "t",
    spanId: "s",
    atNs: parseInstant(at) ?? 0n,
    durationNs: 1n,
    source: "gateway",
    dialect: "semconv",
    ...named,
    ...facts,
    buckets:
      context === null
        ? Object.assign(
            { ...EMPTY_BUCKETS },
            ...METERS.map((meter, index) => ({ [BUCKET_OF_METER[meter]]: buckets[index] })),
          )
        : { ...EMPTY_BUCKETS, input: context * facts.requests },
  }));

const contract = (id: string, change: Partial<ContractPrice>): ContractPrice => ({
  id,
  scope: "org",
  scopeId: "",
  provider: "openai",
  model: "*",
  from: "2026-01-01",
  terms: { kind: "percent_off", percent: "33.3333" },
  source: "test",
  ...change,
});
const contracts = fc.subarray([
  contract("org", { model: "gpt*" }),
  contract("team", {
    scope: "team",
    scopeId: "t1",
    provider: "anthropic",
    terms: { kind: "markup", percent: "0.0007" },
  }),
  contract("key", {
    scope: "key",
    scopeId: "k1",
    from: "2026-03-13",
    to: "2026-08-22",
    terms: { kind: "absolute", currency: "EUR", perMillion: { input: "1.234567", output_text: "7" } },
  }),
  contract("whole", {
    model: "gpt-5*",
    terms: {
      kind: "absolute",
      perMillion: { input: "1", cache_read: "0.1", cache_write_5m: "1.25", cache_write_1h: "2", output_text: "9" },
      perThousand: { web_search: "7" },
    },
  }),
  contract("gpu", {
    provider: "vllm",
    model: "llama*",
    terms: {
      kind: "gpu_hours",
      basis: "simulated",
      perGpuHour: "2.49",
      gpus: 3,
      secondsPerMillion: { input: "7", cache_read: "0.1", output_text: "311" },
    },
  }),
]);
const exchangeRates = fc.subarray(
  ["2026-01-01", "2026-07-01"].map((from) => ({ currency: "EUR", from, usd: "1.0734", source: "test" })),
);

const changedLists = listPrices.cards.map((card) => ({
  ...card,
  entries: card.entries.map((entry) => ({
    ...entry,
    id: `${entry.id}, another`,
    perMillion: { ...entry.perMillion, input: "9.876543" },
  })),
}));
const book: fc.Arbitrary<PriceBook> = fc.record({
  cards: fc.constantFrom(listPrices.cards, listPrices.cards, changedLists, []),
  contracts,
  exchangeRates,
});

const calls = fc.array(call, { minLength: 5, maxLength: 30 });
it("makes of calls priced by any book what rateCall says by another, and changes nothing twice", async () => {
  await fc.assert(
    fc.asyncProperty(calls, book, book, fc.boolean(), async (drawn, before, other, keepsTerms) => {
      const after = keepsTerms ? { ...before, cards: other.cards } : other;
      const workspace = `any-${++workspaces}`;
      const all = drawn.map((facts, index): Call => ({ ...facts, callId: `call-${index}` }));
      await warehouse.insertCalls(
        workspace,
        all.map((one) => rateCall(one, before, "before")),
      );
      const changedCalls = await rateBySets(workspace, after, "after");
      const stored = await readAll(workspace, all);
      // What did not change keeps the run that priced it.
      const kept = showAll(all.map((one) => rateCall(one, before, "after")));
      const expected = showAll(all.map((one) => rateCall(one, after, "after")));
      const isKept = expected.map((one, index) => isDeepStrictEqual(one, kept[index]));
      const runOf = (index: number): string => (isKept[index] ? "before" : "after");
      expect(stored).toEqual(
        expected.map((one, index) => ({
          ...one,
          lines: one.lines.map((line) => ({ ...line, ratingRunId: runOf(index) })),
        })),
      );
      expect(changedCalls).toBe(isKept.filter((same) => !same).length);
      expect(await rateBySets(workspace, after, "again")).toBe(0);
    }),
    // Shrinking what failed ends in time to be told.
    { numRuns: 10, interruptAfterTimeLimit: 60_000 },
  );
}, 120_000);

it("is the same ledger whether calls are rated one by one or by sets", async () => {
  const [bySets, oneByOne] = [`sets-${++workspaces}`, `each-${++workspaces}`];
  const calls = fc
    .sample(call, { numRuns: 100, seed: 7 })
    .map((facts, index): Call => ({ ...facts, callId: `call-${index}` }));
  const rated = calls.map((one) => rateCall(one, listPrices, "run"));
  await warehouse.insertCalls(oneByOne, rated);
  await warehouse.insertCalls(
    bySets,
    calls.map((one) => rateCall(one, NOTHING, "none")),
  );
  await rateBySets(bySets, listPrices, "run");
  expect(await readAll(bySets, calls)).toEqual(await readAll(oneByOne, calls));
  // The runs of both are of one book: neither finds anything to do.
  expect(await rateBySets(oneByOne, listPrices, "run")).toBe(0);
  await warehouse.insertCalls(bySets, rated);
  expect(await readAll(bySets, calls)).toEqual(showAll(rated));
}, 60_000);
