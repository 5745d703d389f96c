/**
 * Usage to money. Invariants: costUsd of a call is the sum of its lines, each line is quantity × unit price exactly,
 * and a call that can't be priced whole has no lines and no cost (never zero instead).
 */
import { countToDecimal, sumDecimals } from "@centspan/base";
import {
  BUCKET_OF_METER,
  type Call,
  type ChargeLine,
  METERS,
  type PriceBook,
  type RatedCall,
  type UnitPrice,
  unitOf,
} from "@centspan/model";
import { priceCall } from "./price-call.ts";

/** Rates one call. `ratingRunId` names the run on every line, so that a later run can be told from this one. */
export function rateCall(call: Call, book: PriceBook, ratingRunId: string): RatedCall {
  if (call.quarantineReason !== "") return { ...call, costStatus: "quarantined", costUsd: null, lines: [] };
  const price = priceCall(call, book);
  const lines = price && chargeLines(call, price, ratingRunId);
  if (!lines) return { ...call, costStatus: "unpriced", costUsd: null, lines: [] };
  const costStatus = call.provenance === "estimated" ? "estimated" : "rated";
  const rated = { ...call, costStatus, costUsd: sumDecimals(lines.map((line) => line.costUsd)), lines } as const;
  return price.isSimulated ? { ...rated, priceProvenance: "simulated" } : rated;
}

/** One line per bucket that is not empty, in the order of the meters; null when one of them has no price. */
function chargeLines(call: Call, { id, units, list }: UnitPrice, ratingRunId: string): ChargeLine[] | null {
  const lines: ChargeLine[] = [];
  for (const meter of METERS) {
    const quantity = call.buckets[BUCKET_OF_METER[meter]];
    if (quantity === 0) continue;
    const unitPriceUsd = unitOf(units, meter);
    if (unitPriceUsd === undefined) return null;
    lines.push({
      meter,
      quantity,
      unitPriceUsd,
      listUnitPriceUsd: (list && unitOf(list, meter)) ?? null,
      costUsd: countToDecimal(quantity).times(unitPriceUsd),
      priceEntryId: id,
      ratingRunId,
    });
  }
  return lines;
}
