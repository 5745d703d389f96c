import { defineInvoiceFormat } from "@centspan/model";
import { readLineItem } from "../line-item.ts";
import { dayOfBucket, hasColumns, isUsd, kindOf, readCsvRows } from "../read-values.ts";

const COLUMNS = ["start_time", "end_time", "amount_value", "amount_currency", "line_item", "project_id"];
const OPTIONAL = [
  "start_time_iso",
  "end_time_iso",
  "quantity",
  "quantity_unit",
  "user_id",
  "user_email",
  "api_key_id",
  "organization_id",
  "organization_name",
  "project_name",
  "api_source",
];

export default defineInvoiceFormat({
  id: "openai-costs-csv",
  describe: "OpenAI costs, as its dashboard exports them",
  recognises: (file) => hasColumns(file, ["start_time", "amount_value"]),
  read: (file) =>
    readCsvRows(file, COLUMNS, OPTIONAL).flatMap((row) => {
      const day = dayOfBucket(row.count("start_time"), row.count("end_time"));
      if (day === null) throw row.fail("end_time", "is not within the day of start_time");
      // A day on which nothing was used is there without an amount.
      if (row.text("amount_value") === "") return [];
      if (!isUsd(row.text("amount_currency"))) throw row.fail("amount_currency", "is not USD");
      const cost = row.usd("amount_value");
      return {
        row: row.row,
        day,
        provider: "openai",
        project: row.text("project_name") || row.text("project_id") || null,
        key: row.text("api_key_id") || null,
        ...readLineItem(row.text("line_item") || null),
        quantity: null,
        cost,
        kind: kindOf(cost),
        description: row.text("line_item"),
      };
    }),
});
