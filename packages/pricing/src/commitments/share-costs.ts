/**
 * What each covered charge costs: of what was paid, the part that was used, shared in proportion to what the charges would
 * have cost by the token. Used is: of seats, those of whom somebody used it; of throughput, its covered tokens; of GPUs,
 * their busy time, which is what the charges are priced by. Credits are used at the price by the token. Corrections cost
 * nothing: what was paid for the month that they are about is spread.
 */
import { countToDecimal, type Decimal, quantiseLine, roundToSum, sumDecimals, ZERO } from "@centspan/base";
import type { BillingPeriod, Charge, Commitment } from "@centspan/model";
import { countMinutes, termIn } from "./read-fee.ts";

type Paid = { feeUsd: Decimal; period: BillingPeriod };

/** In the order of the charges. */
export function shareCosts(commitment: Commitment, charges: readonly Charge[], paid: Paid): Decimal[] {
  if (commitment.kind === "credits") return charges.map(({ costUsd }) => costUsd);
  const current = charges.filter(({ isCorrection }) => !isCorrection);
  const shares = share(readUsed(commitment, current, paid), current);
  return charges.map((charge) => shares.get(charge) ?? ZERO);
}

function readUsed(
  commitment: Exclude<Commitment, { kind: "credits" }>,
  charges: readonly Charge[],
  { feeUsd, period }: Paid,
): Decimal {
  const part = (used: Decimal, of: Decimal): Decimal =>
    used.gte(of) ? feeUsd : quantiseLine(feeUsd.times(used).div(of));
  switch (commitment.kind) {
    case "seats": {
      const holders = new Set(charges.map(({ keyId }) => keyId)).size;
      return part(countToDecimal(holders), countToDecimal(commitment.seats));
    }
    case "gpus":
      return part(sumDecimals(charges.map(({ costUsd }) => costUsd)), feeUsd);
    case "provisioned": {
      const term = termIn(period, commitment);
      if (term === null) return ZERO;
      const perMinute = countToDecimal(commitment.units * commitment.tokensPerMinute);
      const tokens = charges.reduce((sum, { quantity }) => sum + quantity, 0);
      return part(countToDecimal(tokens), perMinute.times(countMinutes(period, term)));
    }
  }
}

/** By what they would cost; where all of them are free, by how much was used. */
function share(usedUsd: Decimal, charges: readonly Charge[]): Map<Charge, Decimal> {
  const isFree = charges.every(({ costUsd }) => costUsd.eq(ZERO));
  const weights = charges.map(({ costUsd, quantity }) => (isFree ? countToDecimal(quantity) : costUsd));
  if (charges.length === 0) return new Map();
  // Divided once, to 30 decimals: what that leaves out is far below what is rounded to.
  const rate = usedUsd.div(sumDecimals(weights));
  const shares = roundToSum(
    weights.map((weight) => weight.times(rate)),
    12,
  );
  return new Map(charges.map((charge, index) => [charge, shares[index] ?? ZERO]));
}
