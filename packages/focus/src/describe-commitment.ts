/**
 * What a commitment is in the terms of FOCUS: its purchase, which is billed and costs nothing by itself; the usage that it
 * covers, which is not billed and has its share of what was paid as effective cost; and what nobody used. Measured in money,
 * so that the quantities of a commitment add up as its costs do.
 */
import { type Decimal, parseDecimal, ZERO } from "@centspan/base";
import { type Charge, type Commitment, type CommitmentLine, nameProvider, type Provenance } from "@centspan/model";
import { describeCharge, type FocusContext, type FocusEntry, GENERATIVE_AI, pickFilled } from "./describe-charge.ts";

const TYPES = {
  seats: "Seats",
  credits: "Prepaid credits",
  provisioned: "Provisioned throughput",
  gpus: "GPU hours",
} as const satisfies Record<Commitment["kind"], string>;

/** `costUsd` is the charge's share of what was paid; the charge itself is at its price by the token. */
type CoveredUsage = { charge: Charge; commitment: Commitment; costUsd: Decimal; provenance: Provenance };

export function describeCovered(
  { charge, commitment, costUsd, provenance }: CoveredUsage,
  context: FocusContext,
): FocusEntry {
  const entry = describeCharge(charge, context);
  return {
    ...entry,
    description: `${entry.description}, covered by ${commitment.id}`,
    billedUsd: ZERO,
    effectiveUsd: costUsd,
    commitment: shareOf(commitment, "Used", charge.isCorrection ? null : costUsd),
    custom: entry.custom && { ...entry.custom, provenance },
  };
}

export function describeUnused(line: CommitmentLine, commitment: Commitment, context: FocusContext): FocusEntry {
  return {
    ...describeWhole(commitment, context, { unitUsd: ZERO, quantity: ZERO, provenance: line.provenance }),
    category: "Usage",
    frequency: "Usage-Based",
    description: `Unused share of ${nameOf(commitment)}`,
    team: line.team,
    tags: pickFilled({ team: line.team }),
    effectiveUsd: line.costUsd,
    commitment: shareOf(commitment, "Unused", line.costUsd),
  };
}

/** `paidUsd` is what is paid for it in the period. */
export function describePurchase(commitment: Commitment, paidUsd: Decimal, context: FocusContext): FocusEntry {
  return {
    ...describeWhole(commitment, context, { unitUsd: paidUsd, quantity: parseDecimal("1"), provenance: "derived" }),
    category: "Purchase",
    frequency: commitment.kind === "credits" ? "One-Time" : "Recurring",
    description: `${TYPES[commitment.kind]}: ${nameOf(commitment)}`,
    billedUsd: paidUsd,
    commitment: shareOf(commitment, null, paidUsd),
  };
}

const nameOf = (commitment: Commitment): string => (commitment.kind === "seats" ? commitment.plan : commitment.id);

const shareOf = (
  commitment: Commitment,
  status: "Used" | "Unused" | null,
  quantityUsd: Decimal | null,
): FocusEntry["commitment"] => ({
  id: commitment.id,
  name: nameOf(commitment),
  type: TYPES[commitment.kind],
  status,
  quantityUsd,
});

/** Of what is about no charge in particular. */
function describeWhole(
  commitment: Commitment,
  context: FocusContext,
  { unitUsd, quantity, provenance }: { unitUsd: Decimal; quantity: Decimal; provenance: Provenance },
): Omit<FocusEntry, "category" | "frequency" | "description" | "commitment"> {
  const provider = nameProvider(commitment.provider);
  const costUsd = unitUsd.times(quantity);
  const skuId = `${commitment.provider}/${commitment.id}`;
  return {
    context,
    fromNs: context.period.fromNs,
    toNs: context.period.toNs,
    isCorrection: false,
    provider,
    service: `${provider} API`,
    ...GENERATIVE_AI,
    team: "",
    tags: {},
    billedUsd: ZERO,
    effectiveUsd: ZERO,
    contractedUsd: costUsd,
    listUsd: costUsd,
    pricing: {
      listUnitPriceUsd: unitUsd,
      contractedUnitPriceUsd: unitUsd,
      pricingQuantity: quantity,
      pricingUnit: "Commitments",
      consumed: null,
      skuId,
      skuMeter: TYPES[commitment.kind],
      skuPriceId: skuId,
      skuPriceDetails: { x_Model: commitment.model },
    },
    custom: {
      keyId: "",
      keyName: "",
      provider: commitment.provider,
      model: commitment.model,
      meter: "",
      provenance,
    },
  };
}
