/**
 * FOCUS data of any version, ours or anybody's. FOCUS has no columns for models, meters and keys: ours are custom ones,
 * and of others the SKU stands for the model.
 */
import type { Decimal } from "@centspan/base";
import { defineInvoiceFormat, INVOICE_METER_OF, type InvoiceLine, type InvoiceMeter, METERS } from "@centspan/model";
import { type CsvRow, hasColumns, isUsd, kindOf, readCount, readCsvRows } from "../read-values.ts";

const COLUMNS = ["BilledCost", "BillingCurrency", "ChargeCategory", "ChargePeriodStart", "ChargePeriodEnd"];

export default defineInvoiceFormat({
  id: "focus",
  describe: "FOCUS cost and usage, CSV of any version",
  recognises: (file) => hasColumns(file, ["BilledCost", "ChargePeriodStart"]),
  read: (file) => {
    const header = file.kind === "csv" ? file.header : [];
    return readCsvRows(file, COLUMNS, header.filter(isFocusColumn)).map((row) => {
      if (!isUsd(row.text("BillingCurrency"))) throw row.fail("BillingCurrency", "is not USD");
      const costUsd = row.amount("BilledCost");
      const model = row.text("x_Model") || row.text("SkuId");
      return {
        row: row.row,
        day: readDay(row),
        provider: row.text("x_Provider") || (row.text("ServiceProviderName") || row.text("ProviderName")).toLowerCase(),
        project: readTeam(row),
        key: row.text("x_KeyName") || null,
        model: model || null,
        meter: meterOf(row.text("x_Meter")),
        quantity: readQuantity(row),
        costUsd,
        kind: readKind(row, costUsd),
        description: row.text("ChargeDescription"),
      };
    });
  },
});

/** A correction may be below zero, and is of usage. */
function readKind(row: CsvRow, costUsd: Decimal): InvoiceLine["kind"] {
  const category = row.text("ChargeCategory");
  if (category === "Credit") return "credit";
  if (category === "Tax" || category === "Adjustment") return "adjustment";
  return row.text("ChargeClass") === "Correction" ? "usage" : kindOf(costUsd);
}

/** Column ids of FOCUS are Pascal case, custom ones begin with x_. */
const isFocusColumn = (column: string): boolean => /^(x_)?[A-Z][A-Za-z]*$/.test(column);

/** The day of UTC in which the middle of the charge period is: providers' days may begin at another midnight. */
function readDay(row: CsvRow): string {
  const [fromMs, toMs] = ["ChargePeriodStart", "ChargePeriodEnd"].map((column) => {
    const ms = Date.parse(row.text(column));
    if (Number.isNaN(ms)) throw row.fail(column, "is not an instant");
    return ms;
  });
  if (fromMs === undefined || toMs === undefined || toMs <= fromMs)
    throw row.fail("ChargePeriodEnd", "is not after its start");
  return new Date((fromMs + toMs) / 2).toISOString().slice(0, 10);
}

function readTeam(row: CsvRow): string | null {
  const tags = /"team":"((?:[^"\\]|\\.)*)"/.exec(row.text("Tags"))?.[1];
  return tags === undefined ? null : JSON.parse(`"${tags}"`);
}

function meterOf(text: string): InvoiceMeter | null {
  const meter = METERS.find((known) => known === text);
  return meter === undefined ? null : INVOICE_METER_OF[meter];
}

function readQuantity(row: CsvRow): number | null {
  const text = row.text("ConsumedQuantity");
  if (text === "") return null;
  // A correction takes back.
  const whole = readCount(text.replace(/^-/, ""));
  if (whole === null) throw row.fail("ConsumedQuantity", "is not a count: a whole number");
  return text.startsWith("-") ? -whole : whole;
}
