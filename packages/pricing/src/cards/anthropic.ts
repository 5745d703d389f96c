/**
 * Claude list prices. Long-context tiers hold for the whole request and count cached and written tokens; two models
 * lost theirs on 2026-03-13. Rows start on the model's release, so that an earlier call is unpriced, not guessed.
 * A batch costs half, inference kept in the US a tenth more, fast mode what its page says; they multiply.
 */
import { defineRateCard, type PriceSelectors, type Rates } from "@centspan/model";
import { atMultiple, expandRows, type PriceRow } from "../expand-rows.ts";

const FAST_SOURCE = "https://platform.claude.com/docs/en/build-with-claude/fast-mode";
const GEOGRAPHY_SOURCE = "https://platform.claude.com/docs/en/manage-claude/data-residency";
const above = (tokens: number): PriceSelectors => ({ context: { comparator: ">", tokens } });

/** In the order of the published table: base input, 5-minute write, 1-hour write, cache hit, output. */
const rates = (input: string, write5m: string, write1h: string, cacheRead: string, output: string): Rates => ({
  input,
  cache_write_5m: write5m,
  cache_write_1h: write1h,
  cache_read: cacheRead,
  output_text: output,
});

const OPUS_4 = rates("15", "18.75", "30", "1.50", "75");
const OPUS_4_5 = rates("5", "6.25", "10", "0.50", "25");
const SONNET_4 = rates("3", "3.75", "6", "0.30", "15");
const SONNET_4_LONG = rates("6", "7.50", "12", "0.60", "22.50");

const STANDARD: readonly PriceRow[] = [
  { model: "claude-3-5-haiku", from: "2024-10-22", perMillion: rates("0.80", "1", "1.60", "0.08", "4") },
  { model: "claude-3-5-sonnet", from: "2024-06-20", perMillion: SONNET_4 },
  { model: "claude-3-7-sonnet", from: "2025-02-19", perMillion: SONNET_4 },
  { model: "claude-opus-4", from: "2025-05-14", perMillion: OPUS_4 },
  { model: "claude-opus-4-1", from: "2025-08-05", perMillion: OPUS_4 },
  { model: "claude-sonnet-4", from: "2025-05-14", perMillion: SONNET_4 },
  { model: "claude-sonnet-4", from: "2025-08-12", when: above(200_000), perMillion: SONNET_4_LONG },
  { model: "claude-sonnet-4-5", from: "2025-09-29", perMillion: SONNET_4 },
  { model: "claude-sonnet-4-5", from: "2025-09-29", when: above(200_000), perMillion: SONNET_4_LONG },
  { model: "claude-haiku-4-5", from: "2025-10-01", perMillion: rates("1", "1.25", "2", "0.10", "5") },
  { model: "claude-opus-4-5", from: "2025-11-01", perMillion: OPUS_4_5 },
  { model: "claude-opus-4-6", from: "2026-02-05", perMillion: OPUS_4_5 },
  {
    model: "claude-opus-4-6",
    from: "2026-02-05",
    to: "2026-03-13",
    when: above(200_000),
    perMillion: rates("10", "12.50", "20", "1", "37.50"),
  },
  { model: "claude-sonnet-4-6", from: "2026-02-17", perMillion: SONNET_4 },
  {
    model: "claude-sonnet-4-6",
    from: "2026-02-17",
    to: "2026-03-13",
    when: above(200_000),
    perMillion: SONNET_4_LONG,
  },
  { model: "claude-opus-4-7", from: "2026-04-16", perMillion: OPUS_4_5 },
  { model: "claude-opus-4-8", from: "2026-05-28", perMillion: OPUS_4_5 },
  { model: "claude-sonnet-5", from: "2026-06-30", perMillion: rates("2", "2.50", "4", "0.20", "10") },
  { model: "claude-opus-5", from: "2026-07-24", perMillion: OPUS_4_5 },
  { model: "claude-fable-5", from: "2026-06-09", perMillion: rates("10", "12.50", "20", "1", "50") },
  { model: "claude-fable-5-1", from: "2026-09-01", perMillion: rates("10", "12.50", "20", "0.25", "50") },
  {
    model: "claude-fable-5-2",
    from: "2026-11-09",
    perMillion: rates("8", "10", "16", "0.20", "40"),
    source: "https://platform.claude.com/docs/en/models/overview",
  },
  { model: "claude-opus-5-5", from: "2026-09-22", perMillion: rates("4", "5", "8", "0.20", "20") },
  { model: "claude-sonnet-5-5", from: "2026-09-22", perMillion: rates("2", "2.50", "4", "0.20", "10") },
  { model: "claude-sonnet-5-5", from: "2026-10-07", perMillion: rates("2", "2.50", "4", "0.10", "10") },
  { model: "claude-haiku-5-5", from: "2026-10-07", perMillion: rates("0.10", "0.125", "0.20", "0.01", "0.50") },
  {
    model: "claude-haiku-5-5",
    from: "2026-10-07",
    when: above(100_000),
    perMillion: rates("0.50", "0.625", "1", "0.05", "2.50"),
  },
];

const rowsOf = (...models: string[]): PriceRow[] => STANDARD.filter(({ model }) => models.includes(model));

const FAST = [
  ...atMultiple(rowsOf("claude-opus-4-6", "claude-opus-4-7"), "6", { serviceTier: "fast" }),
  ...atMultiple(rowsOf("claude-opus-4-8", "claude-opus-5", "claude-opus-5-5"), "2", { serviceTier: "fast" }),
].map((row) => ({ ...row, source: FAST_SOURCE }));

const GLOBAL = [...STANDARD, ...atMultiple(STANDARD, "0.5", { serviceTier: "batch" }), ...FAST];

/** Opus 4.6 was the first model that could be kept there. */
const US_ONLY = atMultiple(
  GLOBAL.filter(({ from }) => from >= "2026-02-05"),
  "1.1",
  { region: "us" },
).map((row) => ({ ...row, source: GEOGRAPHY_SOURCE }));

export default defineRateCard({
  id: "anthropic",
  describe: "Claude API, text tokens",
  provider: "anthropic",
  // Routers write versions with a point.
  aliases: {
    "claude-3.5-haiku": "claude-3-5-haiku",
    "claude-3.5-sonnet": "claude-3-5-sonnet",
    "claude-3.7-sonnet": "claude-3-7-sonnet",
    "claude-opus-4-0": "claude-opus-4",
    "claude-sonnet-4-0": "claude-sonnet-4",
    "claude-fable-5.1": "claude-fable-5-1",
    "claude-fable-5.2": "claude-fable-5-2",
    "claude-haiku-4.5": "claude-haiku-4-5",
    "claude-haiku-5.5": "claude-haiku-5-5",
    "claude-opus-4.1": "claude-opus-4-1",
    "claude-opus-4.5": "claude-opus-4-5",
    "claude-opus-4.6": "claude-opus-4-6",
    "claude-opus-4.7": "claude-opus-4-7",
    "claude-opus-4.8": "claude-opus-4-8",
    "claude-opus-5.5": "claude-opus-5-5",
    "claude-sonnet-4.5": "claude-sonnet-4-5",
    "claude-sonnet-4.6": "claude-sonnet-4-6",
    "claude-sonnet-5.5": "claude-sonnet-5-5",
  },
  entries: expandRows(
    {
      provider: "anthropic",
      source: "https://platform.claude.com/docs/en/about-claude/pricing",
      checkedOn: "2026-11-29",
      perThousand: { web_search: "10" },
    },
    [...GLOBAL, ...US_ONLY],
  ),
});
