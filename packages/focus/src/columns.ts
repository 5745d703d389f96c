/**
 * The columns of an export as data, in the order in which they are written: FOCUS's own by name, then custom ones. What a
 * column holds is said here and nowhere else; what the specification asks of it is for the checker to say.
 * Add one: a row of the table, with the versions that have it where not all do.
 */
import { type Decimal, formatDecimal, formatInstant } from "@centspan/base";
import type { FocusEntry } from "./describe-charge.ts";

export const FOCUS_VERSIONS = ["1.2", "1.4"] as const;
export type FocusVersion = (typeof FOCUS_VERSIONS)[number];

type Of<Kind extends string, Value> = { kind: Kind; value(entry: FocusEntry): Value | null };
export type FocusColumn = { id: string; versions: readonly FocusVersion[] } & (
  | Of<"decimal", Decimal>
  | Of<"string", string>
  | Of<"datetime", bigint>
  | Of<"json", Record<string, string>>
);

const decimal = (id: string, value: (entry: FocusEntry) => Decimal | null): FocusColumn => ({
  id,
  kind: "decimal",
  value,
  versions: FOCUS_VERSIONS,
});
const text = (
  id: string,
  value: (entry: FocusEntry) => string | null,
  versions: readonly FocusVersion[] = FOCUS_VERSIONS,
): FocusColumn => ({ id, kind: "string", value, versions });
const datetime = (id: string, value: (entry: FocusEntry) => bigint): FocusColumn => ({
  id,
  kind: "datetime",
  value,
  versions: FOCUS_VERSIONS,
});
const json = (id: string, value: (entry: FocusEntry) => Record<string, string> | null): FocusColumn => ({
  id,
  kind: "json",
  value,
  versions: FOCUS_VERSIONS,
});

const COLUMNS: readonly FocusColumn[] = [
  decimal("BilledCost", ({ billedUsd }) => billedUsd),
  text("BillingAccountId", ({ context }) => context.org),
  text("BillingAccountName", ({ context }) => context.org),
  text("BillingCurrency", () => "USD"),
  datetime("BillingPeriodEnd", ({ context }) => context.period.toNs),
  datetime("BillingPeriodStart", ({ context }) => context.period.fromNs),
  text("ChargeCategory", ({ category }) => category),
  text("ChargeClass", ({ isCorrection }) => (isCorrection ? "Correction" : null)),
  text("ChargeDescription", ({ description }) => description),
  text("ChargeFrequency", ({ frequency }) => frequency),
  datetime("ChargePeriodEnd", ({ toNs }) => toNs),
  datetime("ChargePeriodStart", ({ fromNs }) => fromNs),
  text("CommitmentDiscountCategory", ({ commitment }) => commitment && "Spend"),
  text("CommitmentDiscountId", ({ commitment }) => commitment?.id ?? null),
  text("CommitmentDiscountName", ({ commitment }) => commitment?.name ?? null),
  decimal("CommitmentDiscountQuantity", ({ commitment }) => commitment?.quantityUsd ?? null),
  text("CommitmentDiscountStatus", ({ commitment }) => commitment?.status ?? null),
  text("CommitmentDiscountType", ({ commitment }) => commitment?.type ?? null),
  text("CommitmentDiscountUnit", ({ commitment }) => (commitment?.quantityUsd ? "US Dollars" : null)),
  decimal("ConsumedQuantity", ({ pricing }) => pricing?.consumed?.quantity ?? null),
  text("ConsumedUnit", ({ pricing }) => pricing?.consumed?.unit ?? null),
  decimal("ContractedCost", ({ contractedUsd }) => contractedUsd),
  decimal("ContractedUnitPrice", ({ pricing }) => pricing?.contractedUnitPriceUsd ?? null),
  decimal("EffectiveCost", ({ effectiveUsd }) => effectiveUsd),
  text("HostProviderName", ({ provider }) => provider, ["1.4"]),
  text("InvoiceDetailId", ({ context, team }) => invoiceDetail(context.invoiceId, team), ["1.4"]),
  text("InvoiceId", ({ context }) => context.invoiceId),
  text("InvoiceIssuerName", ({ provider }) => provider),
  decimal("ListCost", ({ listUsd }) => listUsd),
  decimal("ListUnitPrice", ({ pricing }) => pricing?.listUnitPriceUsd ?? null),
  text("PricingCategory", ({ pricing, commitment }) => pricing && (commitment?.status ? "Committed" : "Standard")),
  decimal("PricingQuantity", ({ pricing }) => pricing?.pricingQuantity ?? null),
  text("PricingUnit", ({ pricing }) => pricing?.pricingUnit ?? null),
  text("ProviderName", ({ provider }) => provider, ["1.2"]),
  text("PublisherName", ({ provider }) => provider, ["1.2"]),
  text("ServiceCategory", ({ serviceCategory }) => serviceCategory),
  text("ServiceName", ({ service }) => service),
  text("ServiceProviderName", ({ provider }) => provider, ["1.4"]),
  text("ServiceSubcategory", ({ serviceSubcategory }) => serviceSubcategory),
  text("SkuId", ({ pricing }) => pricing?.skuId ?? null),
  text("SkuMeter", ({ pricing }) => pricing?.skuMeter ?? null),
  json("SkuPriceDetails", ({ pricing }) => pricing?.skuPriceDetails ?? null),
  text("SkuPriceId", ({ pricing }) => pricing?.skuPriceId ?? null),
  text("SubAccountId", ({ context }) => context.workspace.id),
  text("SubAccountName", ({ context }) => context.workspace.name),
  json("Tags", ({ tags }) => tags),
  text("x_KeyId", ({ custom }) => custom?.keyId || null),
  text("x_KeyName", ({ custom }) => custom?.keyName || null),
  text("x_Meter", ({ custom }) => custom?.meter || null),
  text("x_Model", ({ custom }) => custom?.model || null),
  text("x_Provenance", ({ custom }) => custom?.provenance || null),
  text("x_Provider", ({ custom }) => custom?.provider || null),
];

/** What no team owns is of the invoice as a whole: any name that was given to it here could be a team's. */
const invoiceDetail = (invoiceId: string | null, team: string): string | null =>
  invoiceId === null || team === "" ? invoiceId : `${invoiceId}/${team}`;

export const listColumns = (version: FocusVersion): FocusColumn[] =>
  COLUMNS.filter(({ versions }) => versions.includes(version));

/** As CSV has it; null is an empty field. */
export function writeValue(column: FocusColumn, entry: FocusEntry): string | null {
  switch (column.kind) {
    case "decimal": {
      const value = column.value(entry);
      return value === null ? null : withPoint(formatDecimal(value));
    }
    case "string":
      return column.value(entry);
    case "datetime": {
      const value = column.value(entry);
      return value === null ? null : `${formatInstant(value).slice(0, 19)}Z`;
    }
    case "json": {
      const value = column.value(entry);
      return value === null || Object.keys(value).length === 0 ? null : JSON.stringify(value);
    }
  }
}

/** Importers take a column without any point for one of whole numbers. */
const withPoint = (plain: string): string => (plain.includes(".") ? plain : `${plain}.0`);
