/**
 * FOCUS data of any version, ours or anybody's. FOCUS has no columns for models, meters and keys: ours are custom ones,
 * and of others the SKU stands for the model.
 */
import {
  defineInvoiceFormat,
  INVOICE_METER_OF,
  type InvoiceLine,
  type InvoiceMeter,
  idOfProvider,
  METERS,
  type WrittenUsd,
} from "@centspan/model";
import { type CsvRow, hasColumns, isUsd, kindOf, readCount, readCsvRows } from "../read-values.ts";

const COLUMNS = ["BilledCost", "BillingCurrency", "ChargeCategory", "ChargePeriodStart", "ChargePeriodEnd"];

export default defineInvoiceFormat({
  id: "focus",
  describe: "FOCUS cost and usage, CSV of any version",
  recognises: (file) => hasColumns(file, ["BilledCost", "ChargePeriodStart"]),
  read: (file) => {
    const header = file.kind === "csv" ? file.header : [];
    return readCsvRows(file, COLUMNS, header.filter(isFocusColumn)).flatMap((row) => {
      if (!isUsd(row.text("BillingCurrency"))) throw row.fail("BillingCurrency", "is not USD");
      const cost = row.usd("BilledCost");
      const model = readName(row, "x_Model") || readName(row, "SkuId");
      const line = {
        row: row.row,
        day: readDay(row),
        provider: row.text("x_Provider") || idOfProvider(row.text("ServiceProviderName") || row.text("ProviderName")),
        project: readTeam(row),
        key: readName(row, "x_KeyName") || null,
        model: model || null,
        meter: meterOf(row.text("x_Meter")),
        quantity: readQuantity(row),
        cost,
        kind: readKind(row, cost),
        description: row.text("ChargeDescription"),
      };
      return line.kind === "usage" && row.text("CommitmentDiscountStatus") === "Used" ? splitCovered(row, line) : line;
    });
  },
});

function readKind(row: CsvRow, cost: WrittenUsd): InvoiceLine["kind"] {
  const category = row.text("ChargeCategory");
  if (row.text("ChargeClass") === "Correction") return "correction";
  if (category === "Purchase" || row.text("CommitmentDiscountStatus") === "Unused") return "commitment";
  if (category === "Credit") return "credit";
  return category === "Tax" || category === "Adjustment" ? "adjustment" : kindOf(cost);
}

/** What a commitment covers is billed nothing, or less than it costs by itself, which is what it is compared by. */
function splitCovered(row: CsvRow, billed: InvoiceLine & { cost: WrittenUsd }): InvoiceLine[] {
  const cost = row.usd("ContractedCost");
  const covered = { ...billed.cost, usd: billed.cost.usd.minus(cost.usd) };
  return [
    { ...billed, cost },
    { ...billed, kind: "commitment", quantity: null, cost: covered },
  ];
}

/** Column ids of FOCUS are Pascal case, custom ones begin with x_. */
const isFocusColumn = (column: string): boolean => /^(x_)?[A-Z][A-Za-z]*$/.test(column);

/** Names that begin like a formula have a quote before them, so that spreadsheets take them for text. */
const readName = (row: CsvRow, column: string): string => row.text(column).replace(/^'(?=[=+\-@])/, "");

const HOUR_MS = 3_600_000;

/**
 * The day of UTC in which the middle of the charge period is. Of a day by another midnight it is the day by that zone's
 * calendar: they begin up to thirteen hours before UTC's, and may have 23 or 25 hours.
 */
function readDay(row: CsvRow): string {
  const [fromMs, toMs] = ["ChargePeriodStart", "ChargePeriodEnd"].map((column) => {
    const ms = Date.parse(row.text(column));
    if (Number.isNaN(ms)) throw row.fail(column, "is not an instant");
    return ms;
  });
  if (fromMs === undefined || toMs === undefined || toMs <= fromMs)
    throw row.fail("ChargePeriodEnd", "is not after its start");
  const isDay = Math.abs(toMs - fromMs - 24 * HOUR_MS) <= HOUR_MS;
  return new Date(isDay ? fromMs + 13 * HOUR_MS : (fromMs + toMs) / 2).toISOString().slice(0, 10);
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
