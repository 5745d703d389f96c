/** What calls that are alike would cost by list if they were served otherwise: another tier, another model. */
import { type Decimal, formatDecimal, parseDecimal } from "@centspan/base";
import { type Buckets, type CallShape, EMPTY_CALL } from "@centspan/model";
import type { PricedShape } from "@centspan/optimizer";
import { listPrices, rateCall } from "@centspan/pricing";

/** Tiers of providers for work that nobody waits for. */
const PATIENT_TIERS = ["batch", "flex"];

type Asked = { shape: CallShape; atNs: bigint; model?: string; tier?: string };

/** One call that is their mean stands for all of them: context thresholds are of single calls. */
function priceMean({ shape, atNs, model = shape.model, tier = shape.serviceTier }: Asked): Decimal | null {
  const mean = (tokens: number): number => Math.round(tokens / Math.max(1, shape.calls));
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, outputText, outputReasoning } = shape.buckets;
  const buckets: Buckets = {
    ...EMPTY_CALL.buckets,
    ...{ input: mean(input), cacheRead: mean(cacheRead), cacheWrite5m: mean(cacheWrite5m) },
    ...{ cacheWrite1h: mean(cacheWrite1h), outputText: mean(outputText), outputReasoning: mean(outputReasoning) },
  };
  const call = { ...EMPTY_CALL, callId: "mean", atNs, provider: shape.provider, model, serviceTier: tier, buckets };
  return rateCall(call, listPrices, "advice").costUsd;
}

/** `keys` that nobody waits for, by their rules. `shapes` are also the models to choose a smaller one among. */
export function priceShapes(
  shapes: readonly CallShape[],
  { batchKeys, atNs }: { batchKeys: ReadonlySet<string>; atNs: bigint },
): PricedShape[] {
  return shapes.map((shape): PricedShape => {
    const listUsd = priceMean({ shape, atNs });
    const scale = (usd: Decimal): Decimal => usd.times(parseDecimal(String(shape.calls)));
    const cheapest = <T>(found: readonly (T & { usd: Decimal | null })[]): (T & { usd: Decimal }) | null =>
      found.reduce<(T & { usd: Decimal }) | null>((least, one) => {
        if (one.usd === null || (least !== null && one.usd.gte(least.usd))) return least;
        return { ...one, usd: one.usd };
      }, null);
    const patient = cheapest(PATIENT_TIERS.map((tier) => ({ tier, usd: priceMean({ shape, atNs, tier }) })));
    const models = new Set(shapes.filter(({ provider }) => provider === shape.provider).map(({ model }) => model));
    const smaller = cheapest([...models].map((model) => ({ model, usd: priceMean({ shape, atNs, model, tier: "" }) })));
    return {
      ...shape,
      isWaitedFor: !batchKeys.has(shape.key),
      listUsd: listUsd && scale(listUsd),
      patient: patient && { ...patient, usd: scale(patient.usd) },
      smaller: smaller && { ...smaller, usd: scale(smaller.usd) },
      outputUsdPerMillion: priceMillion(shape, atNs),
    };
  });
}

function priceMillion(shape: CallShape, atNs: bigint): Decimal | null {
  const buckets = { ...EMPTY_CALL.buckets, outputText: 1_000 };
  const { provider, model, serviceTier } = shape;
  const call = { ...EMPTY_CALL, callId: "million", atNs, provider, model, serviceTier, buckets };
  const usd = rateCall(call, listPrices, "advice").costUsd;
  return usd === null ? null : parseDecimal(formatDecimal(usd)).times(parseDecimal("1000"));
}
