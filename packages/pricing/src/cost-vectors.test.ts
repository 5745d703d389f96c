/**
 * The shared cost vectors, as far as rating goes: each vector's price list becomes a rate card and its expected
 * buckets a call. Reading the buckets out of the provider's response is not tested here.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatDecimal, parseDecimal, parseInstant } from "@centspan/base";
import {
  BUCKET_OF_METER,
  EMPTY_BUCKETS,
  EMPTY_IDENTITY,
  METERS,
  type PriceEntry,
  type PriceSelectors,
  type RateCard,
} from "@centspan/model";
import { describe, expect, it } from "vitest";
import { findRateCardProblems, type RateableCall, rateCall } from "./index.ts";

type Conditions = {
  min_context_tokens_exclusive?: number;
  min_context_tokens_inclusive?: number;
  service_tier?: string;
  batch?: boolean;
  region?: string;
};
type Rate = { meter: string; usd_per_unit: string; unit: number; conditions?: Conditions };
type Payload = { service_tier?: string; usage?: { service_tier?: string; inference_geo?: string } };
type Vector = {
  id: string;
  trap: string;
  provider: string;
  model: string;
  request: { at?: string; batch?: boolean; region?: string };
  response?: Payload;
  calls?: { count: number; response: Payload }[];
  rates: Rate[];
  expected: {
    buckets?: Record<string, number>;
    usd?: string;
    error?: string;
    lines?: { meter: string; quantity: number; usd: string }[];
  };
};

const MODEL_METERS: Record<string, string> = { output: "output_text" };
const isMeter = (meter: string): meter is (typeof METERS)[number] => METERS.some((known) => known === meter);

const shared = process.env.CENTSPAN_SHARED;
const path = join(shared ?? "", "vectors", "cost-vectors.json");
if (shared && !existsSync(path)) throw new Error(`CENTSPAN_SHARED is set, but ${path} is missing`);
const vectors: Vector[] = shared ? JSON.parse(readFileSync(path, "utf8")) : [];
const rateable = vectors.filter(({ expected }) => expected.buckets !== undefined);

/** Meters that no bucket of ours counts yet: such lines are left out, and the vectors that have them are listed. */
const FEES_NOT_METERED = ["c056", "c091", "c092"];

describe.skipIf(!shared)(
  "shared cost vectors, rating only, not usage extraction per API shape (set CENTSPAN_SHARED)",
  () => {
    it("are all here", () => expect([vectors.length, rateable.length]).toEqual([81, 71]));

    it("have fees we do not meter only where listed", () => {
      const withFees = rateable.filter(({ expected }) =>
        expected.lines?.some((line) => !isMeter(ourMeter(line.meter))),
      );
      expect(withFees.map(({ id }) => id)).toEqual(FEES_NOT_METERED);
    });

    it.each(rateable)("$id: $trap", (vector) => {
      const card = readCard(vector);
      expect(findRateCardProblems([card])).toEqual([]);
      const rated = rateCall(readCall(vector), [card], "vectors");
      if (vector.expected.error === "unpriced") {
        expect(rated).toMatchObject({ costStatus: "unpriced", costUsd: null, lines: [] });
        return;
      }
      const lines = (vector.expected.lines ?? []).filter((line) => isMeter(ourMeter(line.meter)));
      expect(
        rated.lines.map(({ meter, quantity, costUsd }) => ({ meter, quantity, usd: formatDecimal(costUsd) })),
      ).toEqual(lines.map((line) => ({ ...line, meter: ourMeter(line.meter) })));
      if (FEES_NOT_METERED.includes(vector.id)) return;
      expect(rated.costUsd && formatDecimal(rated.costUsd)).toBe(
        formatDecimal(parseDecimal(vector.expected.usd ?? "no price expected")),
      );
    });
  },
);

const ourMeter = (meter: string): string => MODEL_METERS[meter] ?? meter;

/** Vectors choose each meter's rate by itself, our entries hold a whole list: conditional lists inherit the rest. */
function readCard(vector: Vector): RateCard {
  const sets = new Map(vector.rates.map((rate) => [JSON.stringify(rate.conditions ?? {}), rate.conditions ?? {}]));
  const entries = [...sets.values()].map((conditions, index): PriceEntry => {
    const applicable = vector.rates
      .filter((rate) => rate.unit === 1_000_000 && includesAll(conditions, rate.conditions ?? {}))
      .toSorted((a, b) => Object.keys(a.conditions ?? {}).length - Object.keys(b.conditions ?? {}).length);
    return {
      id: `${vector.id}/${index}`,
      model: vector.model,
      from: "2020-01-01",
      when: readSelectors(conditions),
      usdPerMillion: Object.fromEntries(applicable.map((rate) => [ourMeter(rate.meter), rate.usd_per_unit])),
      source: vector.id,
      checkedOn: "2026-11-29",
    };
  });
  return { id: vector.id, describe: vector.trap, provider: vector.provider, entries };
}

const includesAll = (all: Conditions, some: Conditions): boolean =>
  Object.entries(some).every(([name, value]) => Object.entries(all).some(([n, v]) => n === name && v === value));

function readSelectors(conditions: Conditions): PriceSelectors {
  const { min_context_tokens_exclusive: above, min_context_tokens_inclusive: from } = conditions;
  return {
    ...(conditions.service_tier === undefined ? {} : { serviceTier: conditions.service_tier }),
    ...(conditions.batch === undefined ? {} : { batch: conditions.batch }),
    ...(conditions.region === undefined ? {} : { region: conditions.region }),
    ...(above === undefined ? {} : { context: { comparator: ">", tokens: above } }),
    ...(from === undefined ? {} : { context: { comparator: ">=", tokens: from } }),
  };
}

function readCall(vector: Vector): RateableCall {
  const { expected, request } = vector;
  const responses = vector.calls ?? [{ count: 1, response: vector.response ?? {} }];
  const response = responses[0]?.response;
  const buckets = { ...EMPTY_BUCKETS };
  for (const meter of METERS) buckets[BUCKET_OF_METER[meter]] = expected.buckets?.[meter] ?? 0;
  const region = response?.usage?.inference_geo ?? request.region;
  return {
    ...EMPTY_IDENTITY,
    callId: vector.id,
    traceId: "",
    spanId: "",
    atNs: parseInstant(request.at ?? "2026-11-29") ?? 0n,
    durationNs: 0n,
    provider: vector.provider,
    model: vector.model,
    effort: "",
    serviceTier: response?.service_tier ?? response?.usage?.service_tier ?? "",
    responseId: "",
    source: "provider",
    dialect: "",
    inputSemantics: "inclusive",
    requests: responses.reduce((sum, { count }) => sum + count, 0),
    buckets,
    ttftMs: null,
    providedCostUsd: null,
    provenance: "measured",
    quarantineReason: "",
    ...(region === undefined ? {} : { region }),
    ...(request.batch === undefined ? {} : { batch: request.batch }),
  };
}
