/** Gemini list prices. Pro models switch the whole request to the higher rates above 200,000 tokens of context. */
import { defineRateCard, type PriceSelectors, type Rates } from "@centspan/model";
import { expandRows } from "../expand-rows.ts";

const LONG: PriceSelectors = { context: { comparator: ">", tokens: 200_000 } };

const rates = (input: string, cacheRead: string, output: string): Rates => ({
  input,
  cache_read: cacheRead,
  output_text: output,
});

export default defineRateCard({
  id: "google",
  describe: "Gemini API, paid tier, text tokens",
  provider: "google",
  entries: expandRows(
    { provider: "google", source: "https://ai.google.dev/gemini-api/docs/pricing", checkedOn: "2026-11-29" },
    [
      { model: "gemini-2.5-flash-lite", from: "2025-07-22", usdPerMillion: rates("0.10", "0.01", "0.40") },
      { model: "gemini-2.5-flash", from: "2025-06-17", usdPerMillion: rates("0.30", "0.03", "2.50") },
      { model: "gemini-2.5-pro", from: "2025-06-17", usdPerMillion: rates("1.25", "0.125", "10") },
      { model: "gemini-2.5-pro", from: "2025-06-17", when: LONG, usdPerMillion: rates("2.50", "0.25", "15") },
      { model: "gemini-3-pro-preview", from: "2025-11-18", usdPerMillion: rates("2", "0.20", "12") },
      { model: "gemini-3-pro-preview", from: "2025-11-18", when: LONG, usdPerMillion: rates("4", "0.40", "18") },
      { model: "gemini-3-flash-preview", from: "2025-12-17", usdPerMillion: rates("0.50", "0.05", "3") },
      { model: "gemini-3.1-pro-preview", from: "2026-02-19", usdPerMillion: rates("2", "0.20", "12") },
      { model: "gemini-3.1-pro-preview", from: "2026-02-19", when: LONG, usdPerMillion: rates("4", "0.40", "18") },
    ],
  ),
});
