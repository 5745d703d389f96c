import { defineInvoiceFormat } from "@centspan/model";
import { z } from "zod";
import { hasResultField, readAnthropicReport } from "../anthropic-report.ts";
import { count, listUsed, name } from "../read-values.ts";

const resultSchema = z.strictObject({
  uncached_input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation: z.strictObject({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }),
  output_tokens: count,
  server_tool_use: z.strictObject({ web_search_requests: count }).nullable().optional(),
  api_key_id: name,
  workspace_id: name,
  account_id: name,
  service_account_id: name,
  model: name,
  service_tier: name,
  context_window: name,
  inference_geo: name,
  speed: name,
});

export default defineInvoiceFormat({
  id: "anthropic-usage",
  describe: "Anthropic usage of messages, as GET /v1/organizations/usage_report/messages answers",
  recognises: (file) => hasResultField(file, "uncached_input_tokens"),
  read: (file) =>
    readAnthropicReport(file, resultSchema, (result, at) =>
      listUsed({
        input: result.uncached_input_tokens,
        cache_read: result.cache_read_input_tokens,
        cache_write_5m: result.cache_creation.ephemeral_5m_input_tokens,
        cache_write_1h: result.cache_creation.ephemeral_1h_input_tokens,
        output: result.output_tokens,
        web_search: result.server_tool_use?.web_search_requests ?? 0,
      }).map((part) => ({
        ...at,
        provider: "anthropic",
        project: result.workspace_id ?? null,
        key: result.api_key_id ?? null,
        model: result.model ?? null,
        ...part,
        cost: null,
        kind: "usage",
        description: "",
      })),
    ),
});
