import { defineInvoiceFormat } from "@centspan/model";
import { z } from "zod";
import { refuse } from "../open-file.ts";
import { hasResultObject, readOpenaiPage } from "../openai-page.ts";
import { count, listUsed, name } from "../read-values.ts";

const resultSchema = z.strictObject({
  object: z.literal("organization.usage.completions.result"),
  /** With what was read from the cache and written to it. */
  input_tokens: count,
  input_cached_tokens: count.optional(),
  input_cache_write_tokens: count.optional(),
  input_uncached_tokens: count.optional(),
  /** With reasoning. */
  output_tokens: count,
  input_text_tokens: count.optional(),
  output_text_tokens: count.optional(),
  input_cached_text_tokens: count.optional(),
  input_audio_tokens: count.optional(),
  input_cached_audio_tokens: count.optional(),
  output_audio_tokens: count.optional(),
  input_image_tokens: count.optional(),
  input_cached_image_tokens: count.optional(),
  output_image_tokens: count.optional(),
  num_model_requests: count,
  project_id: name,
  user_id: name,
  api_key_id: name,
  model: name,
  batch: z.boolean().nullable().optional(),
  service_tier: name,
  api_source: name,
});

export default defineInvoiceFormat({
  id: "openai-usage",
  describe: "OpenAI usage of completions, as GET /v1/organization/usage/completions answers",
  recognises: (file) => hasResultObject(file, "organization.usage.completions.result"),
  read: (file) =>
    readOpenaiPage(file, resultSchema, (result, at) => {
      const cached = result.input_cached_tokens ?? 0;
      const written = result.input_cache_write_tokens ?? 0;
      const input = result.input_tokens - cached - written;
      if (input < 0) {
        throw refuse(file.name, at.row, "input_cached_tokens", "with cache writes is more than input_tokens");
      }
      const used = { input, cache_read: cached, cache_write_5m: written, output: result.output_tokens };
      return listUsed(used).map((part) => ({
        ...at,
        provider: "openai",
        project: result.project_id ?? null,
        key: result.api_key_id ?? null,
        model: result.model ?? null,
        ...part,
        cost: null,
        kind: "usage",
        description: "",
      }));
    }),
});
