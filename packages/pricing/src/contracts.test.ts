import { formatDecimal, sumDecimals, ZERO } from "@centspan/base";
import {
  type ContractPrice,
  costProvenance,
  type ExchangeRate,
  type PriceEntry,
  type RatedCall,
} from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rateCall } from "./index.ts";
import { type Facts, makeBook, makeCall, makeContract, makeEntry } from "./testing/make-book.ts";

const entries = [makeEntry({ perMillion: { input: "3", cache_read: "0.3", output_text: "9" } })];
const rate = (facts: Facts, contracts: ContractPrice[], rates: ExchangeRate[] = []): RatedCall =>
  rateCall(makeCall({ keyId: "k", team: "t1", ...facts }), makeBook(entries, contracts, rates), "r");
const usd = ({ costUsd }: RatedCall): string | null => costUsd && formatDecimal(costUsd);
const million = { buckets: { input: 1_000_000 } };
const agreed = (input: string): ContractPrice["terms"] => ({ kind: "absolute", perMillion: { input } });

describe("contract prices", () => {
  const all = [
    makeContract({ id: "org", model: "*", terms: agreed("2.5") }),
    makeContract({ id: "team", scope: "team", scopeId: "t1", terms: agreed("2") }),
    makeContract({ id: "key", scope: "key", scopeId: "k", terms: agreed("1") }),
  ];

  it("go before list prices, the narrower scope first", () => {
    expect(usd(rate(million, all))).toBe("1");
    expect(usd(rate({ ...million, keyId: "other" }, all))).toBe("2");
    expect(usd(rate({ ...million, keyId: "other", team: "other" }, all))).toBe("2.5");
    expect(usd(rate({ ...million, provider: "p" }, []))).toBe("3");
  });

  describe("an absolute one", () => {
    const tiered = [
      makeEntry({ perMillion: { input: "4" } }),
      makeEntry({ id: "batch", when: { serviceTier: "batch" }, perMillion: { input: "2" } }),
    ];
    const rateTiered = (facts: Facts, ...contracts: ContractPrice[]) =>
      rateCall(makeCall({ ...million, ...facts }), makeBook(tiered, contracts), "r");
    const standard = makeContract({ terms: agreed("3") });
    const batch = makeContract({ id: "batch", when: { serviceTier: "batch" }, terms: agreed("1.5") });
    const long = makeContract({ id: "long", when: { context: { comparator: ">", tokens: 100 } }, terms: agreed("5") });

    it("is for the standard tier, whatever its name; others have the list's price, or one of their own", () => {
      expect(usd(rateTiered({ serviceTier: "default" }, standard))).toBe("3");
      expect(usd(rateTiered({ serviceTier: "batch" }, standard))).toBe("2");
      expect(rateTiered({ serviceTier: "scale" }, standard).costStatus).toBe("unpriced");
      expect(usd(rateTiered({ serviceTier: "batch" }, standard, batch))).toBe("1.5");
      expect(usd(rateTiered({}, standard, batch))).toBe("3");
    });

    it("may be for a long context, before the one for all", () => {
      expect(usd(rateTiered({}, standard, long))).toBe("5");
      expect(usd(rateTiered({ buckets: { input: 100 } }, standard, long))).toBe("0.0003");
    });

    it("of a wider scope holds where the narrower ones are for other calls", () => {
      const ofKey = makeContract({ id: "key", scope: "key", scopeId: "k", when: { region: "eu" }, terms: agreed("1") });
      expect(usd(rateTiered({ keyId: "k", region: "eu" }, standard, ofKey))).toBe("1");
      expect(usd(rateTiered({ keyId: "k" }, standard, ofKey))).toBe("3");
    });

    it("leaves a call unpriced that it says two things of", () => {
      const regional = makeContract({ id: "eu", when: { region: "eu" }, terms: agreed("6") });
      expect(rateTiered({ region: "eu" }, long, regional).costStatus).toBe("unpriced");
    });

    it("of GPUs of one's own is for all tiers", () => {
      const own = makeContract({
        terms: {
          kind: "gpu_hours",
          basis: "measured",
          perGpuHour: "3.6",
          gpus: 1,
          secondsPerMillion: { input: "1000" },
        },
      });
      expect(usd(rateTiered({ serviceTier: "scale" }, own))).toBe("1");
    });
  });

  it("hold from their first day to their last, whenever the call is rated", () => {
    const spring = [makeContract({ from: "2026-03-01", to: "2026-06-01", terms: agreed("1") })];
    const costs = ["2026-02-28T23:59:59Z", "2026-03-01", "2026-05-31T23:59:59Z", "2026-06-01"].map((at) =>
      usd(rate({ ...million, at }, spring)),
    );
    expect(costs).toEqual(["3", "1", "1", "3"]);
  });

  it("keep the list's price beside, and name what they are of", () => {
    const rated = rate(million, [makeContract({ id: "c-7", terms: { kind: "percent_off", percent: "12.5" } })]);
    expect(
      rated.lines.map((line) => [
        formatDecimal(line.unitPriceUsd),
        line.listUnitPriceUsd && formatDecimal(line.listUnitPriceUsd),
        line.priceEntryId,
      ]),
    ).toEqual([["0.000002625", "0.000003", "c-7 of a"]]);
  });

  it("mark up too, and round a unit price to 12 decimals, half to even", () => {
    const markup = [makeContract({ terms: { kind: "markup", percent: "0.0005" } })];
    expect(usd(rate({ buckets: { input: 1 } }, markup))).toBe("0.000003000015");
    const half = [makeContract({ model: "m", terms: { kind: "percent_off", percent: "0.5" } })];
    const cheap = makeBook([makeEntry({ perMillion: { input: "0.0003" } })], half);
    // 0.0000000003 × 0.995 = 0.0000000002985
    const rated = rateCall(makeCall({ buckets: { input: 1 } }), cheap, "r");
    expect(usd(rated)).toBe("0.000000000298");
  });

  it("by simulated GPU seconds make a cost simulated, whatever its usage is", () => {
    const gpus = (basis: "measured" | "simulated") =>
      makeContract({
        terms: { kind: "gpu_hours", basis, perGpuHour: "3.6", gpus: 1, secondsPerMillion: { input: "1000" } },
      });
    const [simulated, measured] = [rate(million, [gpus("simulated")]), rate(million, [gpus("measured")])];
    expect([usd(simulated), costProvenance(simulated), simulated.provenance]).toEqual(["1", "simulated", "measured"]);
    expect([usd(measured), costProvenance(measured)]).toEqual(["1", "measured"]);
    // Without a price there is nothing that is simulated.
    const unpriced = rate({ buckets: { outputText: 1 } }, [gpus("simulated")]);
    expect([unpriced.costStatus, costProvenance(unpriced)]).toEqual(["unpriced", "measured"]);
  });

  it("say which list price they stand beside: where it changes, a run finds the call priced otherwise", () => {
    const idBeside = (entries: PriceEntry[]) =>
      rateCall(makeCall(million), makeBook(entries, [makeContract({ terms: agreed("1") })]), "r").lines[0]
        ?.priceEntryId;
    expect(idBeside([makeEntry()])).toBe("contract beside a");
    expect(idBeside([makeEntry({ id: "later" })])).toBe("contract beside later");
    expect(idBeside([])).toBe("contract");
  });

  it("in another currency follow the rate of the day", () => {
    const euro = makeContract({ terms: { kind: "absolute", currency: "EUR", perMillion: { input: "2" } } });
    const rates = ["2026-01-01", "2026-07-01"].map((from, index) => ({
      currency: "EUR",
      from,
      usd: ["1.1", "1.2"][index] ?? "",
      source: "ECB",
    }));
    expect(usd(rate({ ...million, at: "2026-06-30" }, [euro], rates))).toBe("2.2");
    const later = rate({ ...million, at: "2026-07-01" }, [euro], rates);
    expect([usd(later), later.lines[0]?.priceEntryId]).toEqual(["2.4", "contract EUR@2026-07-01 beside a"]);
    expect(rate(million, [euro]).costStatus).toBe("unpriced");
  });

  it("price a call whole or not at all", () => {
    const inputOnly = [makeContract({ terms: agreed("1") })];
    expect(rate({ buckets: { input: 1, outputText: 1 } }, inputOnly)).toMatchObject({
      costStatus: "unpriced",
      costUsd: null,
      lines: [],
    });
    const off = [makeContract({ provider: "q", terms: { kind: "percent_off", percent: "10" } })];
    expect(rate({ ...million, provider: "q" }, off).costStatus).toBe("unpriced");
  });
});

describe("self-hosted models", () => {
  it("cost what their GPUs do while they are occupied", () => {
    const terms: ContractPrice["terms"] = {
      kind: "gpu_hours",
      basis: "measured",
      perGpuHour: "2.50",
      gpus: 8,
      secondsPerMillion: { input: "36", cache_read: "0.9", output_text: "900" },
    };
    const book = makeBook([], [makeContract({ provider: "vllm", model: "llama-4*", terms })]);
    const call = makeCall({
      provider: "vllm",
      model: "llama-4-70b",
      buckets: { input: 1_000_000, cacheRead: 1_000_000, outputText: 1_000_000 },
    });
    // 20 USD an hour: a hundredth of an hour, a four-thousandth, a quarter.
    expect(rateCall(call, book, "r").lines.map(({ costUsd }) => formatDecimal(costUsd))).toEqual(["0.2", "0.005", "5"]);
  });
});

it("totals don't depend on the order of calls, on retries, on batches, or on when they are rated", () => {
  const facts = fc.record({
    at: fc.constantFrom("2026-01-01", "2026-02-28T23:59:59Z", "2026-03-01", "2026-11-29"),
    keyId: fc.constantFrom("", "k", "other"),
    team: fc.constantFrom("", "t1"),
    buckets: fc.record({ input: fc.nat(2 ** 40), cacheRead: fc.nat(1000), outputText: fc.nat(1000) }),
  });
  const contracts = [
    makeContract({ from: "2026-03-01", model: "*", terms: { kind: "percent_off", percent: "33.3333" } }),
    makeContract({ id: "key", scope: "key", scopeId: "k", terms: { kind: "markup", percent: "7" } }),
  ];
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 30 }), fc.nat(), fc.nat(29), (drawn, seed, cut) => {
      const calls = drawn.map((one, index) => makeCall({ callId: `call-${index}`, ...one }));
      const total = (batches: (typeof calls)[]): string => {
        // Each batch by a process of its own, which knows nothing of the others; the ledger has a call once.
        const ledger = new Map<string, RatedCall>();
        for (const batch of batches)
          for (const call of batch) ledger.set(call.callId, rateCall(call, makeBook(entries, contracts), "r"));
        return formatDecimal(sumDecimals([...ledger.values()].map(({ costUsd }) => costUsd ?? ZERO)));
      };
      const shuffled = calls.map((call, index) => ({ call, key: (index * 7919 + seed) % 31 }));
      shuffled.sort((a, b) => a.key - b.key);
      const mixed = shuffled.map(({ call }) => call);
      expect(total([mixed.slice(0, cut), mixed.slice(cut), calls.slice(0, cut)])).toBe(total([calls]));
    }),
  );
});
