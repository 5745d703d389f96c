import { countToDecimal, formatDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import { parse } from "csv-parse/sync";
import { type FileMetaData, parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { describeCharge, describeRounding, FOCUS_VERSIONS, listColumns, writeCsv, writeParquet } from "./index.ts";
import { CONTEXT, collect, inOne, makeCharge, makeCommitted, makeEntries, ROUNDING } from "./testing/entries.ts";
import { readNumeric } from "./value-checks.ts";

const csvOf = async (version: "1.2" | "1.4", entries = makeEntries()) => {
  const bytes = await collect(writeCsv(version, inOne(entries)));
  const rows: Record<string, string>[] = parse(bytes, { columns: true });
  return { text: bytes.toString(), rows };
};

describe("a charge", () => {
  it("is a row whose unit prices times quantity are its costs, to the last digit", async () => {
    const { rows } = await csvOf("1.2", [describeCharge(makeCharge(), CONTEXT)]);
    expect(rows).toEqual([
      {
        BilledCost: "0.003703701",
        BillingAccountId: "acme",
        BillingAccountName: "acme",
        BillingCurrency: "USD",
        BillingPeriodEnd: "2026-10-31T18:30:00Z",
        BillingPeriodStart: "2026-09-30T18:30:00Z",
        ChargeCategory: "Usage",
        ChargeClass: "",
        ChargeDescription: "Cache read tokens of gpt-5.6",
        ChargeFrequency: "Usage-Based",
        ChargePeriodEnd: "2026-10-01T18:30:00Z",
        ChargePeriodStart: "2026-09-30T18:30:00Z",
        CommitmentDiscountCategory: "",
        CommitmentDiscountId: "",
        CommitmentDiscountName: "",
        CommitmentDiscountQuantity: "",
        CommitmentDiscountStatus: "",
        CommitmentDiscountType: "",
        CommitmentDiscountUnit: "",
        ConsumedQuantity: "1234567.0",
        ConsumedUnit: "Tokens",
        ContractedCost: "0.003703701",
        ContractedUnitPrice: "0.003",
        EffectiveCost: "0.003703701",
        InvoiceId: "prod-2026-10",
        InvoiceIssuerName: "OpenAI",
        ListCost: "0.003703701",
        ListUnitPrice: "0.003",
        PricingCategory: "Standard",
        PricingQuantity: "1.234567",
        PricingUnit: "1000000 Tokens",
        ProviderName: "OpenAI",
        PublisherName: "OpenAI",
        ServiceCategory: "AI and Machine Learning",
        ServiceName: "OpenAI API",
        ServiceSubcategory: "Generative AI",
        SkuId: "openai/gpt-5.6/cache_read",
        SkuMeter: "Cache read tokens",
        SkuPriceDetails: '{"x_Model":"gpt-5.6","x_ServiceTier":"flex"}',
        SkuPriceId: "openai/gpt-5.6@2026-01-01 openai/gpt-5.6/cache_read",
        SubAccountId: "prod",
        SubAccountName: 'Production, "EU"',
        Tags: '{"team":"payments, réseau","key":"payments"}',
        x_KeyId: "key_1",
        x_KeyName: "payments",
        x_Meter: "cache_read",
        x_Model: "gpt-5.6",
        x_Provenance: "measured",
        x_Provider: "openai",
      },
    ]);
  });

  it("has the list's price beside the contract's, and searches by the thousand", async () => {
    const listUnitPriceUsd = parseDecimal("0.01");
    const unitPriceUsd = parseDecimal("0.0085");
    const charge = makeCharge({ meter: "web_search", quantity: 3, unitPriceUsd, listUnitPriceUsd });
    const { rows } = await csvOf("1.4", [describeCharge(charge, CONTEXT)]);
    expect(rows[0]).toMatchObject({
      PricingUnit: "1000 Requests",
      PricingQuantity: "0.003",
      ListUnitPrice: "10.0",
      ListCost: "0.03",
      ContractedUnitPrice: "8.5",
      BilledCost: "0.0255",
      HostProviderName: "OpenAI",
      InvoiceDetailId: "prod-2026-10/payments, réseau",
    });
  });
});

it.each([
  ["aws-bedrock", "AWS"],
  ["azure", "Microsoft"],
  ["mistral", "Mistral AI"],
  ["a-new-one", "a-new-one"],
])("names the provider %s as it writes itself: %s", async (provider, name) => {
  const { rows } = await csvOf("1.2", [describeCharge(makeCharge({ provider }), CONTEXT)]);
  expect(rows).toMatchObject([{ ProviderName: name, ServiceName: `${name} API`, x_Provider: provider }]);
});

it("says names that a spreadsheet would compute as text, and amounts below zero as amounts", async () => {
  const model = '=HYPERLINK("http://x","y")';
  const { rows } = await csvOf("1.2", [describeCharge(makeCharge({ model, key: "@cmd", quantity: -1 }), CONTEXT)]);
  expect(rows).toMatchObject([{ x_Model: `'${model}`, x_KeyName: "'@cmd", BilledCost: expect.stringMatching(/^-0/) }]);
});

it("adds up to the statement: what rounding leaves over is a row of its own", () => {
  const exact = makeCharge({ team: "", quantity: 1, unitPriceUsd: ROUNDING.exactUsd });
  const rounding = describeRounding(ROUNDING, CONTEXT);
  const rows = [describeCharge(exact, CONTEXT), ...(rounding ? [rounding] : [])];
  expect(formatDecimal(sumDecimals(rows.map(({ billedUsd }) => billedUsd)))).toBe("0.01");
  expect(describeRounding({ ...ROUNDING, exactUsd: ROUNDING.amountUsd }, CONTEXT)).toBeNull();
});

it("has commitments billed where they are bought, and as effective cost where they are used or not", async () => {
  const { rows } = await csvOf("1.2", makeCommitted());
  const brief = rows.map((row) => [
    row.ChargeCategory,
    row.ChargeFrequency,
    row.ChargeClass,
    row.BilledCost,
    row.EffectiveCost,
    row.ListCost,
    row.PricingCategory,
    row.ConsumedQuantity,
    row.CommitmentDiscountStatus,
    row.CommitmentDiscountQuantity,
    row.x_Provenance,
  ]);
  expect(brief).toEqual([
    ["Purchase", "Recurring", "", "60.0", "0.0", "60.0", "Standard", "", "", "60.0", "derived"],
    ["Purchase", "One-Time", "", "100.0", "0.0", "100.0", "Standard", "", "", "100.0", "derived"],
    [
      "Usage",
      "Usage-Based",
      "",
      "0.0",
      "0.000000000001",
      "0.003703701",
      "Committed",
      "1234567.0",
      "Used",
      "0.000000000001",
      "allocated",
    ],
    ["Usage", "Usage-Based", "Correction", "0.0", "0.0", "-0.000000006", "Committed", "-2.0", "Used", "", "allocated"],
    [
      "Usage",
      "Usage-Based",
      "",
      "0.0",
      "59.999999999999",
      "0.0",
      "Committed",
      "",
      "Unused",
      "59.999999999999",
      "allocated",
    ],
  ]);
  expect(rows[0]).toMatchObject({
    CommitmentDiscountCategory: "Spend",
    CommitmentDiscountId: "plus",
    CommitmentDiscountName: "ChatGPT Plus",
    CommitmentDiscountType: "Seats",
    CommitmentDiscountUnit: "US Dollars",
  });
});

/** The reader makes floats of decimals: here it gives their bytes. */
function withRawDecimals(file: ArrayBuffer): FileMetaData {
  const metadata = parquetMetadata(file);
  const schema = metadata.schema.map(({ converted_type, logical_type, ...element }) =>
    converted_type === "DECIMAL"
      ? element
      : { ...element, ...(converted_type && { converted_type }), ...(logical_type && { logical_type }) },
  );
  return { ...metadata, schema };
}

/** DECIMAL(38, 12): a big-endian two's complement number of 1e-12. */
function readDecimal(bytes: unknown): string {
  if (!(bytes instanceof Uint8Array)) throw new TypeError(`not the bytes of a decimal: ${bytes}`);
  const unscaled = BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
  const text = formatDecimal(countToDecimal(unscaled).times(parseDecimal("0.000000000001")));
  return text.includes(".") ? text : `${text}.0`;
}

describe.each(FOCUS_VERSIONS)("FOCUS %s", (version) => {
  it("says the same in Parquet as in CSV, however it is cut", async () => {
    const entries = makeEntries();
    const { rows } = await csvOf(version, entries);
    async function* inPieces() {
      for (const entry of entries) yield [entry];
    }
    const file = await collect(writeParquet(version, inPieces()));
    const buffer = new Uint8Array(file).buffer;
    const read = await parquetReadObjects({ file: buffer, metadata: withRawDecimals(buffer) });
    expect(read).toHaveLength(rows.length);
    for (const [index, row] of read.entries()) {
      for (const { id, kind } of listColumns(version)) {
        const [inParquet, inCsv]: [unknown, string] = [row[id] ?? null, rows[index]?.[id] ?? ""];
        if (inCsv === "") expect([id, inParquet]).toEqual([id, null]);
        else if (kind === "datetime") expect(inParquet).toEqual(new Date(inCsv));
        else if (kind === "decimal") expect([id, readDecimal(inParquet)]).toEqual([id, inCsv]);
        else expect(inParquet).toBe(inCsv);
      }
    }
  });

  it("has a header, and a schema, when there is nothing", async () => {
    expect((await csvOf(version, [])).text).toBe(`${listColumns(version).map(({ id }) => id)}\n`);
    const file = await collect(writeParquet(version, inOne([])));
    expect(await parquetReadObjects({ file: new Uint8Array(file).buffer })).toEqual([]);
  });

  it("holds nothing of a key but its id and name", async () => {
    const { text } = await csvOf(version);
    expect(text).not.toMatch(/cs_(gateway|api|ingest)_|secret|hint/i);
  });
});

it.each([
  ["1e-7", "0.0000001"],
  ["-3.5E2", "-350"],
  ["+1", null],
  ["1,000", null],
  ["1e+3", null],
  ["0x1", null],
])("reads %s as a number of FOCUS: %s", (text, expected) => {
  const amount = readNumeric(text);
  expect(amount === null ? null : formatDecimal(amount)).toBe(expected);
});
