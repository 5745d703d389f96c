/**
 * Mistral list prices, in USD. Model ids carry their own release (`-2512`); `latest` is another name of the current one,
 * and moves: where it is not known since when, from the day of the check. The seeds date no beginnings: rows hold from the year of the model on.
 */
import { defineRateCard, type Rates } from "@centspan/model";
import { expandRows } from "../expand-rows.ts";

/** Where no rate for cached input is stated, reading from cache is unpriced. */
const rates = (input: string, output: string, cacheRead?: string): Rates => ({
  input,
  output_text: output,
  ...(cacheRead !== undefined && { cache_read: cacheRead }),
});

const SMALL_3 = rates("0.10", "0.30", "0.01");
const MEDIUM_3 = rates("0.40", "2", "0.04");
const MEDIUM_3_5 = rates("1.50", "7.50", "0.15");

export default defineRateCard({
  id: "mistral",
  describe: "Mistral API, text tokens",
  provider: "mistral",
  aliases: {
    "codestral-latest": "codestral-2508",
    "devstral-latest": "devstral-2512",
    "devstral-medium-latest": "devstral-2512",
    "ministral-3b-latest": "ministral-3b-2512",
    "ministral-8b-latest": "ministral-8b-2512",
    "mistral-medium-3-5": "mistral-medium-2604",
    "mistral-medium-3.5": "mistral-medium-2604",
    "open-mistral-nemo": "mistral-nemo",
  },
  entries: expandRows(
    {
      provider: "mistral",
      source: "https://mistral.ai/pricing/api",
      checkedOn: "2026-11-29",
      namesOf: (model) => [model],
    },
    [
      { model: "codestral-2508", from: "2025-01-01", perMillion: rates("0.30", "0.90", "0.03") },
      { model: "devstral-2512", from: "2025-01-01", perMillion: rates("0.40", "2", "0.04") },
      { model: "devstral-small-2507", from: "2025-01-01", perMillion: rates("0.10", "0.30") },
      { model: "magistral-medium-latest", from: "2025-01-01", perMillion: rates("2", "5", "0.20") },
      { model: "ministral-3b-2512", from: "2025-01-01", perMillion: rates("0.10", "0.10", "0.01") },
      { model: "ministral-8b-2512", from: "2025-01-01", perMillion: rates("0.15", "0.15", "0.015") },
      { model: "ministral-14b-2512", from: "2025-01-01", perMillion: rates("0.20", "0.20", "0.02") },
      { model: "mistral-large-2411", from: "2024-01-01", perMillion: rates("2", "6") },
      { model: "mistral-large-2512", from: "2025-01-01", perMillion: rates("0.50", "1.50", "0.05") },
      { model: "mistral-large-4", from: "2026-01-01", perMillion: rates("0.70", "2.10", "0.07") },
      { model: "mistral-large-4-0-8", from: "2026-01-01", perMillion: rates("0.70", "2.10", "0.07") },
      { model: "mistral-medium-2505", from: "2025-01-01", perMillion: MEDIUM_3 },
      { model: "mistral-medium-2508", from: "2025-01-01", perMillion: MEDIUM_3 },
      { model: "mistral-medium-2604", from: "2026-01-01", perMillion: MEDIUM_3_5 },
      // The name moved on with the model, and with it the price.
      { model: "mistral-medium-latest", from: "2025-01-01", perMillion: MEDIUM_3 },
      { model: "mistral-medium-latest", from: "2026-06-16", perMillion: MEDIUM_3_5 },
      { model: "mistral-large-latest", from: "2026-11-29", perMillion: rates("0.70", "2.10", "0.07") },
      { model: "mistral-small-latest", from: "2026-11-29", perMillion: rates("0.15", "0.60", "0.015") },
      { model: "mistral-nemo", from: "2024-01-01", perMillion: rates("0.15", "0.15", "0.015") },
      { model: "mistral-small-2506", from: "2025-01-01", perMillion: SMALL_3 },
      { model: "mistral-small-2603", from: "2026-01-01", perMillion: rates("0.15", "0.60", "0.015") },
      { model: "voxtral-small-2507", from: "2025-01-01", perMillion: rates("0.10", "0.30", "0.01") },
      { model: "voxtral-small-2507", from: "2026-08-11", perMillion: rates("0.10", "0.40", "0.01") },
    ],
  ),
});
