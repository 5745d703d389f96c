/**
 * `npm run compare-prices [-- PROVIDER…]`: where the bundled cards and two other sources state different prices for the
 * same call today, and which of their models the cards don't price. Sources are often wrong or late: a difference is a
 * question to the provider's own page, and no reason to fail.
 */
import { formatDecimal, parseDecimal, parseInstant } from "@centspan/base";
import { BUCKET_OF_METER, EMPTY_BUCKETS, METERS, type Meter } from "@centspan/model";
import { listPrices, rateCall } from "../src/index.ts";
import { makeCall } from "../src/testing/make-book.ts";
import { GENAI_PROVIDERS, readCatalogue, readGenaiPrices, type StatedPrice } from "./price-sources.ts";

const TODAY = new Date().toISOString().slice(0, 10);
const named = process.argv.slice(2);
const providers = named.length > 0 ? named : Object.keys(GENAI_PROVIDERS).filter((name) => name !== "openrouter");

/** Per million tokens or thousand uses, in a request whose context is above the tier's; null where it is unpriced. */
function priceOf(stated: StatedPrice, model: string, meter: Meter): string | null {
  const at = stated.hours === null ? `${TODAY}T12:00:00Z` : `${TODAY}T${stated.hours.from}:00Z`;
  const used = meter === "web_search" ? 1000 : 1_000_000;
  const requests = stated.above > 0 ? 1 : 1000;
  const call = makeCall({
    provider: stated.provider,
    model,
    at,
    requests,
    buckets: { ...EMPTY_BUCKETS, [BUCKET_OF_METER[meter]]: used },
  });
  const { costUsd } = rateCall(call, listPrices, "compare");
  return costUsd && formatDecimal(costUsd);
}

/** The latest of several dated ones is the one of today. */
const isOfToday = ({ from }: StatedPrice, index: number, all: readonly StatedPrice[]): boolean =>
  (parseInstant(from ?? "1970-01-01") ?? 0n) <= (parseInstant(TODAY) ?? 0n) &&
  !all
    .slice(index + 1)
    .some(
      (later) =>
        later.models[0] === all[index]?.models[0] &&
        later.above === all[index]?.above &&
        later.hours === null &&
        later.from !== null &&
        later.from <= TODAY,
    );

const stated = [
  ...providers.flatMap((provider) => readGenaiPrices(provider).filter(isOfToday)),
  ...readCatalogue(providers),
];
const unpriced = new Map<string, string[]>();
let [same, different] = [0, 0];
for (const price of stated) {
  for (const model of price.models.filter((name) => !name.endsWith("*"))) {
    const ours = new Map(METERS.map((meter) => [meter, priceOf(price, model, meter)]));
    if (ours.get("input") === null) {
      const key = `${price.source} ${price.provider}`;
      unpriced.set(key, [...(unpriced.get(key) ?? []), model]);
      continue;
    }
    for (const meter of METERS) {
      // Context counts what is read or written, so a tier can't be asked about output alone.
      if (price.above > 0 && !["input", "cache_read", "cache_write_5m", "cache_write_1h"].includes(meter)) continue;
      const theirs = price.meters[meter];
      if (theirs === undefined) continue;
      const our = ours.get(meter) ?? null;
      if (our === formatDecimal(parseDecimal(theirs))) same += 1;
      else {
        different += 1;
        const tier = price.above > 0 ? ` above ${price.above}` : "";
        const hours = price.hours ? ` from ${price.hours.from}` : "";
        console.log(
          `${price.provider} ${model}${tier}${hours} ${meter}: ours ${our ?? "unpriced"}, ${price.source} ${theirs}`,
        );
      }
    }
  }
}
for (const [key, models] of unpriced) console.log(`not in our cards, ${key}: ${[...new Set(models)].join(", ")}`);
console.log(JSON.stringify({ checkedOn: TODAY, same, different, unpriced: [...unpriced.values()].flat().length }));
