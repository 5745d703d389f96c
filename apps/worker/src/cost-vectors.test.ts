/**
 * The shared cost vectors, from the provider's answer to money: usage read through the shape of its API, and rated call
 * by call, and once more by a rating run. Each vector's price list becomes a rate card of its own.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countToDecimal, formatDecimal, parseDecimal, parseInstant, sumDecimals } from "@centspan/base";
import { type ApiShape, apiShapes, type PayloadUsage, readPayload, splitCall } from "@centspan/dialects";
import {
  BUCKET_OF_METER,
  type Buckets,
  type Call,
  EMPTY_CALL,
  METERS,
  type Meter,
  type PriceBook,
  type PriceEntry,
  type PriceSelectors,
  type RatedCall,
} from "@centspan/model";
import { findRateCardProblems, findScopes, rateCall, tabulatePrices } from "@centspan/pricing";
import { openWarehouse } from "@centspan/warehouse";
import { describe, expect, inject, it } from "vitest";

type Conditions = {
  min_context_tokens_exclusive?: number;
  min_context_tokens_inclusive?: number;
  service_tier?: string;
  batch?: boolean;
  region?: string;
};
type Rate = { meter: string; usd_per_unit: string; unit: number; conditions?: Conditions };
type Vector = {
  id: string;
  trap: string;
  provider: string;
  api: string;
  model: string;
  request: { at?: string; batch?: boolean; region?: string };
  response?: unknown;
  calls?: { count: number; response: unknown }[];
  rates: Rate[];
  expected: {
    buckets?: Record<string, number>;
    known_buckets?: Record<string, number>;
    usd?: string;
    per_call_usd?: string[];
    provided_cost_usd?: string;
    flags?: string[];
    error?: string;
    reason?: string;
    unpriced_meters?: string[];
    missing?: string[];
    lines?: { meter: string; quantity: number; usd: string }[];
  };
};

const SHAPES: Record<string, ApiShape> = {
  "openai.chat": apiShapes.chat,
  "openrouter.chat": apiShapes.chat,
  "deepseek.chat": apiShapes.chat,
  "xai.chat": apiShapes.chat,
  "openai.responses": apiShapes.responses,
  "anthropic.messages": apiShapes.messages,
  "gemini.generateContent": apiShapes.generateContent,
  "bedrock.converse": apiShapes.converse,
};
const METER_OF: Record<string, Meter> = { output: "output_text" };
const NAME_OF_BUCKET: Record<string, string> = { web_search: "web_search_calls" };

const shared = process.env.CENTSPAN_SHARED;
const path = join(shared ?? "", "vectors", "cost-vectors.json");
if (shared && !existsSync(path)) throw new Error(`CENTSPAN_SHARED is set, but ${path} is missing`);
const vectors: Vector[] = shared ? JSON.parse(readFileSync(path, "utf8")) : [];

describe.skipIf(!shared)("shared cost vectors (set CENTSPAN_SHARED)", () => {
  it("are all here", () => expect(vectors).toHaveLength(81));

  it.each(vectors)("$id: $trap", (vector) => {
    const { expected } = vector;
    const book = readBook(vector);
    expect(findRateCardProblems(book.cards)).toEqual([]);
    const responses = vector.calls ?? [{ count: 1, response: vector.response }];
    const answers = responses.map(({ count, response }) => ({ count, ...readAnswer(vector, response) }));
    if (expected.missing) {
      expect(answers.map(({ missing }) => missing)).toEqual([expected.missing]);
      expect(answers.map(({ call }) => call && pick(call.buckets, expected.known_buckets ?? {}))).toEqual([
        expected.known_buckets ?? null,
      ]);
      return;
    }
    const rated = answers.map(({ count, call, flags, usage }) => {
      if (!call) throw new Error("usage was reported");
      return { count, flags, usage, call: rateCall(call, book, "vectors") };
    });
    expect(rated.flatMap(({ flags }) => flags)).toEqual(expected.flags ?? []);
    if (expected.buckets) expect(sumBuckets(rated)).toEqual(expected.buckets);
    if (expected.error) {
      const status = expected.error === "unpriced" ? "unpriced" : "quarantined";
      const refused = { costStatus: status, costUsd: null, lines: [], quarantineReason: expected.reason ?? "" };
      expect(rated.map(({ call }) => call)).toMatchObject([refused]);
      return;
    }
    expect(sumLines(rated)).toEqual(expected.lines?.map((line) => ({ ...line, meter: meterOf(line.meter) })));
    const costs = rated.map(({ call }) => call.costUsd ?? parseDecimal("-1"));
    if (expected.per_call_usd) expect(costs.map(formatDecimal)).toEqual(expected.per_call_usd);
    const total = sumDecimals(costs.map((cost, index) => cost.times(countToDecimal(rated[index]?.count ?? 0))));
    expect(formatDecimal(total)).toBe(formatDecimal(parseDecimal(expected.usd ?? "no price expected")));
    if (expected.provided_cost_usd)
      expect(rated.map(({ usage }) => usage?.costUsd && formatDecimal(usage.costUsd))).toEqual([
        expected.provided_cost_usd,
      ]);
  });
});

/** Each vector's model under a name of its own, so that all lists make one book. */
const apart = (vector: Vector): Vector => ({ ...vector, model: `${vector.id} ${vector.model}` });

describe.skipIf(!shared)("the same by a rating run in the store", () => {
  it("gives every vector's lines", async () => {
    const address = new URL(inject("clickhouseUrl"));
    address.pathname = `/cost_vectors_${randomBytes(8).toString("hex")}`;
    const warehouse = openWarehouse({ url: address.href });
    await warehouse.migrate();
    const priced = vectors.filter(({ expected }) => expected.lines ?? expected.error).map(apart);
    const cards = priced.flatMap((vector) => readBook(vector).cards);
    const book = { cards, contracts: [], exchangeRates: [] };
    const calls = priced.flatMap((vector) =>
      (vector.calls ?? [{ response: vector.response }]).flatMap(({ response }, index) => {
        const { call } = readAnswer(vector, response);
        return call ? [{ ...call, callId: `${vector.id}-${index}` }] : [];
      }),
    );
    const unrated = { cards: [], contracts: [], exchangeRates: [] };
    await warehouse.insertCalls(
      "w",
      calls.map((call) => rateCall(call, unrated, "none")),
    );
    const range = { fromNs: parseInstant("2020-01-01") ?? 0n, toNs: parseInstant("2027-01-01") ?? 0n };
    const classes = await warehouse.listCallClasses("w", { range, scopes: findScopes(book) });
    await warehouse.rateCalls("w", { table: tabulatePrices(book, classes, range), range, ratingRunId: "vectors" });
    const stored = new Map(
      (
        await warehouse.readCalls(
          "w",
          calls.map(({ callId }) => callId),
        )
      ).map((one) => [one.callId, one]),
    );
    const show = (rated: RatedCall | undefined) =>
      rated && [
        rated.costStatus,
        ...rated.lines.map((line) => [line.meter, line.quantity, formatDecimal(line.costUsd), line.priceEntryId]),
      ];
    for (const call of calls) expect(show(stored.get(call.callId))).toEqual(show(rateCall(call, book, "vectors")));
    expect(calls.length).toBeGreaterThan(71);
    await warehouse.close();
  }, 60_000);
});

type Counted = { count: number; call: RatedCall };

const meterOf = (name: string): Meter | undefined => METER_OF[name] ?? METERS.find((meter) => meter === name);
const bucketOf = (meter: Meter): string => NAME_OF_BUCKET[meter] ?? meter;
const pick = (buckets: Buckets, named: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    METERS.filter((meter) => bucketOf(meter) in named).map((meter) => [
      bucketOf(meter),
      buckets[BUCKET_OF_METER[meter]],
    ]),
  );

const sumBuckets = (rated: readonly Counted[]): Record<string, number> =>
  Object.fromEntries(
    METERS.map((meter) => [
      bucketOf(meter),
      rated.reduce((sum, { count, call }) => sum + count * call.buckets[BUCKET_OF_METER[meter]], 0),
    ]),
  );

const sumLines = (rated: readonly Counted[]) =>
  METERS.flatMap((meter) => {
    const lines = rated.flatMap(({ count, call }) =>
      call.lines.filter((line) => line.meter === meter).map((line) => ({ count, line })),
    );
    if (lines.length === 0) return [];
    const quantity = lines.reduce((sum, { count, line }) => sum + count * line.quantity, 0);
    const usd = sumDecimals(lines.map(({ count, line }) => line.costUsd.times(countToDecimal(count))));
    return [{ meter, quantity, usd: formatDecimal(usd) }];
  });

/** Streams come as their events; of the last of Anthropic's, one with a reason to stop, the output is final. */
function readAnswer(vector: Vector, response: unknown) {
  const shape = SHAPES[vector.api];
  if (!shape) throw new Error(`no shape for ${vector.api}`);
  const events: readonly unknown[] = Array.isArray(response) ? response : [response];
  const carriers = events.map((event) => Object(event).message ?? Object(event).response ?? event);
  const usage = carriers.reduce<PayloadUsage | null>((before, carrier) => readPayload(shape, carrier, before), null);
  if (!usage) return { missing: ["input", "output"], call: null, flags: [], usage };
  const cut =
    shape.cumulative && Array.isArray(response) && !events.some((event) => Object(Object(event).delta).stop_reason);
  const { flags, ...reading } = splitCall(usage.counts, shape);
  return { missing: cut ? ["output"] : [], call: makeCall(vector, usage, reading), flags, usage };
}

const makeCall = (
  { id, provider, model, request }: Vector,
  usage: PayloadUsage,
  reading: Pick<Call, "buckets" | "inputSemantics" | "quarantineReason">,
): Call => ({
  ...EMPTY_CALL,
  callId: id,
  atNs: parseInstant(request.at ?? "2026-11-29") ?? 0n,
  provider,
  model,
  serviceTier: request.batch ? "batch" : (usage.serviceTier ?? ""),
  region: usage.region ?? request.region ?? "",
  source: "provider",
  providedCostUsd: usage.costUsd ?? null,
  inputSemantics: reading.inputSemantics,
  buckets: reading.buckets,
  quarantineReason: reading.quarantineReason,
});

/** Vectors choose each meter's rate by itself, our entries hold a whole list: conditional lists inherit the rest. */
function readBook({ id, trap, provider, model, rates }: Vector): PriceBook {
  const sets = new Map(rates.map((rate) => [JSON.stringify(rate.conditions ?? {}), rate.conditions ?? {}]));
  const entries = [...sets.values()].map((conditions, index): PriceEntry => {
    const applicable = rates
      .filter((rate) => includesAll(conditions, rate.conditions ?? {}))
      .toSorted((a, b) => Object.keys(a.conditions ?? {}).length - Object.keys(b.conditions ?? {}).length);
    const pricesPer = (unit: number) =>
      Object.fromEntries(
        applicable.filter((rate) => rate.unit === unit).map((rate) => [meterOf(rate.meter), rate.usd_per_unit]),
      );
    return {
      id: `${id}/${index}`,
      model,
      from: "2020-01-01",
      when: readSelectors(conditions),
      perMillion: pricesPer(1_000_000),
      perThousand: pricesPer(1000),
      source: id,
      checkedOn: "2026-11-29",
    };
  });
  return { cards: [{ id, describe: trap, provider, entries }], contracts: [], exchangeRates: [] };
}

const includesAll = (all: Conditions, some: Conditions): boolean =>
  Object.entries(some).every(([name, value]) => Object.entries(all).some(([n, v]) => n === name && v === value));

function readSelectors(conditions: Conditions): PriceSelectors {
  const { min_context_tokens_exclusive: above, min_context_tokens_inclusive: from, batch } = conditions;
  const serviceTier = batch ? "batch" : conditions.service_tier;
  return {
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(conditions.region === undefined ? {} : { region: conditions.region }),
    ...(above === undefined ? {} : { context: { comparator: ">", tokens: above } }),
    ...(from === undefined ? {} : { context: { comparator: ">=", tokens: from } }),
  };
}
