/**
 * DeepSeek list prices. Since 2026-08-17 the V4 models cost double in two windows of the day, UTC, and since 2026-08-23
 * only from Monday to Friday (Beijing's days, which in those hours are UTC's). V3 models cost less by night until
 * 2025-09-05, when that ended. A cache hit has a rate of its own; writes cost what input costs and are not told apart.
 */
import { defineRateCard, type PriceEntry, type PriceSelectors, type Rates } from "@centspan/model";
import { expandRows } from "../expand-rows.ts";

const rates = (input: string, cacheRead: string, output: string): Rates => ({
  input,
  cache_read: cacheRead,
  output_text: output,
});

const NIGHT: PriceSelectors = { hours: { from: "16:30", to: "00:30" } };
const PEAKS = [
  { from: "01:00", to: "04:00" },
  { from: "06:00", to: "10:00" },
];
const WORKDAYS = [1, 2, 3, 4, 5];

const V3_CHAT = rates("0.27", "0.07", "1.10");
const V3_NIGHT = rates("0.135", "0.035", "0.55");

type Row = Pick<PriceEntry, "model" | "from" | "to" | "when" | "perMillion">;

const peakRows = (model: string, perMillion: Rates): Row[] =>
  PEAKS.flatMap((hours) => [
    { model, from: "2026-08-17", to: "2026-08-23", when: { hours }, perMillion },
    { model, from: "2026-08-23", when: { hours, weekdays: WORKDAYS }, perMillion },
  ]);

export default defineRateCard({
  id: "deepseek",
  describe: "DeepSeek API",
  provider: "deepseek",
  aliases: {
    "deepseek-chat-v3-0324": "deepseek-chat",
    "deepseek-r1": "deepseek-reasoner",
    "deepseek-r1-0528": "deepseek-reasoner",
  },
  entries: expandRows(
    {
      provider: "deepseek",
      source: "https://api-docs.deepseek.com/quick_start/pricing",
      checkedOn: "2026-11-29",
      namesOf: (model) => [model],
    },
    [
      { model: "deepseek-chat", from: "2025-02-08", to: "2025-09-05", perMillion: V3_CHAT },
      { model: "deepseek-chat", from: "2025-02-26", to: "2025-09-05", when: NIGHT, perMillion: V3_NIGHT },
      { model: "deepseek-chat", from: "2025-09-05", to: "2025-09-29", perMillion: rates("0.56", "0.07", "1.68") },
      { model: "deepseek-chat", from: "2025-09-29", perMillion: rates("0.28", "0.028", "0.42") },
      { model: "deepseek-reasoner", from: "2025-01-20", to: "2025-09-05", perMillion: rates("0.55", "0.14", "2.19") },
      { model: "deepseek-reasoner", from: "2025-02-26", to: "2025-09-05", when: NIGHT, perMillion: V3_NIGHT },
      { model: "deepseek-reasoner", from: "2025-09-05", to: "2025-09-29", perMillion: rates("0.56", "0.07", "1.68") },
      { model: "deepseek-reasoner", from: "2025-09-29", perMillion: rates("0.28", "0.028", "0.42") },
      { model: "deepseek-v4-flash", from: "2026-04-24", perMillion: rates("0.14", "0.0028", "0.28") },
      { model: "deepseek-v4-flash", from: "2026-08-17", perMillion: rates("0.22", "0.007", "0.66") },
      ...peakRows("deepseek-v4-flash", rates("0.44", "0.014", "1.32")),
      { model: "deepseek-v4-pro", from: "2026-04-24", perMillion: rates("0.435", "0.003625", "0.87") },
      { model: "deepseek-v4-pro", from: "2026-08-17", perMillion: rates("0.66", "0.022", "1.98") },
      ...peakRows("deepseek-v4-pro", rates("1.32", "0.044", "3.96")),
    ],
  ),
});
