/**
 * Amazon Bedrock, on demand. Where inference happens is part of the model's id: `global.` costs what the model's maker
 * asks, `us.`, `eu.` and the other geographies, and ids without one, a tenth more since Claude 4.5: prices of their own here, as
 * AWS lists them. A cache write that lives for an hour is unpriced where AWS states no rate for it.
 */
import { defineRateCard, type Rates } from "@centspan/model";
import { expandRows } from "../expand-rows.ts";

const TABLE = { provider: "aws-bedrock", source: "https://aws.amazon.com/bedrock/pricing/", checkedOn: "2026-11-29" };

const GEOGRAPHIES = ["", "us.", "us-gov.", "eu.", "apac.", "jp.", "au.", "ca."];
/** AWS adds its own version, or a date and its own version. */
const idsOf = (model: string): string[] => [model, `${model}-v*`, `${model}-20*`];
const within =
  (places: readonly string[]) =>
  (model: string): string[] =>
    places.flatMap((place) => idsOf(`${place}${model}`));

const rates = (input: string, write5m: string, cacheRead: string, output: string, write1h?: string): Rates => ({
  input,
  cache_write_5m: write5m,
  cache_read: cacheRead,
  output_text: output,
  ...(write1h !== undefined && { cache_write_1h: write1h }),
});
const read = (input: string, cacheRead: string, output: string): Rates => ({
  input,
  cache_read: cacheRead,
  output_text: output,
});

const SONNET_4 = rates("3", "3.75", "0.30", "15");
const OPUS_4 = rates("15", "18.75", "1.50", "75");
const OPUS_4_5 = rates("5", "6.25", "0.50", "25");
const OPUS_4_5_REGIONAL = rates("5.50", "6.875", "0.55", "27.50");

export default defineRateCard({
  id: "bedrock",
  describe: "Amazon Bedrock, on demand: Claude and Nova",
  provider: "aws-bedrock",
  entries: [
    ...expandRows({ ...TABLE, namesOf: within(["global."]) }, [
      { model: "anthropic.claude-sonnet-4", from: "2025-05-22", perMillion: SONNET_4 },
      {
        model: "anthropic.claude-sonnet-4-5",
        from: "2025-09-29",
        perMillion: rates("3", "3.75", "0.30", "15", "6"),
      },
      { model: "anthropic.claude-haiku-4-5", from: "2025-10-15", perMillion: rates("1", "1.25", "0.10", "5") },
      { model: "anthropic.claude-opus-4-5", from: "2025-11-24", perMillion: rates("5", "6.25", "0.50", "25", "10") },
      { model: "anthropic.claude-opus-4-6", from: "2026-02-05", perMillion: OPUS_4_5 },
      { model: "anthropic.claude-sonnet-4-6", from: "2026-02-17", perMillion: SONNET_4 },
      { model: "anthropic.claude-opus-4-7", from: "2026-04-16", perMillion: OPUS_4_5 },
      { model: "anthropic.claude-opus-4-8", from: "2026-05-28", perMillion: OPUS_4_5 },
      { model: "anthropic.claude-fable-5", from: "2026-06-09", perMillion: rates("10", "12.50", "1", "50") },
      { model: "anthropic.claude-sonnet-5", from: "2026-06-30", perMillion: rates("2", "2.50", "0.20", "10") },
      { model: "anthropic.claude-opus-5", from: "2026-07-24", perMillion: OPUS_4_5 },
      { model: "anthropic.claude-fable-5-1", from: "2026-09-01", perMillion: rates("10", "12.50", "0.25", "50") },
      { model: "anthropic.claude-opus-5-5", from: "2026-09-22", perMillion: rates("4", "5", "0.20", "20", "8") },
      { model: "amazon.nova-2-lite", from: "2025-12-02", perMillion: read("0.30", "0.075", "2.50") },
    ]),
    ...expandRows({ ...TABLE, namesOf: within(GEOGRAPHIES) }, [
      { model: "anthropic.claude-3-5-haiku", from: "2024-11-04", perMillion: rates("0.80", "1", "0.08", "4") },
      { model: "anthropic.claude-3-5-sonnet", from: "2024-06-20", perMillion: SONNET_4 },
      { model: "anthropic.claude-3-7-sonnet", from: "2025-02-24", perMillion: SONNET_4 },
      { model: "anthropic.claude-sonnet-4", from: "2025-05-22", perMillion: SONNET_4 },
      { model: "anthropic.claude-opus-4", from: "2025-05-22", perMillion: OPUS_4 },
      { model: "anthropic.claude-opus-4-1", from: "2025-08-05", perMillion: OPUS_4 },
      {
        model: "anthropic.claude-sonnet-4-5",
        from: "2025-09-29",
        perMillion: rates("3.30", "4.125", "0.33", "16.50", "6.60"),
      },
      { model: "anthropic.claude-haiku-4-5", from: "2025-10-15", perMillion: rates("1.10", "1.375", "0.11", "5.50") },
      {
        model: "anthropic.claude-opus-4-5",
        from: "2025-11-24",
        perMillion: rates("5.50", "6.875", "0.55", "27.50", "11"),
      },
      { model: "anthropic.claude-opus-4-6", from: "2026-02-05", perMillion: OPUS_4_5_REGIONAL },
      { model: "anthropic.claude-sonnet-4-6", from: "2026-02-17", perMillion: rates("3.30", "4.125", "0.33", "16.50") },
      { model: "anthropic.claude-opus-4-7", from: "2026-04-16", perMillion: OPUS_4_5_REGIONAL },
      { model: "anthropic.claude-opus-4-8", from: "2026-05-28", perMillion: OPUS_4_5_REGIONAL },
      { model: "anthropic.claude-fable-5", from: "2026-06-09", perMillion: rates("11", "13.75", "1.10", "55") },
      { model: "anthropic.claude-sonnet-5", from: "2026-06-30", perMillion: rates("2.20", "2.75", "0.22", "11") },
      { model: "anthropic.claude-opus-5", from: "2026-07-24", perMillion: OPUS_4_5_REGIONAL },
      { model: "anthropic.claude-fable-5-1", from: "2026-09-01", perMillion: rates("11", "13.75", "0.275", "55") },
      {
        model: "anthropic.claude-opus-5-5",
        from: "2026-09-22",
        perMillion: rates("4.40", "5.50", "0.22", "22", "8.80"),
      },
    ]),
    // Elsewhere Nova costs more, by place.
    ...expandRows({ ...TABLE, namesOf: within(["", "us."]) }, [
      { model: "amazon.nova-micro", from: "2024-12-03", perMillion: read("0.035", "0.00875", "0.14") },
      { model: "amazon.nova-lite", from: "2024-12-03", perMillion: read("0.06", "0.015", "0.24") },
      { model: "amazon.nova-pro", from: "2024-12-03", perMillion: read("0.80", "0.20", "3.20") },
      { model: "amazon.nova-premier", from: "2025-04-30", perMillion: read("2.50", "0.625", "12.50") },
      { model: "amazon.nova-2-lite", from: "2025-12-02", perMillion: read("0.33", "0.0825", "2.75") },
    ]),
  ],
});
