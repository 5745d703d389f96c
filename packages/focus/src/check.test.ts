/** The checker: our exports pass, and each kind of mistake is found by the rule that forbids it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { describe, expect, it } from "vitest";
import { checkExport, describeSpec14, type FocusVersion, type RuleModel, readRuleModel, writeCsv } from "./index.ts";
import { collect, inOne, makeEntries } from "./testing/entries.ts";

const shared = process.env.CENTSPAN_SHARED;
const modelFile = shared === undefined ? null : join(shared, "data/focus/model-1.2.json");
if (modelFile === null) console.warn("CENTSPAN_SHARED is not set: the published rules of FOCUS 1.2 are left out");
else if (!existsSync(modelFile)) throw new Error(`${modelFile} is missing`);

const models: Partial<Record<FocusVersion, RuleModel>> = {
  "1.4": describeSpec14(),
  ...(modelFile !== null && { "1.2": readRuleModel("model-1.2.json", readFileSync(modelFile, "utf8")) }),
};

type Change = { row?: Record<string, string | null>; drop?: string; add?: string };

/** The rules that break, and how badly, when something of an export is changed. */
async function broken(version: FocusVersion, model: RuleModel, { row, drop, add }: Change): Promise<string[]> {
  const [header = [], first = [], ...others]: string[][] = parse(
    await collect(writeCsv(version, inOne(makeEntries()))),
  );
  const changed = first.map((value, index) => {
    const change = row?.[header[index] ?? ""];
    return change === undefined ? value : (change ?? "");
  });
  const kept = (record: string[], added: string) => [
    ...record.filter((_value, index) => header[index] !== drop),
    ...(add === undefined ? [] : [added]),
  ];
  const csv = stringify([kept(header, add ?? ""), ...[changed, ...others].map((record) => kept(record, ""))]);
  const { findings } = await checkExport(version, model, inOne(Buffer.from(csv)));
  return findings.map(({ ruleId, severity }) => `${severity} ${ruleId}`);
}

for (const [version, model] of [
  ["1.2", models["1.2"]],
  ["1.4", models["1.4"]],
] as const) {
  describe.skipIf(model === undefined)(`an export of FOCUS ${version}`, () => {
    it("passes every rule that data can break", async () => {
      if (model === undefined) return;
      const report = await checkExport(version, model, writeCsv(version, inOne(makeEntries())));
      expect(report.findings).toEqual([]);
      expect(report.rows).toBe(makeEntries().length);
      expect(report.evaluatedRules).toBeGreaterThan(version === "1.2" ? 150 : 100);
    });

    it.each<[why: string, change: Change, rule: RegExp]>([
      ["a mandatory column is missing", { drop: "BilledCost" }, /CostAndUsage-D-006-M|BilledCost: is present/],
      ["one that is mandatory by what is supported", { drop: "SkuId" }, /CostAndUsage-D-060-C|SkuId: is present/],
      ["a strange column", { add: "Cost" }, /ColumnHandling/],
      ["a cost is null", { row: { BilledCost: null } }, /BilledCost-C-003-M|BilledCost: is not null/],
      ["a cost is no number", { row: { EffectiveCost: "$5" } }, /EffectiveCost-C-00[12]-M|EffectiveCost: is right by/],
      [
        "a product is off by the last digit",
        { row: { ListCost: "0.003703701001" } },
        /List(Cost|UnitPrice)-C-0(09|10)-C|ListCost: is list/,
      ],
      [
        "a unit is abbreviated",
        { row: { PricingUnit: "1M Tokens" } },
        /PricingUnit-C-003-O|PricingUnit: is of the unit/,
      ],
      [
        "a date has no zone",
        { row: { ChargePeriodEnd: "2026-10-01T18:30:00" } },
        /ChargePeriodEnd-C-00[12]-M|ChargePeriodEnd: is right/,
      ],
      ["a category is unknown", { row: { ChargeCategory: "Fee" } }, /ChargeCategory-C-003-M|ChargeCategory: has one/],
      ["tags are nested", { row: { Tags: '{"team":{"a":1}}' } }, /Tags-C-001-M|Tags: is right/],
      ["a tag is there twice", { row: { Tags: '{"team":"a","team":"b"}' } }, /Tags-C-001-M|Tags: is right/],
      [
        "the currency is none",
        { row: { BillingCurrency: "USX" } },
        /BillingCurrency-C-006-M|BillingCurrency: is a national/,
      ],
      [
        "a SKU price is of two SKUs",
        { row: { SkuPriceId: "openai/gpt-5.6@2026-01-01 openai/gpt-5.6/cache_read" } },
        /SkuPriceId-C-008-M|SkuPriceId: is of one/,
      ],
      ["usage without a list price", { row: { ListUnitPrice: null } }, /ListUnitPrice-C-005-C|ListUnitPrice: is there/],
      [
        "a unit without a quantity",
        { row: { ConsumedQuantity: null, ChargeClass: "Correction" } },
        /Consumed(Unit|Quantity)/,
      ],
      [
        "a commitment without its kind",
        { row: { CommitmentDiscountId: "plus" } },
        /CommitmentDiscountType(-C-005-C|: is there)/,
      ],
      [
        "a status without a commitment",
        { row: { CommitmentDiscountStatus: "Used" } },
        /CommitmentDiscountStatus(-C-003-C|: is null)/,
      ],
      [
        "a status that is none",
        { row: { CommitmentDiscountStatus: "Active" } },
        /CommitmentDiscountStatus(-C-005-M|: has one)/,
      ],
      [
        "usage of a commitment that is neither used nor unused",
        { row: { CommitmentDiscountId: "plus" } },
        /CommitmentDiscountStatus(-C-004-C|: is there)/,
      ],
      [
        "a category of commitments that is none",
        { row: { CommitmentDiscountCategory: "Time" } },
        /CommitmentDiscountCategory(-C-005-M|: has one)/,
      ],
      [
        "a correction of another name",
        { row: { ChargeClass: "Fix" } },
        /ChargeClass-C-005-C|ChargeClass: is Correction/,
      ],
    ])("does not when %s", async (_why, change, rule) => {
      if (model === undefined) return;
      const found = await broken(version, model, change);
      expect(found.filter((finding) => rule.test(finding))).not.toEqual([]);
    });

    it("is only warned of what it should do", async () => {
      if (model === undefined) return;
      const found = await broken(version, model, { drop: "ServiceSubcategory" });
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(/^warning .*(D-042-O|ServiceSubcategory: is present)$/);
    });
  });
}

it("does not have the columns of 1.2 that 1.4 took away", async () => {
  expect(await broken("1.4", describeSpec14(), { add: "ProviderName" })).toEqual(["error ColumnHandling"]);
});

describe("a rule model", () => {
  const rule = (requirement: unknown) => ({
    Reference: "BilledCost",
    EntityType: "Column",
    Type: "Static",
    ValidationCriteria: { MustSatisfy: "", Keyword: "MUST", Requirement: requirement, Condition: {} },
  });
  const model = (requirement: unknown) =>
    JSON.stringify({
      Details: { FOCUSVersion: "1.2" },
      ModelDatasets: { CostAndUsage: { ModelRules: ["R"] } },
      ModelRules: { R: rule(requirement) },
    });

  it.each([
    ["{", /m.json: is not JSON/],
    ["{}", /m.json: Details/],
    [model({ CheckFunction: "CheckMoonPhase", ColumnName: "BilledCost" }), /m.json: ModelRules.R/],
    [model({ CheckFunction: "CheckModelRule", ModelRuleId: "S" }), /there is no rule S/],
  ])("that is broken is refused by name: %s", (text, message) => {
    expect(() => readRuleModel("m.json", text)).toThrow(message);
  });

  it("of another version checks nothing", async () => {
    await expect(checkExport("1.2", describeSpec14(), writeCsv("1.2", inOne(makeEntries())))).rejects.toMatchObject({
      field: "check",
    });
  });
});
