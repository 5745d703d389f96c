/**
 * FOCUS 1.4, Cost and Usage, as a listed table: its columns with their type, feature level and nulls, and the rules across
 * columns that data can break. It becomes a rule model of the same form as the published one for 1.2, for which 1.4 has
 * none that could be had. Source: focus.finops.org, specification 1.4, section Cost and Usage.
 * Add one: a row, as the specification says it; what we export is columns.ts's matter.
 */

import type { Check } from "./check-schema.ts";
import { both, either, is, isNot } from "./make-checks.ts";
import type { Rule, RuleModel } from "./rule-model.ts";

type Kind = "Decimal" | "String" | "DateTime" | "KeyValue" | "Json";
/** Mandatory or recommended, and where the operating model includes what a criterion names, only then. */
type Level = "Mandatory" | "Recommended" | `Includes${string}` | `Recommended where Includes${string}`;
type Column = readonly [id: string, kind: Kind, level: Level, nulls: "null" | "not null"];

const COLUMNS: readonly Column[] = [
  ["AllocatedMethodDetails", "Json", "Recommended where IncludesSplitCostAllocation", "null"],
  ["AllocatedMethodId", "String", "IncludesSplitCostAllocation", "null"],
  ["AllocatedResourceId", "String", "IncludesSplitCostAllocation", "null"],
  ["AllocatedResourceName", "String", "IncludesSplitCostAllocation", "null"],
  ["AllocatedTags", "KeyValue", "IncludesSplitCostAllocation", "null"],
  ["AvailabilityZone", "String", "Recommended where IncludesAvailabilityZones", "null"],
  ["BilledCost", "Decimal", "Mandatory", "not null"],
  ["BillingAccountId", "String", "Mandatory", "not null"],
  ["BillingAccountName", "String", "Mandatory", "null"],
  ["BillingAccountType", "String", "IncludesMultipleBillingAccountTypes", "not null"],
  ["BillingCurrency", "String", "Mandatory", "not null"],
  ["BillingPeriodEnd", "DateTime", "Mandatory", "not null"],
  ["BillingPeriodStart", "DateTime", "Mandatory", "not null"],
  ["CapacityReservationId", "String", "IncludesCapacityReservations", "null"],
  ["CapacityReservationStatus", "String", "IncludesCapacityReservations", "null"],
  ["ChargeCategory", "String", "Mandatory", "not null"],
  ["ChargeClass", "String", "Mandatory", "null"],
  ["ChargeDescription", "String", "Mandatory", "null"],
  ["ChargeFrequency", "String", "Recommended", "not null"],
  ["ChargePeriodEnd", "DateTime", "Mandatory", "not null"],
  ["ChargePeriodStart", "DateTime", "Mandatory", "not null"],
  ["CommitmentDiscountCategory", "String", "IncludesCommitmentDiscounts", "null"],
  ["CommitmentDiscountId", "String", "IncludesCommitmentDiscounts", "null"],
  ["CommitmentDiscountName", "String", "IncludesCommitmentDiscounts", "null"],
  ["CommitmentDiscountQuantity", "Decimal", "IncludesCommitmentDiscounts", "null"],
  ["CommitmentDiscountStatus", "String", "IncludesCommitmentDiscounts", "null"],
  ["CommitmentDiscountType", "String", "IncludesCommitmentDiscounts", "null"],
  ["CommitmentDiscountUnit", "String", "IncludesCommitmentDiscounts", "null"],
  ["CommitmentProgramEligibilityDetails", "Json", "IncludesCommitmentPrograms", "null"],
  ["ConsumedQuantity", "Decimal", "IncludesUsageMeasurement", "null"],
  ["ConsumedUnit", "String", "IncludesUsageMeasurement", "null"],
  ["ContractApplied", "Json", "IncludesContractCommitments", "null"],
  ["ContractedCost", "Decimal", "Mandatory", "not null"],
  ["ContractedUnitPrice", "Decimal", "IncludesNegotiatedPricing", "null"],
  ["EffectiveCost", "Decimal", "Mandatory", "not null"],
  ["HostProviderName", "String", "Mandatory", "not null"],
  ["InvoiceDetailId", "String", "IncludesPayableInvoices", "null"],
  ["InvoiceId", "String", "IncludesPayableInvoices", "null"],
  ["InvoiceIssuerName", "String", "Mandatory", "not null"],
  ["ListCost", "Decimal", "Mandatory", "not null"],
  ["ListUnitPrice", "Decimal", "IncludesListUnitPrices", "null"],
  ["PricingCategory", "String", "IncludesMultiplePricingCategories", "null"],
  ["PricingCurrency", "String", "IncludesPricingBillingCurrencyDifferences", "not null"],
  ["PricingCurrencyContractedUnitPrice", "Decimal", "IncludesPricingBillingCurrencyDifferences", "null"],
  ["PricingCurrencyEffectiveCost", "Decimal", "IncludesPricingBillingCurrencyDifferences", "not null"],
  ["PricingCurrencyListUnitPrice", "Decimal", "IncludesPricingBillingCurrencyDifferences", "null"],
  ["PricingQuantity", "Decimal", "Mandatory", "null"],
  ["PricingUnit", "String", "Mandatory", "null"],
  ["RegionId", "String", "IncludesRegions", "null"],
  ["RegionName", "String", "IncludesRegions", "null"],
  ["ResourceId", "String", "IncludesProvisionedResources", "null"],
  ["ResourceName", "String", "IncludesProvisionedResources", "null"],
  ["ResourceType", "String", "IncludesProvisionedResources", "null"],
  ["ServiceCategory", "String", "Mandatory", "not null"],
  ["ServiceName", "String", "Mandatory", "not null"],
  ["ServiceProviderName", "String", "Mandatory", "not null"],
  ["ServiceSubcategory", "String", "Recommended", "not null"],
  ["SkuId", "String", "IncludesUnitPricing", "null"],
  ["SkuMeter", "String", "IncludesUnitPricing", "null"],
  ["SkuPriceDetails", "KeyValue", "IncludesUnitPricing", "null"],
  ["SkuPriceId", "String", "IncludesUnitPricing", "null"],
  ["SubAccountId", "String", "IncludesSubAccounts", "null"],
  ["SubAccountName", "String", "IncludesSubAccounts", "null"],
  ["SubAccountType", "String", "IncludesMultipleSubAccountTypes", "null"],
  ["Tags", "KeyValue", "IncludesTags", "null"],
];

const VALUES: Readonly<Record<string, readonly string[]>> = {
  ChargeCategory: ["Usage", "Purchase", "Tax", "Credit", "Adjustment"],
  ChargeFrequency: ["One-Time", "Recurring", "Usage-Based"],
  CommitmentDiscountCategory: ["Spend", "Usage"],
  CommitmentDiscountStatus: ["Used", "Unused"],
  PricingCategory: ["Standard", "Dynamic", "Committed", "Other"],
  ServiceCategory: [
    "AI and Machine Learning",
    "Analytics",
    "Business Applications",
    "Compute",
    "Databases",
    "Developer Tools",
    "Identity",
    "Integration",
    "Internet of Things",
    "Management and Governance",
    "Media",
    "Migration",
    "Mobile",
    "Multicloud",
    "Networking",
    "Security",
    "Storage",
    "Web",
    "Other",
  ],
};

const product = (ColumnAName: string, ColumnBName: string, ResultColumnName: string): Check => ({
  CheckFunction: "ColumnByColumnEqualsColumnValue",
  ColumnAName,
  ColumnBName,
  ResultColumnName,
});
const oneOfEach = (ColumnAName: string, ColumnBName: string): Check => ({
  CheckFunction: "CheckDistinctCount",
  ColumnAName,
  ColumnBName,
  ExpectedCount: 1,
});

const DISCOUNT = "CommitmentDiscountId";
const IS_CORRECTION = is("ChargeClass", "Correction");
const IS_NO_CORRECTION = isNot("ChargeClass", "Correction");
const IS_PRICED = both(either(is("ChargeCategory", "Usage"), is("ChargeCategory", "Purchase")), IS_NO_CORRECTION);

type Across = readonly [column: string, says: string, requirement: Check, condition: Check | null];

const ACROSS: readonly Across[] = [
  [
    "BillingCurrency",
    "is a national currency",
    { CheckFunction: "CheckNationalCurrency", ColumnName: "BillingCurrency" },
    null,
  ],
  ["ChargeClass", "is Correction or null", IS_CORRECTION, isNot("ChargeClass", null)],
  [
    "EffectiveCost",
    "is 0 for a purchase that covers later charges",
    is("EffectiveCost", 0),
    is("ChargeCategory", "Purchase"),
  ],
  [
    "ListCost",
    "is list unit price × pricing quantity",
    product("ListUnitPrice", "PricingQuantity", "ListCost"),
    IS_NO_CORRECTION,
  ],
  [
    "ContractedCost",
    "is contracted unit price × pricing quantity",
    product("ContractedUnitPrice", "PricingQuantity", "ContractedCost"),
    IS_NO_CORRECTION,
  ],
  ...["ListUnitPrice", "ContractedUnitPrice", "PricingQuantity", "SkuId", "SkuPriceId", "PricingCategory"].flatMap(
    (column): Across[] => [
      [column, "is there for what was used or purchased", isNot(column, null), IS_PRICED],
      [column, "is null for a tax", is(column, null), is("ChargeCategory", "Tax")],
    ],
  ),
  ...["ListUnitPrice", "ContractedUnitPrice"].map(
    (column): Across => [
      column,
      "is not below 0",
      { CheckFunction: "CheckGreaterOrEqualThanValue", ColumnName: column, Value: 0 },
      isNot(column, null),
    ],
  ),
  [
    "ConsumedQuantity",
    "is there for what was used",
    isNot("ConsumedQuantity", null),
    both(is("ChargeCategory", "Usage"), isNot("CommitmentDiscountStatus", "Unused"), IS_NO_CORRECTION),
  ],
  [
    "ConsumedQuantity",
    "is null for what was not used",
    is("ConsumedQuantity", null),
    either(isNot("ChargeCategory", "Usage"), is("CommitmentDiscountStatus", "Unused")),
  ],
  ...(
    [
      ["PricingUnit", "PricingQuantity"],
      ["ConsumedUnit", "ConsumedQuantity"],
      ["SubAccountName", "SubAccountId"],
      ["SkuMeter", "SkuId"],
      ["CommitmentDiscountUnit", "CommitmentDiscountQuantity"],
    ] as const
  ).flatMap(([column, other]): Across[] => [
    [column, `is null where ${other} is`, is(column, null), is(other, null)],
    [column, `is there where ${other} is`, isNot(column, null), isNot(other, null)],
  ]),
  ...["Category", "Type", "Name"].flatMap((fact): Across[] => {
    const column = `CommitmentDiscount${fact}`;
    const missing: Across = [column, "is null where CommitmentDiscountId is", is(column, null), is(DISCOUNT, null)];
    const present: Across = [
      column,
      "is there where CommitmentDiscountId is",
      isNot(column, null),
      isNot(DISCOUNT, null),
    ];
    return fact === "Name" ? [missing] : [missing, present];
  }),
  [
    "CommitmentDiscountStatus",
    "is null where CommitmentDiscountId is",
    is("CommitmentDiscountStatus", null),
    is(DISCOUNT, null),
  ],
  [
    "CommitmentDiscountStatus",
    "is there for what was used under a commitment",
    isNot("CommitmentDiscountStatus", null),
    both(isNot(DISCOUNT, null), is("ChargeCategory", "Usage")),
  ],
  [
    "CommitmentDiscountQuantity",
    "is there for what was used or purchased under a commitment",
    isNot("CommitmentDiscountQuantity", null),
    both(isNot(DISCOUNT, null), IS_PRICED),
  ],
  [
    "CommitmentDiscountQuantity",
    "is null for all else",
    is("CommitmentDiscountQuantity", null),
    either(is(DISCOUNT, null), IS_CORRECTION),
  ],
  ["SkuPriceDetails", "is null where SkuPriceId is", is("SkuPriceDetails", null), is("SkuPriceId", null)],
  ["PricingUnit", "is of the unit format", { CheckFunction: "FormatUnit", ColumnName: "PricingUnit" }, null],
  ["ConsumedUnit", "is of the unit format", { CheckFunction: "FormatUnit", ColumnName: "ConsumedUnit" }, null],
  ["SkuPriceId", "is of one SKU", oneOfEach("SkuPriceId", "SkuId"), isNot("SkuPriceId", null)],
  ["ServiceName", "is in one category", oneOfEach("ServiceName", "ServiceCategory"), null],
];

const FORMATS = {
  Decimal: ["TypeDecimal", "FormatNumeric"],
  String: ["TypeString", "FormatString"],
  DateTime: ["TypeDateTime", "FormatDateTime"],
  KeyValue: ["FormatKeyValue"],
  Json: [],
} as const satisfies Record<Kind, readonly string[]>;

export function describeSpec14(): RuleModel {
  const rules: Record<string, Rule> = {};
  const add = (
    column: string,
    says: string,
    requirement: Check,
    {
      of = "Column",
      level = "Mandatory",
      condition = null,
    }: { of?: string; level?: Level; condition?: Check | null } = {},
  ): void => {
    const id = `${column}: ${says}`;
    rules[id] = {
      Reference: column,
      EntityType: of,
      ApplicabilityCriteria: level.match(/Includes\w+/) ?? [],
      Type: "Static",
      ValidationCriteria: {
        MustSatisfy: `${column} ${says}.`,
        Keyword: level.startsWith("Recommended") ? "SHOULD" : "MUST",
        Requirement: requirement,
        Condition: condition,
      },
    };
  };
  for (const [column, kind, level, nulls] of COLUMNS) {
    const ColumnName = column;
    add(column, "is present", { CheckFunction: "ColumnPresent", ColumnName }, { of: "Dataset", level });
    for (const CheckFunction of FORMATS[kind])
      add(column, `is right by ${CheckFunction}`, { CheckFunction, ColumnName });
    if (nulls === "not null") add(column, "is not null", isNot(column, null));
    const values = VALUES[column];
    if (values)
      add(column, "has one of its values", either(is(column, null), ...values.map((value) => is(column, value))));
  }
  for (const [column, says, requirement, condition] of ACROSS) add(column, says, requirement, { condition });
  const root = "CostAndUsage";
  const Items = Object.keys(rules).map((ModelRuleId): Check => ({ CheckFunction: "CheckModelRule", ModelRuleId }));
  add(root, "adheres to all of this", { CheckFunction: "AND", Items }, { of: "Dataset" });
  return {
    Details: { FOCUSVersion: "1.4" },
    ModelDatasets: { CostAndUsage: { ModelRules: [`${root}: adheres to all of this`] } },
    ModelRules: rules,
  };
}
