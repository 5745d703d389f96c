/**
 * What a charge is in the terms of FOCUS: one entry for each line of charges, and one for each amount that rounding a
 * statement to cents left over. Must not: name columns (columns.ts does), or hold anything of a key but its id and name.
 * Invariant: billed costs of a closed period add up to its statement, and each unit price × quantity is its cost, exactly.
 */
import { countToDecimal, type Decimal, nextDay, parseDecimal, startOfDayNs, ZERO } from "@centspan/base";
import { type BillingPeriod, type Charge, type Meter, nameProvider, type StatementLine } from "@centspan/model";

/** Whose charges they are. `invoiceId` is null while the period is open. */
export type FocusContext = {
  org: string;
  workspace: { id: string; name: string };
  period: BillingPeriod;
  invoiceId: string | null;
};

type UnitPricing = {
  listUnitPriceUsd: Decimal;
  contractedUnitPriceUsd: Decimal;
  pricingQuantity: Decimal;
  pricingUnit: string;
  /** Null where nothing was used. */
  consumed: { quantity: Decimal; unit: string } | null;
  skuId: string;
  skuMeter: string;
  skuPriceId: string;
  skuPriceDetails: Record<string, string>;
};

/** What of a commitment a row is about, in the money that was paid for it. */
type CommitmentShare = {
  id: string;
  name: string;
  type: string;
  /** Null where it was bought. */
  status: "Used" | "Unused" | null;
  /** Null where it corrects a closed month. */
  quantityUsd: Decimal | null;
};

/** Amounts in USD. `pricing` is null where nothing was used or bought. */
export type FocusEntry = {
  context: FocusContext;
  fromNs: bigint;
  toNs: bigint;
  category: "Usage" | "Purchase" | "Adjustment";
  frequency: "Usage-Based" | "Recurring" | "One-Time";
  isCorrection: boolean;
  description: string;
  provider: string;
  service: string;
  serviceCategory: string;
  serviceSubcategory: string;
  team: string;
  tags: Record<string, string>;
  billedUsd: Decimal;
  effectiveUsd: Decimal;
  contractedUsd: Decimal;
  listUsd: Decimal;
  pricing: UnitPricing | null;
  /** Null for what is paid by the token. */
  commitment: CommitmentShare | null;
  /** What FOCUS has no column for. */
  custom: Record<"keyId" | "keyName" | "provider" | "model" | "meter" | "provenance", string> | null;
};

type MeterUnits = { label: string; unit: string; perPrice: Decimal };
const tokens = (label: string): MeterUnits => ({ label, unit: "Tokens", perPrice: parseDecimal("1000000") });

const METER_UNITS: Readonly<Record<Meter, MeterUnits>> = {
  input: tokens("Input tokens"),
  cache_read: tokens("Cache read tokens"),
  cache_write_5m: tokens("Cache write tokens, 5 minutes"),
  cache_write_1h: tokens("Cache write tokens, 1 hour"),
  output_text: tokens("Output tokens"),
  output_reasoning: tokens("Reasoning tokens"),
  web_search: { label: "Web searches", unit: "Requests", perPrice: parseDecimal("1000") },
};

export const GENERATIVE_AI = { serviceCategory: "AI and Machine Learning", serviceSubcategory: "Generative AI" };

export function describeCharge(charge: Charge, context: FocusContext): FocusEntry {
  const { label, unit, perPrice } = METER_UNITS[charge.meter];
  const quantity = countToDecimal(charge.quantity);
  const listUnitPriceUsd = charge.listUnitPriceUsd ?? charge.unitPriceUsd;
  const provider = nameProvider(charge.provider);
  const skuId = `${charge.provider}/${charge.model}/${charge.meter}`;
  return {
    context,
    ...boundsOf(context, charge.day),
    category: "Usage",
    frequency: "Usage-Based",
    isCorrection: charge.isCorrection,
    description: `${label} of ${charge.model}${charge.isCorrection ? ", correction of a closed month" : ""}`,
    provider,
    service: `${provider} API`,
    ...GENERATIVE_AI,
    team: charge.team,
    tags: pickFilled({ team: charge.team, key: charge.key }),
    billedUsd: charge.costUsd,
    effectiveUsd: charge.costUsd,
    contractedUsd: charge.costUsd,
    listUsd: listUnitPriceUsd.times(quantity),
    pricing: {
      listUnitPriceUsd: listUnitPriceUsd.times(perPrice),
      contractedUnitPriceUsd: charge.unitPriceUsd.times(perPrice),
      pricingQuantity: quantity.div(perPrice),
      pricingUnit: `${perPrice.toFixed()} ${unit}`,
      consumed: { quantity, unit },
      skuId,
      skuMeter: label,
      skuPriceId: `${charge.priceEntryId} ${skuId}`,
      skuPriceDetails: pickFilled({
        x_Model: charge.model,
        x_ServiceTier: charge.serviceTier,
        x_Region: charge.region,
      }),
    },
    commitment: null,
    custom: {
      keyId: charge.keyId,
      keyName: charge.key,
      provider: charge.provider,
      model: charge.model,
      meter: charge.meter,
      provenance: charge.provenance,
    },
  };
}

type Bounds = Pick<FocusEntry, "fromNs" | "toNs">;

/** A month has few days, and each many charges; where one begins in its zone takes a search. */
const knownBounds = new WeakMap<FocusContext, Map<string, Bounds>>();

function boundsOf(context: FocusContext, day: string): Bounds {
  const known = knownBounds.get(context) ?? new Map<string, Bounds>();
  knownBounds.set(context, known);
  const { timeZone } = context.period;
  const bounds = known.get(day) ?? {
    fromNs: startOfDayNs(timeZone, day),
    toNs: startOfDayNs(timeZone, nextDay(day)),
  };
  known.set(day, bounds);
  return bounds;
}

/** Null where a team's amount needed no rounding. */
export function describeRounding(line: StatementLine, context: FocusContext): FocusEntry | null {
  const roundingUsd = line.amountUsd.minus(line.exactUsd);
  if (roundingUsd.eq(ZERO)) return null;
  return {
    context,
    fromNs: context.period.fromNs,
    toNs: context.period.toNs,
    category: "Adjustment",
    frequency: "One-Time",
    isCorrection: false,
    description: "Rounding of the statement to cents",
    provider: "Centspan",
    service: "Centspan statement",
    serviceCategory: "Other",
    serviceSubcategory: "Other (Other)",
    team: line.team,
    tags: pickFilled({ team: line.team }),
    billedUsd: roundingUsd,
    effectiveUsd: roundingUsd,
    contractedUsd: roundingUsd,
    listUsd: roundingUsd,
    pricing: null,
    commitment: null,
    custom: null,
  };
}

export const pickFilled = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
