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
      { model: "gemini-2.5-flash-lite", from: "2025-07-22", perMillion: rates("0.10", "0.01", "0.40") },
      { model: "gemini-2.5-flash", from: "2025-06-17", perMillion: rates("0.30", "0.03", "2.50") },
      { model: "gemini-2.5-pro", from: "2025-06-17", perMillion: rates("1.25", "0.125", "10") },
      { model: "gemini-2.5-pro", from: "2025-06-17", when: LONG, perMillion: rates("2.50", "0.25", "15") },
      { model: "gemini-3-pro-preview", from: "2025-11-18", perMillion: rates("2", "0.20", "12") },
      { model: "gemini-3-pro-preview", from: "2025-11-18", when: LONG, perMillion: rates("4", "0.40", "18") },
      { model: "gemini-3-flash-preview", from: "2025-12-17", perMillion: rates("0.50", "0.05", "3") },
      { model: "gemini-3.1-flash-lite", from: "2026-01-01", perMillion: rates("0.25", "0.025", "1.50") },
      { model: "gemini-3.5-flash-lite", from: "2026-01-01", perMillion: rates("0.30", "0.03", "2.50") },
      { model: "gemini-3.5-flash", from: "2026-01-01", perMillion: rates("1.50", "0.15", "9") },
      ...["gemini-3.6-flash", "gemini-3.7-flash", "gemini-3.8-flash"].flatMap((model) => [
        { model, from: "2026-01-01", perMillion: rates("0.75", "0.075", "3.75") },
        { model, from: "2027-01-01", status: "announced" as const, perMillion: rates("1.50", "0.15", "7.50") },
      ]),
      { model: "gemini-3.1-pro-preview", from: "2026-02-19", perMillion: rates("2", "0.20", "12") },
      { model: "gemini-3.1-pro-preview", from: "2026-02-19", when: LONG, perMillion: rates("4", "0.40", "18") },
    ],
  ),
});
