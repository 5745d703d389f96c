import { defineInvoiceFormat } from "@centspan/model";
import { z } from "zod";
import { refuse } from "../open-file.ts";
import { count, dayOfBucket, listResultObjects, listUsed, name, parseFile, requireWhole } from "../read-values.ts";

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
        }),
      ),
    }),
  ),
  has_more: z.boolean(),
  next_page: z.string().nullable().optional(),
});

export default defineInvoiceFormat({
  id: "openai-usage",
  describe: "OpenAI usage of completions, as GET /v1/organization/usage/completions answers",
  recognises: (file) => listResultObjects(file).has("organization.usage.completions.result"),
  read(file) {
    const { data, has_more } = parseFile(file, schema);
    requireWhole(file, has_more);
    return data.flatMap(({ start_time, end_time, results }, bucket) => {
      const day = dayOfBucket(start_time, end_time);
      if (day === null) throw refuse(file.name, `data.${bucket}`, "end_time", "is not within the day of start_time");
      return results.flatMap((result, index) => {
        const row = `data.${bucket}.results.${index}`;
        const cached = result.input_cached_tokens ?? 0;
        const written = result.input_cache_write_tokens ?? 0;
        const input = result.input_tokens - cached - written;
        if (input < 0)
          throw refuse(file.name, row, "input_cached_tokens", "with cache writes is more than input_tokens");
        const used = { input, cache_read: cached, cache_write_5m: written, output: result.output_tokens };
        return listUsed(used).map((part) => ({
          row,
          day,
          provider: "openai",
          project: result.project_id ?? null,
          key: result.api_key_id ?? null,
          model: result.model ?? null,
          ...part,
          costUsd: null,
          kind: "usage" as const,
          description: "",
        }));
      });
    });
  },
});
