import { defineInvoiceFormat } from "@centspan/model";
import { hasColumns, listUsed, readCsvRows } from "../read-values.ts";

const COLUMNS = [
  "usage_date_utc",
  "model_version",
  "api_key",
  "workspace",
  "usage_input_tokens_no_cache",
  "usage_input_tokens_cache_write_5m",
  "usage_input_tokens_cache_write_1h",
  "usage_input_tokens_cache_read",
  "usage_output_tokens",
];
const OPTIONAL = [
  "usage_type",
  "context_window",
  "web_search_count",
  "inference_geo",
  "speed",
  "api_key_id",
  "api_key_status",
];

export default defineInvoiceFormat({
  id: "anthropic-usage-csv",
  describe: "Anthropic usage, as the Claude Console exports it",
  recognises: (file) => hasColumns(file, ["usage_date_utc", "model_version"]),
  read: (file) =>
    readCsvRows(file, COLUMNS, OPTIONAL).flatMap((row) =>
      listUsed({
        input: row.count("usage_input_tokens_no_cache"),
        cache_read: row.count("usage_input_tokens_cache_read"),
        cache_write_5m: row.count("usage_input_tokens_cache_write_5m"),
        cache_write_1h: row.count("usage_input_tokens_cache_write_1h"),
        output: row.count("usage_output_tokens"),
        web_search: row.text("web_search_count") === "" ? 0 : row.count("web_search_count"),
      }).map((part) => ({
        row: row.row,
        day: row.day("usage_date_utc"),
        provider: "anthropic",
        project: row.text("workspace") || null,
        key: row.text("api_key") || null,
        model: row.text("model_version") || null,
        ...part,
        cost: null,
        kind: "usage" as const,
        description: "",
      })),
    ),
});
