import { defineInvoiceFormat, type InvoiceMeter } from "@centspan/model";
import { hasColumns, kindOf, readCsvRows } from "../read-values.ts";

const COLUMNS = ["usage_date_utc", "model", "workspace", "api_key", "usage_type", "token_type", "cost_usd"];
const OPTIONAL = [
  "context_window",
  "list_price_usd",
  "cost_type",
  "inference_geo",
  "speed",
  "api_key_id",
  "api_key_status",
];

const METER_OF: Readonly<Record<string, InvoiceMeter>> = {
  input_no_cache: "input",
  input_cache_read: "cache_read",
  input_cache_write_5m: "cache_write_5m",
  input_cache_write_1h: "cache_write_1h",
  output: "output",
};

export default defineInvoiceFormat({
  id: "anthropic-costs-csv",
  describe: "Anthropic costs, as the Claude Console exports them",
  recognises: (file) => hasColumns(file, ["usage_date_utc", "cost_usd"]),
  read: (file) =>
    readCsvRows(file, COLUMNS, OPTIONAL).map((row) => {
      const cost = row.usd("cost_usd");
      return {
        row: row.row,
        day: row.day("usage_date_utc"),
        provider: "anthropic",
        project: row.text("workspace") || null,
        key: row.text("api_key") || null,
        model: row.text("model") || null,
        meter: row.text("cost_type") === "web_search" ? "web_search" : (METER_OF[row.text("token_type")] ?? null),
        quantity: null,
        cost,
        kind: kindOf(cost),
        description: [row.text("usage_type"), row.text("cost_type")].filter((part) => part !== "").join(", "),
      };
    }),
});
