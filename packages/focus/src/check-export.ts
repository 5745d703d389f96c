/** An export, as it was written, against the rules of its version: what we say that we support, and what then has to hold. */
import { Readable } from "node:stream";
import { CentspanError } from "@centspan/base";
import { parse } from "csv-parse";
import { type CheckReport, checkRows, type Row } from "./check-rows.ts";
import type { FocusVersion } from "./columns.ts";
import type { RuleModel } from "./rule-model.ts";

const SUPPORTED: Readonly<Record<FocusVersion, ReadonlySet<string>>> = {
  "1.2": new Set([
    "ACCOUNT_NAMING_SUPPORTED",
    "COMMITMENT_DISCOUNT_SUPPORTED",
    "NEGOTIATED_PRICING_SUPPORTED",
    "PUBLIC_PRICE_LIST_SUPPORTED",
    "SUB_ACCOUNT_SUPPORTED",
    "TAGGING_SUPPORTED",
    "UNIT_PRICING_SUPPORTED",
    "USAGE_MEASUREMENT_SUPPORTED",
  ]),
  "1.4": new Set([
    "IncludesCommitmentDiscounts",
    "IncludesListUnitPrices",
    "IncludesNegotiatedPricing",
    "IncludesPayableInvoices",
    "IncludesSubAccounts",
    "IncludesTags",
    "IncludesUnitPricing",
    "IncludesUsageMeasurement",
  ]),
};

/** `csv` is the whole file, in pieces; an empty field is null. */
export async function checkExport(
  version: FocusVersion,
  model: RuleModel,
  csv: AsyncIterable<Uint8Array>,
): Promise<CheckReport> {
  const { FOCUSVersion } = model.Details;
  if (FOCUSVersion !== version) {
    const detail = `check: the rules are for FOCUS ${FOCUSVersion}, the export is ${version}`;
    throw new CentspanError("invalid_request", detail, { field: "check" });
  }
  const records: AsyncIterator<string[]> = Readable.from(csv).pipe(parse())[Symbol.asyncIterator]();
  const header = await records.next();
  const columns = header.done === true ? [] : header.value;
  async function* readRows(): AsyncGenerator<Row[]> {
    for (let next = await records.next(); next.done !== true; next = await records.next()) {
      const { value } = next;
      yield [Object.fromEntries(columns.map((column, index) => [column, value[index] || null]))];
    }
  }
  return checkRows(model, { columns, criteria: SUPPORTED[version] }, readRows());
}
