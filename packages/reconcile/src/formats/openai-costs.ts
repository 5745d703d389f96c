import { defineInvoiceFormat } from "@centspan/model";
import { z } from "zod";
import { readLineItem } from "../line-item.ts";
import { refuse } from "../open-file.ts";
import { hasResultObject, readOpenaiPage } from "../openai-page.ts";
import { isUsd, kindOf, name, usd } from "../read-values.ts";

const resultSchema = z.strictObject({
  object: z.literal("organization.costs.result"),
  amount: z.strictObject({ value: usd, currency: z.string() }),
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
});

export default defineInvoiceFormat({
  id: "openai-costs",
  describe: "OpenAI costs, as GET /v1/organization/costs answers",
  recognises: (file) => hasResultObject(file, "organization.costs.result"),
  read: (file) =>
    readOpenaiPage(file, resultSchema, ({ amount, line_item, project_id, api_key_id }, at) => {
      if (!isUsd(amount.currency)) throw refuse(file.name, at.row, "amount.currency", `${amount.currency} is not USD`);
      return [
        {
          ...at,
          provider: "openai",
          project: project_id ?? null,
          key: api_key_id ?? null,
          ...readLineItem(line_item ?? null),
          quantity: null,
          cost: amount.value,
          kind: kindOf(amount.value),
          description: line_item ?? "",
        },
      ];
    }),
});
