import { parseDecimal } from "@centspan/base";
import { defineInvoiceFormat, type InvoiceMeter } from "@centspan/model";
import { z } from "zod";
import { refuse } from "../open-file.ts";
import {
  amountText,
  isUsd,
  kindOf,
  listResultFields,
  name,
  parseFile,
  readBucketDay,
  requireWhole,
} from "../read-values.ts";

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

const schema = z.strictObject({
  data: z.array(
    z.strictObject({
      starting_at: z.string(),
      ending_at: z.string(),
      results: z.array(
        z.strictObject({
          /** In cents. */
          amount: amountText,
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
        }),
      ),
    }),
  ),
  has_more: z.boolean(),
  next_page: z.string().nullable().optional(),
});

const CENT = parseDecimal("0.01");

export default defineInvoiceFormat({
  id: "anthropic-costs",
  describe: "Anthropic costs, as GET /v1/organizations/cost_report answers",
  recognises: (file) => listResultFields(file).has("amount"),
  read(file) {
    const { data, has_more } = parseFile(file, schema);
    requireWhole(file, has_more);
    return data.flatMap(({ starting_at, ending_at, results }, bucket) => {
      const day = readBucketDay(file, `data.${bucket}`, starting_at, ending_at);
      return results.map((result, index) => {
        const row = `data.${bucket}.results.${index}`;
        if (!isUsd(result.currency)) throw refuse(file.name, row, "currency", `${result.currency} is not USD`);
        const meter = result.token_type ? METER_OF[result.token_type] : null;
        return {
          row,
          day,
          provider: "anthropic",
          project: result.workspace_id ?? null,
          key: null,
          model: result.model ?? null,
          meter: result.cost_type === "web_search" ? ("web_search" as const) : meter,
          quantity: null,
          costUsd: result.amount.times(CENT),
          kind: kindOf(result.amount),
          description: result.description ?? "",
        };
      });
    });
  },
});
