import { parseDecimal } from "@centspan/base";
import { defineInvoiceFormat, type InvoiceMeter } from "@centspan/model";
import { z } from "zod";
import { hasResultField, readAnthropicReport } from "../anthropic-report.ts";
import { refuse } from "../open-file.ts";
import { isUsd, kindOf, name, usd } from "../read-values.ts";

const TOKEN_TYPES = [
  "uncached_input_tokens",
  "cache_read_input_tokens",
  "cache_creation.ephemeral_5m_input_tokens",
  "cache_creation.ephemeral_1h_input_tokens",
  "output_tokens",
] as const;
const METER_OF: Record<(typeof TOKEN_TYPES)[number], InvoiceMeter> = {
  uncached_input_tokens: "input",
  cache_read_input_tokens: "cache_read",
  "cache_creation.ephemeral_5m_input_tokens": "cache_write_5m",
  "cache_creation.ephemeral_1h_input_tokens": "cache_write_1h",
  output_tokens: "output",
};

const resultSchema = z.strictObject({
  /** In cents. */
  amount: usd,
  currency: z.string(),
  workspace_id: name,
  description: name,
  cost_type: name,
  context_window: name,
  model: name,
  service_tier: name,
  token_type: z.enum(TOKEN_TYPES).nullable().optional(),
  inference_geo: name,
  speed: name,
});

const CENT = parseDecimal("0.01");

export default defineInvoiceFormat({
  id: "anthropic-costs",
  describe: "Anthropic costs, as GET /v1/organizations/cost_report answers",
  recognises: (file) => hasResultField(file, "amount"),
  read: (file) =>
    readAnthropicReport(file, resultSchema, (result, at) => {
      if (!isUsd(result.currency)) throw refuse(file.name, at.row, "currency", `${result.currency} is not USD`);
      const meter = result.token_type ? METER_OF[result.token_type] : null;
      return [
        {
          ...at,
          provider: "anthropic",
          project: result.workspace_id ?? null,
          key: null,
          model: result.model ?? null,
          meter: result.cost_type === "web_search" ? "web_search" : meter,
          quantity: null,
          cost: { usd: result.amount.usd.times(CENT), decimals: result.amount.decimals + 2 },
          kind: kindOf(result.amount),
          description: result.description ?? "",
        },
      ];
    }),
});
