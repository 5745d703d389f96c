/** What a call costs, by the function that bills it; and the most that a call may cost that has not been made. */
import { type Decimal, ZERO } from "@centspan/base";
import { normaliseProvider, splitCall } from "@centspan/dialects";
import { type Buckets, EMPTY_BUCKETS, EMPTY_CALL, type PriceBook } from "@centspan/model";
import { rateCall } from "@centspan/pricing";
import type { CallFacts, ReportedUsage } from "../protocols/protocol.ts";

/** Whom and what is asked, as far as a price depends on it. */
export type Priced = {
  provider: string;
  model: string;
  keyId: string;
  team: string;
  atNs: bigint;
  /** As the upstream's address says; an answer may say otherwise. */
  region: string;
};
type Served = { serviceTier: string; region: string };

/** Null where there is no price. */
export function priceUsage(
  { provider, ...priced }: Priced,
  usage: ReportedUsage,
  { reported }: Pick<CallFacts, "reported">,
  book: PriceBook,
): Decimal | null {
  const { buckets, quarantineReason } = splitCall(usage, { inputIncludesCached: true, outputIncludesReasoning: true });
  const { serviceTier = "", region = priced.region } = reported ?? {};
  const known = { ...priced, provider: normaliseProvider(provider, priced.model), serviceTier, region };
  return quarantineReason === "" ? price(known, buckets, book) : null;
}

export type Bound = {
  inputTokens: number;
  outputTokens: number;
  webSearches: number;
  /** Tiers and regions that it may be served in. */
  serviceTiers: readonly string[];
  regions: readonly string[];
  /** It asks for what is read to be cached for an hour. */
  cachesForAnHour: boolean;
};

/**
 * The dearest of what may become of it: read or cached, with searches or without, in any tier and region. Null where nothing of
 * that has a price.
 */
export function priceBound({ provider, ...priced }: Priced, bound: Bound, book: PriceBook): Decimal | null {
  const { inputTokens, outputTokens, webSearches, serviceTiers, regions, cachesForAnHour } = bound;
  const reads: readonly Partial<Buckets>[] = [
    { input: inputTokens },
    { cacheWrite5m: inputTokens },
    ...(cachesForAnHour ? [{ cacheWrite1h: inputTokens }] : []),
  ].flatMap((read) => (webSearches === 0 ? [read] : [read, { ...read, webSearches }]));
  let most: Decimal | null = null;
  for (const serviceTier of serviceTiers) {
    for (const region of regions) {
      const known = { ...priced, provider: normaliseProvider(provider, priced.model), serviceTier, region };
      for (const read of reads) {
        const cost = price(known, { ...EMPTY_BUCKETS, ...read, outputText: outputTokens }, book);
        if (cost?.gt(most ?? ZERO)) most = cost;
        else most ??= cost;
      }
    }
  }
  return most;
}

const price = (known: Priced & Served, buckets: Buckets, book: PriceBook): Decimal | null =>
  rateCall({ ...EMPTY_CALL, ...known, buckets }, book, "").costUsd;
