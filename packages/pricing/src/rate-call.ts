/**
 * Tokens to money. Invariants: costUsd of a call is the sum of its lines, each line is quantity × unit price exactly,
 * and a call that can't be priced whole has no lines and no cost (never zero instead).
 */
import { countToDecimal, type Decimal, parseDecimal, quantiseLine, sumDecimals } from "@centspan/base";
import {
  BUCKET_OF_METER,
  type ChargeLine,
  METERS,
  type Meter,
  type PriceEntry,
  type RateCard,
  type RatedCall,
  type Rates,
} from "@centspan/model";
import { type RateableCall, selectEntry } from "./select-entry.ts";

export type { RateableCall } from "./select-entry.ts";

const ONE_MILLIONTH = parseDecimal("0.000001");

/** Rates one call. `ratingRunId` names the run on every line, so that a later run can be told from this one. */
export function rateCall(call: RateableCall, cards: readonly RateCard[], ratingRunId: string): RatedCall {
  if (call.quarantineReason !== "") return { ...call, costStatus: "quarantined", costUsd: null, lines: [] };
  const entry = selectEntry(call, cards);
  const lines = entry && chargeLines(call, entry, ratingRunId);
  if (!lines) return { ...call, costStatus: "unpriced", costUsd: null, lines: [] };
  const costStatus = call.provenance === "estimated" ? "estimated" : "rated";
  return { ...call, costStatus, costUsd: sumDecimals(lines.map((line) => line.costUsd)), lines };
}

/** One line per bucket that is not empty, in the order of the meters; null when one of them has no rate. */
function chargeLines(call: RateableCall, entry: PriceEntry, ratingRunId: string): ChargeLine[] | null {
  const lines: ChargeLine[] = [];
  for (const meter of METERS) {
    const quantity = call.buckets[BUCKET_OF_METER[meter]];
    if (quantity === 0) continue;
    const rate = rateOf(entry.usdPerMillion, meter);
    if (rate === undefined) return null;
    const unitPriceUsd = unitPrice(rate);
    const costUsd = quantiseLine(countToDecimal(quantity).times(unitPriceUsd));
    lines.push({ meter, quantity, unitPriceUsd, costUsd, priceEntryId: entry.id, ratingRunId });
  }
  return lines;
}

/** Reasoning is output unless the list prices it on its own; no other meter borrows a rate. */
const rateOf = (rates: Rates, meter: Meter): string | undefined =>
  rates[meter] ?? (meter === "output_reasoning" ? rates.output_text : undefined);

/** USD per token from USD per million. Validation keeps it within 12 decimals, so lines never need rounding. */
const unitPrice = (usdPerMillion: string): Decimal => parseDecimal(usdPerMillion).times(ONE_MILLIONTH);
