import { defineInvoiceFormat } from "@centspan/model";
import { z } from "zod";
import { readLineItem } from "../line-item.ts";
import { refuse } from "../open-file.ts";
import {
  amountNumber,
  count,
  dayOfBucket,
  isUsd,
  kindOf,
  listResultObjects,
  name,
  parseFile,
  requireWhole,
} from "../read-values.ts";

const schema = z.strictObject({
  object: z.literal("page"),
  data: z.array(
    z.strictObject({
      object: z.literal("bucket"),
      start_time: count,
      end_time: count,
      start_time_iso: z.string().optional(),
      end_time_iso: z.string().optional(),
      results: z.array(
        z.strictObject({
          object: z.literal("organization.costs.result"),
          amount: z.strictObject({ value: amountNumber, currency: z.string() }),
          line_item: name,
          project_id: name,
          project_name: name,
          organization_id: name,
          organization_name: name,
          api_key_id: name,
          user_id: name,
          user_email: name,
          api_source: name,
          quantity: z.unknown().optional(),
          quantity_unit: name,
        }),
      ),
    }),
  ),
  has_more: z.boolean(),
  next_page: z.string().nullable().optional(),
});

export default defineInvoiceFormat({
  id: "openai-costs",
  describe: "OpenAI costs, as GET /v1/organization/costs answers",
  recognises: (file) => listResultObjects(file).has("organization.costs.result"),
  read(file) {
    const { data, has_more } = parseFile(file, schema);
    requireWhole(file, has_more);
    return data.flatMap(({ start_time, end_time, results }, bucket) => {
      const day = dayOfBucket(start_time, end_time);
      if (day === null) throw refuse(file.name, `data.${bucket}`, "end_time", "is not within the day of start_time");
      return results.map(({ amount, line_item, project_id, api_key_id }, index) => {
        const row = `data.${bucket}.results.${index}`;
        if (!isUsd(amount.currency)) throw refuse(file.name, row, "amount.currency", `${amount.currency} is not USD`);
        return {
          row,
          day,
          provider: "openai",
          project: project_id ?? null,
          key: api_key_id ?? null,
          ...readLineItem(line_item ?? null),
          quantity: null,
          costUsd: amount.value,
          kind: kindOf(amount.value),
          description: line_item ?? "",
        };
      });
    });
  },
});
