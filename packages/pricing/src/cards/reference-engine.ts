import { defineRateCard, type PriceEntry } from "@centspan/model";

/** A cache write of the engine is ordinary prefill, so it costs what fresh input costs. */
const entry = (model: string, input: string, cacheRead: string, output: string): PriceEntry => ({
  id: `centspan/${model}@2025-01-01`,
  model,
  from: "2025-01-01",
  perMillion: {
    input,
    cache_read: cacheRead,
    cache_write_5m: input,
    cache_write_1h: input,
    output_text: output,
  },
  source: "demo price, invented",
  checkedOn: "2026-11-29",
});

export default defineRateCard({
  id: "reference-engine",
  describe: "Demo prices of the bundled reference engine's scripted models",
  provider: "centspan",
  entries: [
    entry("scripted-strong", "3", "0.30", "15"),
    entry("scripted-cheap", "0.25", "0.025", "1.25"),
    entry("scripted-tools", "0.25", "0.025", "1.25"),
    entry("scripted-optimizer", "0.25", "0.025", "1.25"),
  ],
});
