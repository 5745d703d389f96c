import { formatDecimal, parseDecimal, parseInstant } from "@centspan/base";
import {
  BUCKET_OF_METER,
  type Buckets,
  defineRateCard,
  EMPTY_BUCKETS,
  EMPTY_IDENTITY,
  METERS,
  type PriceEntry,
  type RateCard,
  type RatedCall,
} from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RateableCall, rateCall, rateCards } from "./index.ts";

type Facts = Partial<Omit<RateableCall, "buckets" | "atNs">> & { at?: string; buckets?: Partial<Buckets> };

function makeCall({ at = "2026-11-29", buckets = {}, ...facts }: Facts): RateableCall {
  return {
    ...EMPTY_IDENTITY,
    callId: "call",
    traceId: "t",
    spanId: "s",
    atNs: parseInstant(at) ?? 0n,
    durationNs: 1n,
    provider: "p",
    model: "m",
    effort: "",
    serviceTier: "",
    responseId: "",
    source: "gateway",
    dialect: "semconv",
    inputSemantics: "inclusive",
    requests: 1,
    ttftMs: null,
    providedCostUsd: null,
    provenance: "measured",
    quarantineReason: "",
    ...facts,
    buckets: { ...EMPTY_BUCKETS, ...buckets },
  };
}

const usd = (rated: RatedCall): string | null => rated.costUsd && formatDecimal(rated.costUsd);
const lines = (rated: RatedCall): string[] =>
  rated.lines.map((line) => `${line.meter} ${line.quantity} ${formatDecimal(line.costUsd)}`);

describe("golden calls on the bundled cards", () => {
  const cases: { why: string; call: Facts; expected: string | null; entry?: string }[] = [
    {
      why: "the engine's strong model, cached input at a tenth",
      call: {
        provider: "centspan",
        model: "scripted-strong",
        buckets: { input: 1000, cacheRead: 2000, outputText: 300 },
      },
      expected: "0.0081",
    },
    {
      why: "the engine prices a cache write as input",
      call: { provider: "centspan", model: "scripted-cheap", buckets: { cacheWrite5m: 1_000_000 } },
      expected: "0.25",
    },
    {
      why: "an embedding has input and nothing else",
      call: { provider: "openai", model: "text-embedding-3-small", buckets: { input: 1_000_000 } },
      expected: "0.02",
    },
    {
      why: "cache writes by how long they live",
      call: {
        provider: "anthropic",
        model: "claude-opus-4-5",
        buckets: { input: 1000, cacheRead: 10_000, cacheWrite5m: 2000, cacheWrite1h: 3000, outputText: 100 },
      },
      expected: "0.055",
    },
    {
      why: "all 500 recorded runs as one aggregate: 20,163 requests of about 16,500 tokens",
      call: {
        provider: "google",
        model: "google/gemini-3-pro-preview",
        at: "2025-11-19",
        requests: 20_163,
        buckets: { input: 53_982_621, cacheRead: 279_065_308, outputText: 5_556_752 },
      },
      expected: "230.4593276",
      entry: "google/gemini-3-pro-preview@2025-11-18",
    },
    {
      why: "200,000 tokens of context are not above 200,000",
      call: {
        provider: "google",
        model: "gemini-3-pro-preview",
        buckets: { input: 50_000, cacheRead: 150_000, outputText: 1 },
      },
      expected: "0.130012",
    },
    {
      why: "one more, cached, moves the whole request to the higher tier",
      call: {
        provider: "google",
        model: "gemini-3-pro-preview",
        buckets: { input: 50_000, cacheRead: 150_001, outputText: 1 },
      },
      expected: "0.2600184",
    },
    {
      why: "a call before the first price is unpriced, not guessed",
      call: { provider: "google", model: "gemini-3-pro-preview", at: "2025-11-17", buckets: { input: 1 } },
      expected: null,
    },
    {
      why: "a dated snapshot has the price of its model",
      call: { provider: "openai", model: "gpt-5-2025-08-07", buckets: { input: 8000 } },
      expected: "0.01",
      entry: "openai/gpt-5-20*@2025-08-07",
    },
    {
      why: "a sibling does not fall under its model's pattern",
      call: { provider: "openai", model: "gpt-5-unheard-of", buckets: { input: 8000 } },
      expected: null,
    },
    {
      why: "the served tier decides",
      call: { provider: "openai", model: "gpt-5", serviceTier: "flex", buckets: { input: 8000 } },
      expected: "0.005",
    },
    {
      why: "a tier the list does not name takes the entry without selectors",
      call: { provider: "openai", model: "gpt-5", serviceTier: "default", buckets: { input: 8000 } },
      expected: "0.01",
    },
    {
      why: "the day before a cut in price",
      call: {
        provider: "anthropic",
        model: "claude-sonnet-5-5",
        at: "2026-10-06T23:59:59Z",
        buckets: { cacheRead: 10 },
      },
      expected: "0.000002",
    },
    {
      why: "the day of the cut",
      call: { provider: "anthropic", model: "claude-sonnet-5-5", at: "2026-10-07", buckets: { cacheRead: 10 } },
      expected: "0.000001",
    },
    {
      why: "a tier that ended leaves the base price",
      call: { provider: "anthropic", model: "claude-opus-4-6", at: "2026-03-13", buckets: { input: 300_000 } },
      expected: "1.5",
    },
    {
      why: "priority and long context have no common entry: neither price is the right one",
      call: { provider: "openai", model: "gpt-5.4", serviceTier: "priority", buckets: { input: 300_000 } },
      expected: null,
    },
    {
      why: "a used meter without a rate makes the call unpriced",
      call: { provider: "openai", model: "gpt-5", buckets: { input: 10, cacheWrite5m: 1 } },
      expected: null,
    },
    {
      why: "the same model at another provider has no price here",
      call: { provider: "azure", model: "gpt-5", buckets: { input: 10 } },
      expected: null,
    },
    { why: "nothing used costs nothing", call: { provider: "openai", model: "gpt-5" }, expected: "0" },
  ];
  it.each(cases)("$why", ({ call, expected, entry }) => {
    const rated = rateCall(makeCall(call), rateCards, "run");
    expect(usd(rated)).toBe(expected);
    expect(rated.costStatus).toBe(expected === null ? "unpriced" : "rated");
    if (expected === null) expect(rated.lines).toEqual([]);
    if (entry) expect(new Set(rated.lines.map((line) => line.priceEntryId))).toEqual(new Set([entry]));
  });
});

describe("rating", () => {
  const list = (...usdPerMillion: PriceEntry["usdPerMillion"][]): RateCard[] => [
    defineRateCard({
      id: "c",
      describe: "test",
      provider: "p",
      entries: usdPerMillion.map((rates, index) => ({
        id: `e${index}`,
        model: "m",
        from: `2026-0${index + 1}-01`,
        usdPerMillion: rates,
        source: "test",
        checkedOn: "2026-01-01",
      })),
    }),
  ];

  it("writes one line per non-empty bucket, in the order of the meters, naming entry and run", () => {
    const call = makeCall({ buckets: { outputReasoning: 5, input: 3, cacheRead: 4 } });
    const rated = rateCall(call, list({ input: "2", cache_read: "0.2", output_text: "8" }), "run-7");
    expect(lines(rated)).toEqual(["input 3 0.000006", "cache_read 4 0.0000008", "output_reasoning 5 0.00004"]);
    expect(rated.lines.every((line) => line.ratingRunId === "run-7" && line.priceEntryId === "e0")).toBe(true);
  });

  it("prefers a rate for reasoning where the list has one, and takes a price of 0 for a price", () => {
    const call = makeCall({ buckets: { input: 9, outputReasoning: 5 } });
    expect(lines(rateCall(call, list({ input: "0", output_text: "8", output_reasoning: "3" }), "r"))).toEqual([
      "input 9 0",
      "output_reasoning 5 0.000015",
    ]);
  });

  it("takes the latest of two entries with equal selectors", () => {
    const rated = rateCall(makeCall({ buckets: { input: 1 } }), list({ input: "1" }, { input: "2" }), "r");
    expect(usd(rated)).toBe("0.000002");
  });

  it("leaves a quarantined call without lines, whatever its price", () => {
    const call = makeCall({ buckets: { input: 1 }, quarantineReason: "total_mismatch" });
    expect(rateCall(call, list({ input: "1" }), "r")).toMatchObject({
      costStatus: "quarantined",
      costUsd: null,
      lines: [],
    });
  });

  it("says that a price on estimated tokens is an estimate", () => {
    const call = makeCall({ buckets: { input: 1 }, provenance: "estimated" });
    expect(rateCall(call, list({ input: "1" }), "r").costStatus).toBe("estimated");
  });

  it("judges an aggregate's tier by its average context, exactly", () => {
    const tiered: RateCard[] = list({ input: "1" }).map((card) => ({
      ...card,
      entries: [
        ...card.entries,
        ...list({ input: "2" }).flatMap(({ entries }) =>
          entries.map((entry) => ({
            ...entry,
            id: "long",
            when: { context: { comparator: ">=" as const, tokens: 100 } },
          })),
        ),
      ],
    }));
    const cost = (input: number) => usd(rateCall(makeCall({ requests: 3, buckets: { input } }), tiered, "r"));
    expect(cost(299)).toBe("0.000299");
    expect(cost(300)).toBe("0.0006");
  });

  it("equals integer arithmetic on pico-dollars", () => {
    const count = fc.integer({ min: 0, max: 2 ** 40 });
    // Prices in millionths of a USD per million tokens are pico-dollars per token.
    const price = fc.integer({ min: 0, max: 10 ** 9 });
    const perMeter = fc.tuple(...METERS.map(() => fc.tuple(count, price)));
    fc.assert(
      fc.property(perMeter, (drawn) => {
        const buckets: Partial<Buckets> = {};
        const rates: PriceEntry["usdPerMillion"] = {};
        let picoUsd = 0n;
        for (const [index, meter] of METERS.entries()) {
          const [quantity, picoPrice] = drawn[index] ?? [0, 0];
          buckets[BUCKET_OF_METER[meter]] = quantity;
          rates[meter] = `${Math.floor(picoPrice / 1e6)}.${String(picoPrice % 1e6).padStart(6, "0")}`;
          picoUsd += BigInt(quantity) * BigInt(picoPrice);
        }
        const expected = parseDecimal(`${picoUsd / 10n ** 12n}.${String(picoUsd % 10n ** 12n).padStart(12, "0")}`);
        const rated = rateCall(makeCall({ buckets }), list(rates), "r");
        expect(usd(rated)).toBe(formatDecimal(expected));
      }),
    );
  });
});
