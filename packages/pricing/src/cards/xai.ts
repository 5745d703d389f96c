/**
 * Grok list prices. Where a model has a long tier, the whole request is in it from 200,000 tokens of context on, the
 * 200,000th included. The seeds date no beginnings: rows hold from the year of the model on.
 */
import { defineRateCard, type PriceSelectors, type Rates } from "@centspan/model";
import { expandRows } from "../expand-rows.ts";

const LONG: PriceSelectors = { context: { comparator: ">=", tokens: 200_000 } };

const rates = (input: string, cacheRead: string, output: string): Rates => ({
  input,
  cache_read: cacheRead,
  output_text: output,
});

const FAST = rates("0.20", "0.05", "0.50");

export default defineRateCard({
  id: "xai",
  describe: "xAI API, text tokens",
  provider: "xai",
  aliases: {
    "grok-3-latest": "grok-3",
    "grok-3-mini-latest": "grok-3-mini",
    "grok-4": "grok-4-0709",
    "grok-4-latest": "grok-4-0709",
    "grok-4-fast": "grok-4-fast-reasoning",
    "grok-4-1-fast": "grok-4-1-fast-reasoning",
    "grok-4.20-reasoning": "grok-4.20",
    "grok-4.3-latest": "grok-4.3",
    "grok-4.5-latest": "grok-4.5",
    "grok-4.6-latest": "grok-4.6",
    "grok-code-fast": "grok-code-fast-1",
  },
  entries: expandRows({ provider: "xai", source: "https://docs.x.ai/docs/models", checkedOn: "2026-11-29" }, [
    { model: "grok-3", from: "2025-01-01", perMillion: rates("3", "0.75", "15") },
    { model: "grok-3-mini", from: "2025-01-01", perMillion: rates("0.30", "0.075", "0.50") },
    { model: "grok-4-0709", from: "2025-01-01", perMillion: rates("3", "0.75", "15") },
    { model: "grok-4-fast-reasoning", from: "2025-01-01", perMillion: FAST },
    { model: "grok-4-fast-non-reasoning", from: "2025-01-01", perMillion: FAST },
    { model: "grok-4-1-fast-reasoning", from: "2025-01-01", perMillion: FAST },
    { model: "grok-4-1-fast-non-reasoning", from: "2025-01-01", perMillion: FAST },
    { model: "grok-code-fast-1", from: "2025-01-01", perMillion: rates("0.20", "0.02", "1.50") },
    { model: "grok-4.20", from: "2026-01-01", perMillion: rates("1.25", "0.20", "2.50") },
    { model: "grok-4.20", from: "2026-01-01", when: LONG, perMillion: rates("2.50", "0.40", "5") },
    { model: "grok-4.3", from: "2026-01-01", perMillion: rates("1.25", "0.20", "2.50") },
    { model: "grok-4.3", from: "2026-01-01", when: LONG, perMillion: rates("2.50", "0.40", "5") },
    { model: "grok-4.5", from: "2026-01-01", perMillion: rates("2", "0.30", "6") },
    { model: "grok-4.5", from: "2026-01-01", when: LONG, perMillion: rates("4", "0.60", "12") },
    { model: "grok-4.6", from: "2026-01-01", perMillion: rates("2", "0.50", "6") },
    { model: "grok-4.6", from: "2026-01-01", when: LONG, perMillion: rates("4", "1", "12") },
    { model: "grok-4.7", from: "2026-01-01", perMillion: rates("2", "0.50", "6") },
    { model: "grok-4.7", from: "2026-01-01", when: LONG, perMillion: rates("4", "1", "12") },
  ]),
});
