/**
 * Prices as dated data. A rate change is a new entry with its own `from`; entries are never edited.
 * Rules for choosing an entry: of those in force whose selectors all hold, the one with the most selectors wins.
 */
import type { Meter } from "./call.ts";

/** USD per single unit as a plain decimal string; "0" is a price, an absent meter is not. */
export type Rates = Partial<Record<Meter, string>>;

export type PriceSelectors = {
  serviceTier?: string;
  region?: string;
  batch?: boolean;
  /** Context = input + cache reads + cache writes of one request. A tier covers the whole request. */
  context?: { comparator: ">" | ">="; tokens: number };
};

export type PriceEntry = {
  id: string;
  /** Model id as providers report it; a trailing `*` matches any suffix (dated ids). */
  model: string;
  from: string;
  to?: string;
  when?: PriceSelectors;
  /** USD per million tokens, as price lists state it. */
  usdPerMillion: Rates;
  source: string;
  checkedOn: string;
};

/** A plug-in: the price list of one provider. */
export type RateCard = { id: string; describe: string; provider: string; entries: readonly PriceEntry[] };
export const defineRateCard = (card: RateCard): RateCard => card;
