/**
 * Prices as a table, for a store that rates by joining: the price of a call is that of its class in its bands of time,
 * of context and of the week. A call is in the band whose number is how many of its class's cuts it has reached.
 */
import type { Decimal } from "@centspan/base";
import type { Call, Meter } from "./call.ts";

export type UnitPrices = Partial<Record<Meter, Decimal>>;

/** Reasoning is output unless the list prices it on its own; no other meter borrows a price. */
export const unitOf = (units: UnitPrices, meter: Meter): Decimal | undefined =>
  units[meter] ?? (meter === "output_reasoning" ? units.output_text : undefined);

/** What a price depends on, beside time and context. Keys and teams that no contract names are "". */
export type CallClass = Pick<Call, "provider" | "model" | "serviceTier" | "region" | "keyId" | "team">;

export type ContextCut = { comparator: ">" | ">="; tokens: number };

export type PriceTable = {
  /** The keys and teams that have classes of their own. */
  scopes: { keyIds: readonly string[]; teams: readonly string[] };
  classes: readonly ClassPrices[];
};

export type ClassPrices = {
  callClass: CallClass;
  timeCutsNs: readonly bigint[];
  contextCuts: readonly ContextCut[];
  /** Minutes since Monday 00:00 UTC. */
  minuteCuts: readonly number[];
  /** One for each combination of bands that a call of the range may be in. */
  prices: readonly BandPrice[];
};

export type BandPrice = {
  timeBand: number;
  contextBand: number;
  minuteBand: number;
  /** Null where such calls are unpriced. */
  price: UnitPrice | null;
};

/** `id` names all that the price depends on; `list` is what the provider's list says. */
export type UnitPrice = { id: string; units: UnitPrices; list: UnitPrices | null; isSimulated: boolean };
