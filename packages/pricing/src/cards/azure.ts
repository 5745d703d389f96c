/**
 * Azure OpenAI, Global Standard deployments named as their model. Data-zone and regional deployments, which cost more,
 * are named by whoever makes them: they are priced by a contract entry for that name.
 */
import { defineRateCard, type PriceSelectors, type Rates } from "@centspan/model";
import { expandRows } from "../expand-rows.ts";

const LONG: PriceSelectors = { context: { comparator: ">", tokens: 272_000 } };

/** Input, cached input, output, and a write to cache from GPT-5.6 on. */
const rates = (input: string, cacheRead: string, output: string, write?: string): Rates => ({
  input,
  cache_read: cacheRead,
  output_text: output,
  ...(write !== undefined && { cache_write_5m: write }),
});

export default defineRateCard({
  id: "azure",
  describe: "Azure OpenAI, Global Standard, text tokens",
  provider: "azure",
  entries: expandRows(
    {
      provider: "azure",
      source: "https://azure.microsoft.com/en-us/pricing/details/cognitive-services/openai-service/",
      checkedOn: "2026-11-29",
    },
    [
      { model: "text-embedding-3-small", from: "2024-01-25", perMillion: { input: "0.02" } },
      { model: "text-embedding-3-large", from: "2024-01-25", perMillion: { input: "0.13" } },
      { model: "gpt-4o-mini", from: "2024-07-18", perMillion: rates("0.15", "0.075", "0.60") },
      { model: "gpt-4o", from: "2024-08-06", perMillion: rates("2.50", "1.25", "10") },
      { model: "gpt-4o-2024-05-13", from: "2024-05-13", perMillion: { input: "5", output_text: "15" } },
      { model: "gpt-4.1", from: "2025-04-14", perMillion: rates("2", "0.50", "8") },
      { model: "gpt-4.1-mini", from: "2025-04-14", perMillion: rates("0.40", "0.10", "1.60") },
      { model: "gpt-4.1-nano", from: "2025-04-14", perMillion: rates("0.10", "0.025", "0.40") },
      { model: "o3", from: "2025-06-10", perMillion: rates("2", "0.50", "8") },
      { model: "o3-mini", from: "2025-01-31", perMillion: rates("1.10", "0.55", "4.40") },
      { model: "o4-mini", from: "2025-04-16", perMillion: rates("1.10", "0.275", "4.40") },
      { model: "gpt-5", from: "2025-08-07", perMillion: rates("1.25", "0.125", "10") },
      { model: "gpt-5-mini", from: "2025-08-07", perMillion: rates("0.25", "0.025", "2") },
      { model: "gpt-5-nano", from: "2025-08-07", perMillion: rates("0.05", "0.005", "0.40") },
      { model: "gpt-5.1", from: "2025-11-13", perMillion: rates("1.25", "0.125", "10") },
      { model: "gpt-5.2", from: "2025-12-11", perMillion: rates("1.75", "0.175", "14") },
      { model: "gpt-5.3-codex", from: "2026-02-05", perMillion: rates("1.75", "0.175", "14") },
      { model: "gpt-5.4", from: "2026-03-05", perMillion: rates("2.50", "0.25", "15") },
      { model: "gpt-5.4", from: "2026-03-05", when: LONG, perMillion: rates("5", "0.50", "22.50") },
      { model: "gpt-5.4-mini", from: "2026-03-17", perMillion: rates("0.75", "0.075", "4.50") },
      { model: "gpt-5.4-nano", from: "2026-03-17", perMillion: rates("0.20", "0.02", "1.25") },
      { model: "gpt-5.5", from: "2026-04-23", perMillion: rates("5", "0.50", "30") },
      { model: "gpt-5.5", from: "2026-04-23", when: LONG, perMillion: rates("10", "1", "45") },
      { model: "gpt-5.6-sol", from: "2026-08-21", perMillion: rates("4", "0.40", "20", "5") },
      { model: "gpt-5.6-sol", from: "2026-08-21", when: LONG, perMillion: rates("8", "0.80", "30", "10") },
      { model: "gpt-5.6-terra", from: "2026-07-30", perMillion: rates("2", "0.20", "12", "2.50") },
      { model: "gpt-5.6-terra", from: "2026-07-30", when: LONG, perMillion: rates("4", "0.40", "18", "5") },
      { model: "gpt-5.6-luna", from: "2026-07-30", perMillion: rates("0.20", "0.02", "1.20", "0.25") },
      { model: "gpt-5.6-luna", from: "2026-07-30", when: LONG, perMillion: rates("0.40", "0.04", "1.80", "0.50") },
      { model: "gpt-6-sol", from: "2026-09-22", perMillion: rates("2", "0.20", "10", "2.50") },
      { model: "gpt-6-sol", from: "2026-09-22", when: LONG, perMillion: rates("4", "0.40", "15", "5") },
      { model: "gpt-6-luna", from: "2026-09-22", perMillion: rates("0.10", "0.01", "0.50", "0.125") },
      { model: "gpt-6-luna", from: "2026-09-22", when: LONG, perMillion: rates("0.20", "0.02", "0.75", "0.25") },
    ],
  ),
});
