/**
 * OpenAI list prices. Above 272,000 tokens of context the whole request costs more on the models that have a long
 * tier. Cache writes have a price of their own from GPT-5.6 on; earlier models report none. The served tier decides:
 * batch and flex cost half, and fast mode twice from GPT-5.6 on; before that, priority has prices of its own. Inference
 * that is kept in the US or in Europe, by the host that is asked, costs a tenth more from GPT-5.4 on.
 */
import { defineRateCard, type PriceSelectors, type Rates } from "@centspan/model";
import { atMultiple, expandRows, type PriceRow } from "../expand-rows.ts";

const LONG: PriceSelectors = { context: { comparator: ">", tokens: 272_000 } };
const GPT_6_2_SOL_SOURCE = "https://developers.openai.com/api/docs/models/gpt-6.2-sol";
const PRIORITY_SOURCE = "https://openai.com/api-priority-processing/";

/** Models without a write price: input, cached input, output. */
const rates = (input: string, cacheRead: string, output: string): Rates => ({
  input,
  cache_read: cacheRead,
  output_text: output,
});

/** Models with one: input, cache write (the list has no lifetimes), cached input, output. */
const withWrites = (input: string, write: string, cacheRead: string, output: string): Rates => ({
  ...rates(input, cacheRead, output),
  cache_write_5m: write,
});

/** An embedding has no output, and is not cached. */
const EMBEDDING = {
  perThousand: {},
  from: "2024-01-25",
  source: "https://developers.openai.com/api/docs/models/text-embedding-3-large",
};

const GPT_5 = rates("1.25", "0.125", "10");
const GPT_5_PRIORITY = rates("2.50", "0.25", "20");

const STANDARD: readonly PriceRow[] = [
  { model: "text-embedding-3-small", ...EMBEDDING, perMillion: { input: "0.02" } },
  { model: "text-embedding-3-large", ...EMBEDDING, perMillion: { input: "0.13" } },
  { model: "gpt-4o-mini", from: "2024-07-18", perMillion: rates("0.15", "0.075", "0.60") },
  { model: "gpt-4o", from: "2024-08-06", perMillion: rates("2.50", "1.25", "10") },
  // The first snapshot had prices of its own, and no cached input.
  { model: "gpt-4o-2024-05-13", from: "2024-05-13", perMillion: { input: "5", output_text: "15" } },
  { model: "gpt-4.1", from: "2025-04-14", perMillion: rates("2", "0.50", "8") },
  { model: "gpt-4.1-mini", from: "2025-04-14", perMillion: rates("0.40", "0.10", "1.60") },
  { model: "gpt-4.1-nano", from: "2025-04-14", perMillion: rates("0.10", "0.025", "0.40") },
  { model: "o3", from: "2025-04-16", perMillion: rates("10", "2.50", "40") },
  { model: "o3", from: "2025-06-10", perMillion: rates("2", "0.50", "8") },
  { model: "o3-mini", from: "2025-01-31", perMillion: rates("1.10", "0.55", "4.40") },
  { model: "o4-mini", from: "2025-04-16", perMillion: rates("1.10", "0.275", "4.40") },
  { model: "gpt-5", from: "2025-08-07", perMillion: GPT_5 },
  { model: "gpt-5-codex", from: "2025-09-23", perMillion: GPT_5 },
  { model: "gpt-5-mini", from: "2025-08-07", perMillion: rates("0.25", "0.025", "2") },
  { model: "gpt-5-nano", from: "2025-08-07", perMillion: rates("0.05", "0.005", "0.40") },
  { model: "gpt-5.1", from: "2025-11-13", perMillion: GPT_5 },
  { model: "gpt-5.2", from: "2025-12-11", perMillion: rates("1.75", "0.175", "14") },
  { model: "gpt-5-pro", from: "2025-10-06", perMillion: { input: "15", output_text: "120" } },
  { model: "gpt-5.2-pro", from: "2025-12-11", perMillion: { input: "21", output_text: "168" } },
  { model: "gpt-5.3-codex", from: "2026-02-05", perMillion: rates("1.75", "0.175", "14") },
  { model: "gpt-5.4", from: "2026-03-05", perMillion: rates("2.50", "0.25", "15") },
  { model: "gpt-5.4", from: "2026-03-05", when: LONG, perMillion: rates("5", "0.50", "22.50") },
  { model: "gpt-5.4-mini", from: "2026-03-17", perMillion: rates("0.75", "0.075", "4.50") },
  { model: "gpt-5.4-nano", from: "2026-03-17", perMillion: rates("0.20", "0.02", "1.25") },
  { model: "gpt-5.5", from: "2026-04-23", perMillion: rates("5", "0.50", "30") },
  { model: "gpt-5.5", from: "2026-04-23", when: LONG, perMillion: rates("10", "1", "45") },
  { model: "gpt-5.6-sol", from: "2026-07-09", perMillion: withWrites("5", "6.25", "0.50", "30") },
  { model: "gpt-5.6-sol", from: "2026-07-09", when: LONG, perMillion: withWrites("10", "12.50", "1", "45") },
  { model: "gpt-5.6-sol", from: "2026-08-21", perMillion: withWrites("4", "5", "0.40", "20") },
  { model: "gpt-5.6-sol", from: "2026-08-21", when: LONG, perMillion: withWrites("8", "10", "0.80", "30") },
  { model: "gpt-5.6-terra", from: "2026-07-09", perMillion: withWrites("2.50", "3.125", "0.25", "15") },
  {
    model: "gpt-5.6-terra",
    from: "2026-07-09",
    when: LONG,
    perMillion: withWrites("5", "6.25", "0.50", "22.50"),
  },
  { model: "gpt-5.6-terra", from: "2026-07-30", perMillion: withWrites("2", "2.50", "0.20", "12") },
  { model: "gpt-5.6-terra", from: "2026-07-30", when: LONG, perMillion: withWrites("4", "5", "0.40", "18") },
  { model: "gpt-5.6-luna", from: "2026-07-09", perMillion: withWrites("1", "1.25", "0.10", "6") },
  { model: "gpt-5.6-luna", from: "2026-07-09", when: LONG, perMillion: withWrites("2", "2.50", "0.20", "9") },
  { model: "gpt-5.6-luna", from: "2026-07-30", perMillion: withWrites("0.20", "0.25", "0.02", "1.20") },
  {
    model: "gpt-5.6-luna",
    from: "2026-07-30",
    when: LONG,
    perMillion: withWrites("0.40", "0.50", "0.04", "1.80"),
  },
  { model: "gpt-6-astra", from: "2026-09-03", perMillion: withWrites("10", "12.50", "1", "50") },
  { model: "gpt-6-astra", from: "2026-09-03", when: LONG, perMillion: withWrites("20", "25", "2", "75") },
  { model: "gpt-6-sol", from: "2026-09-22", perMillion: withWrites("2", "2.50", "0.20", "10") },
  { model: "gpt-6-sol", from: "2026-09-22", when: LONG, perMillion: withWrites("4", "5", "0.40", "15") },
  { model: "gpt-6-luna", from: "2026-09-22", perMillion: withWrites("0.10", "0.125", "0.01", "0.50") },
  {
    model: "gpt-6-luna",
    from: "2026-09-22",
    when: LONG,
    perMillion: withWrites("0.20", "0.25", "0.02", "0.75"),
  },
  {
    model: "gpt-6.1-sol",
    from: "2026-09-29",
    perMillion: withWrites("2", "2.50", "0.10", "10"),
  },
  {
    model: "gpt-6.1-sol",
    from: "2026-09-29",
    when: LONG,
    perMillion: withWrites("4", "5", "0.20", "15"),
  },
  { model: "gpt-6.1-terra", from: "2026-10-26", perMillion: withWrites("1", "1.25", "0.05", "5") },
  { model: "gpt-6.1-terra", from: "2026-10-26", when: LONG, perMillion: withWrites("2", "2.50", "0.10", "7.50") },
  {
    model: "gpt-6.2-sol",
    from: "2026-11-17",
    perMillion: withWrites("2", "2.50", "0.10", "10"),
    source: GPT_6_2_SOL_SOURCE,
  },
  {
    model: "gpt-6.2-sol",
    from: "2026-11-17",
    when: LONG,
    perMillion: withWrites("4", "5", "0.20", "15"),
    source: GPT_6_2_SOL_SOURCE,
  },
];

/** Of models before GPT-5.6, from the page of priority processing. */
const PRIORITY = [
  { model: "gpt-4.1", from: "2025-04-14", perMillion: rates("3.50", "0.875", "14") },
  { model: "gpt-5", from: "2025-08-07", perMillion: GPT_5_PRIORITY },
  { model: "gpt-5-mini", from: "2025-08-07", perMillion: rates("0.45", "0.045", "3.60") },
  { model: "gpt-5.1", from: "2025-11-13", perMillion: GPT_5_PRIORITY },
  { model: "gpt-5.2", from: "2025-12-11", perMillion: rates("3.50", "0.35", "28") },
  { model: "gpt-5.4", from: "2026-03-05", perMillion: rates("5", "0.50", "30") },
  { model: "gpt-5.5", from: "2026-04-23", perMillion: rates("12.50", "1.25", "75") },
].map((row): PriceRow => ({ ...row, when: { serviceTier: "priority" }, source: PRIORITY_SOURCE }));

const since = (day: string): PriceRow[] => STANDARD.filter(({ from }) => from >= day);
const SOL_6_2 = STANDARD.filter(({ model }) => model === "gpt-6.2-sol");

const TIERS = [
  ...atMultiple(STANDARD, "0.5", { serviceTier: "batch" }),
  // o3 and o4-mini were the first with it.
  ...atMultiple(since("2025-04-16"), "0.5", { serviceTier: "flex" }),
  // One tier by two names.
  ...atMultiple(since("2026-07-09"), "2", { serviceTier: "priority" }),
  ...atMultiple(since("2026-07-09"), "2", { serviceTier: "fast" }),
  ...atMultiple(SOL_6_2, "3", { serviceTier: "ultrafast" }).map((row) => ({ ...row, to: "2027-03-01" })),
  ...atMultiple(SOL_6_2, "6", { serviceTier: "ultrafast" }).map((row) => ({
    ...row,
    from: "2027-03-01",
    status: "announced" as const,
  })),
];

const GLOBAL = [...STANDARD, ...PRIORITY, ...TIERS];

const REGIONAL = ["us", "eu"].flatMap((region) =>
  atMultiple(
    GLOBAL.filter(({ from }) => from >= "2026-03-05"),
    "1.1",
    { region },
  ),
);

export default defineRateCard({
  id: "openai",
  describe: "OpenAI API, text tokens",
  provider: "openai",
  aliases: { "gpt-5-chat-latest": "gpt-5", "gpt-5.1-chat-latest": "gpt-5.1", "gpt-5.2-chat-latest": "gpt-5.2" },
  entries: expandRows(
    {
      provider: "openai",
      source: "https://developers.openai.com/api/docs/pricing",
      checkedOn: "2026-11-29",
      perThousand: { web_search: "10" },
    },
    [...GLOBAL, ...REGIONAL],
  ),
});
