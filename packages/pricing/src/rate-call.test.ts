import { formatDecimal, parseDecimal } from "@centspan/base";
import { BUCKET_OF_METER, type Buckets, METERS, type PriceBook, type RatedCall, type Rates } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listPrices, rateCall } from "./index.ts";
import { type Facts, makeBook, makeCall, makeEntry } from "./testing/make-book.ts";

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
      why: "the standard tier, whatever its name, takes the entry without one",
      call: { provider: "openai", model: "gpt-5", serviceTier: "default", buckets: { input: 8000 } },
      expected: "0.01",
    },
    {
      why: "another tier without a price of its own has none: the standard one would be wrong",
      call: { provider: "openai", model: "gpt-5", serviceTier: "scale", buckets: { input: 8000 } },
      expected: null,
    },
    {
      why: "a tier and long context multiply",
      call: { provider: "openai", model: "gpt-6-sol", serviceTier: "flex", buckets: { input: 300_000 } },
      expected: "0.6",
    },
    {
      why: "fast mode has prices of its own",
      call: {
        provider: "anthropic",
        model: "claude-opus-5",
        serviceTier: "fast",
        buckets: { input: 1000, cacheRead: 1000, outputText: 100 },
      },
      expected: "0.016",
    },
    {
      why: "and in the US each token of it costs a tenth more",
      call: {
        provider: "anthropic",
        model: "claude-opus-5",
        serviceTier: "fast",
        region: "us",
        buckets: { input: 1000, cacheRead: 1000, outputText: 100 },
      },
      expected: "0.0176",
    },
    {
      why: "a model in fast mode whose price nobody has stated",
      call: { provider: "anthropic", model: "claude-fable-5-2", serviceTier: "fast", buckets: { input: 1000 } },
      expected: null,
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
      call: { provider: "groq", model: "gpt-5", buckets: { input: 10 } },
      expected: null,
    },
    {
      why: "a peak hour of a workday in Beijing, from its first minute",
      call: { provider: "deepseek", model: "deepseek-v4-pro", at: "2026-11-27T01:00:00Z", buckets: { input: 1000 } },
      expected: "0.00132",
      entry: "deepseek/deepseek-v4-pro@2026-08-23?01:00-04:00&days12345",
    },
    {
      why: "and not in its last",
      call: { provider: "deepseek", model: "deepseek-v4-pro", at: "2026-11-27T04:00:00Z", buckets: { input: 1000 } },
      expected: "0.00066",
    },
    {
      why: "the same hour of a Sunday",
      call: { provider: "deepseek", model: "deepseek-v4-pro", at: "2026-11-29T01:00:00Z", buckets: { input: 1000 } },
      expected: "0.00066",
    },
    {
      why: "an hour over midnight",
      call: { provider: "deepseek", model: "deepseek-r1", at: "2025-03-01T00:29:59Z", buckets: { outputText: 1000 } },
      expected: "0.00055",
    },
    {
      why: "xAI's long tier has the 200,000th token in it",
      call: { provider: "xai", model: "grok-4.3", buckets: { input: 200_000 } },
      expected: "0.5",
    },
    {
      why: "another name of a model",
      call: { provider: "mistral", model: "codestral-latest", buckets: { input: 1000 } },
      expected: "0.0003",
      entry: "mistral/codestral-2508@2025-01-01",
    },
    {
      why: "a router at the maker's price, whose name for it has a point",
      call: { provider: "openrouter", model: "anthropic/claude-sonnet-4.5", buckets: { cacheRead: 1000 } },
      expected: "0.0003",
      entry: "anthropic/claude-sonnet-4-5@2025-09-29",
    },
    {
      why: "a router's own variant of a model is not the maker's",
      call: { provider: "openrouter", model: "deepseek/deepseek-chat:free", buckets: { input: 1000 } },
      expected: null,
    },
    {
      why: "Bedrock within a geography",
      call: {
        provider: "aws-bedrock",
        model: "eu.anthropic.claude-opus-4-5-20251101-v1:0",
        buckets: { cacheWrite1h: 1000 },
      },
      expected: "0.011",
    },
    {
      why: "Bedrock anywhere",
      call: {
        provider: "aws-bedrock",
        model: "global.anthropic.claude-opus-4-5-20251101-v1:0",
        buckets: { cacheWrite1h: 1000 },
      },
      expected: "0.01",
    },
    {
      why: "searches by the thousand, beside the tokens",
      call: { provider: "openai", model: "gpt-5", buckets: { input: 8000, webSearches: 3 } },
      expected: "0.04",
    },
    {
      why: "inference that OpenAI keeps in Europe costs a tenth more from GPT-5.4 on, in every tier",
      call: {
        provider: "openai",
        model: "gpt-5.6-sol",
        at: "2026-07-15",
        region: "eu",
        serviceTier: "batch",
        buckets: { input: 1000, outputText: 100 },
      },
      expected: "0.0044",
    },
    {
      why: "and not a cent more before",
      call: { provider: "openai", model: "gpt-5.2", region: "eu", buckets: { input: 1000 } },
      expected: "0.00175",
    },
    { why: "nothing used costs nothing", call: { provider: "openai", model: "gpt-5" }, expected: "0" },
  ];
  it.each(cases)("$why", ({ call, expected, entry }) => {
    const rated = rateCall(makeCall(call), listPrices, "run");
    expect(usd(rated)).toBe(expected);
    expect(rated.costStatus).toBe(expected === null ? "unpriced" : "rated");
    if (expected === null) expect(rated.lines).toEqual([]);
    if (entry) expect(new Set(rated.lines.map((line) => line.priceEntryId))).toEqual(new Set([entry]));
  });
});

describe("anchors of the price lists", () => {
  const million = (model: string, meter: keyof Buckets, at: string): string | null =>
    usd(rateCall(makeCall({ provider: "openai", model, at, buckets: { [meter]: 1_000_000 } }), listPrices, "r"));
  // Below the long tier: a million tokens in calls of a thousand.
  const short = (model: string, meter: keyof Buckets, at: string): string | null => {
    const call = makeCall({ provider: "openai", model, at, requests: 1000, buckets: { [meter]: 1_000_000 } });
    return usd(rateCall(call, listPrices, "r"));
  };

  it("Sol cost 5 USD of input in July 2026, cached a tenth of it, written 1.25 times", () => {
    const inJuly = (meter: keyof Buckets) => short("gpt-5.6-sol", meter, "2026-07-15");
    expect([inJuly("input"), inJuly("cacheRead"), inJuly("cacheWrite5m")]).toEqual(["5", "0.5", "6.25"]);
  });
  it("Luna cost a fifth of Sol, and Terra half of GPT-5.5", () => {
    for (const [meter, luna, sol, terra, full] of [
      ["input", "1", "5", "2.5", "5"],
      ["outputText", "6", "30", "15", "30"],
    ] as const) {
      const inJuly = ["gpt-5.6-luna", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.5"].map((model) =>
        short(model, meter, "2026-07-15"),
      );
      expect(inJuly).toEqual([luna, sol, terra, full]);
    }
  });
  it("above 272,000 tokens of context a request costs twice the input and 1.5 times the output", () => {
    expect(million("gpt-5.6-sol", "input", "2026-07-15")).toBe("10");
    const long = makeCall({
      provider: "openai",
      model: "gpt-5.6-sol",
      at: "2026-07-15",
      buckets: { input: 272_001, outputText: 1_000_000 },
    });
    expect(lines(rateCall(long, listPrices, "r"))).toEqual(["input 272001 2.72001", "output_text 1000000 45"]);
  });
  it("a stable prompt of 15,000 tokens with 2,000 fresh ones costs 64% less once it is read from cache", () => {
    const at = "2026-07-15";
    const fresh = makeCall({ provider: "openai", model: "gpt-5.6-sol", at, buckets: { input: 17_000 } });
    const read = makeCall({ ...fresh, at, buckets: { input: 2000, cacheRead: 15_000 } });
    const [before, after] = [fresh, read].map((call) => usd(rateCall(call, listPrices, "r")));
    expect([before, after]).toEqual(["0.085", "0.0175"]);
    // One write and 99 reads: 98% of the stable tokens are read.
    expect(1 - (0.10375 + 99 * 0.0175) / (100 * 0.085)).toBeGreaterThan(0.64);
  });
});

describe("rating", () => {
  /** One entry for each list, a month apart. */
  const list = (...lists: Rates[]): PriceBook =>
    makeBook(
      lists.map((perMillion, index) => makeEntry({ id: `e${index}`, from: `2026-0${index + 1}-01`, perMillion })),
    );

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
    const tiered = makeBook([
      makeEntry({ perMillion: { input: "1" } }),
      makeEntry({
        id: "long",
        when: { context: { comparator: ">=", tokens: 100 } },
        perMillion: { input: "2" },
      }),
    ]);
    const cost = (input: number) => usd(rateCall(makeCall({ requests: 3, buckets: { input } }), tiered, "r"));
    expect(cost(299)).toBe("0.000299");
    expect(cost(300)).toBe("0.0006");
  });

  it("equals integer arithmetic on pico-dollars", () => {
    const count = fc.integer({ min: 0, max: 2 ** 40 });
    // Prices in millionths of a USD per million tokens are pico-dollars per token.
    const price = fc.integer({ min: 0, max: 10 ** 9 });
    const perMeter = fc.tuple(...METERS.map(() => fc.tuple(count, price)));
    const writeScaled = (units: bigint, decimals: number): string =>
      `${units / 10n ** BigInt(decimals)}.${String(units % 10n ** BigInt(decimals)).padStart(decimals, "0")}`;
    fc.assert(
      fc.property(perMeter, (drawn) => {
        const buckets: Partial<Buckets> = {};
        const perMillion: Rates = {};
        const perThousand: { web_search?: string } = {};
        let picoUsd = 0n;
        for (const [index, meter] of METERS.entries()) {
          const [quantity, picoPrice] = drawn[index] ?? [0, 0];
          buckets[BUCKET_OF_METER[meter]] = quantity;
          if (meter === "web_search") perThousand[meter] = writeScaled(BigInt(picoPrice), 9);
          else perMillion[meter] = writeScaled(BigInt(picoPrice), 6);
          picoUsd += BigInt(quantity) * BigInt(picoPrice);
        }
        const rated = rateCall(makeCall({ buckets }), makeBook([makeEntry({ perMillion, perThousand })]), "r");
        expect(usd(rated)).toBe(formatDecimal(parseDecimal(writeScaled(picoUsd, 12))));
      }),
    );
  });
});
