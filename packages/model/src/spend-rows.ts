/** Rows of the routes that say what spend will be, which days were odd, and why it changed. */
import { z } from "zod";
import { METERS } from "./call.ts";
import { money } from "./row-values.ts";

const day = z.string().describe("YYYY-MM-DD");
const estimate = { expectedUsd: money, lowUsd: money, highUsd: money };

const forecastRow = z.object({
  group: z.string(),
  spentUsd: money.describe("of the period so far"),
  expectedUsd: money
    .nullable()
    .describe("of the whole period, with what is spent; null where fewer than three days are known"),
  lowUsd: money.nullable(),
  highUsd: money.nullable(),
  method: z
    .enum(["weeks", "days"])
    .nullable()
    .describe("weekday by weekday, or every day alike under two weeks of history"),
});

export const spendForecastSchema = z.object({
  from: day.describe("first day of the period: the first of this month"),
  until: day.describe("last day of the period"),
  level: z.number().describe("of the intervals"),
  data: z.array(forecastRow).describe("by group, the dearest first"),
  total: forecastRow.extend({
    days: z.array(z.object({ day, ...estimate })).describe("of those to come, today first"),
  }),
  nextCursor: z.null(),
});
export type SpendForecastAnswer = z.infer<typeof spendForecastSchema>;

export const spendAnomalySchema = z.object({
  group: z.string(),
  day,
  costUsd: money,
  expectedUsd: money.describe("median of the same weekday in up to eight weeks before"),
  score: z
    .number()
    .nullable()
    .describe("robust standard deviations; negative where less was spent; null where days never differed"),
});
export type SpendAnomalyRow = z.infer<typeof spendAnomalySchema>;

const effects = { changeUsd: money, priceUsd: money };

export const spendChangeSchema = z.object({
  before: z.object({ from: z.string(), to: z.string(), calls: z.int(), costUsd: money }),
  after: z.object({ from: z.string(), to: z.string(), calls: z.int(), costUsd: money }),
  ...effects,
  volumeUsd: money.describe("more or fewer calls, each at what a call cost before"),
  mixUsd: money.describe("other models, more or fewer tokens a call, at the prices of before"),
  data: z
    .array(z.object({ model: z.string(), meter: z.enum(METERS), ...effects, quantityUsd: money }))
    .describe("by model and meter, the largest difference first"),
  nextCursor: z.null(),
});
export type SpendChangeAnswer = z.infer<typeof spendChangeSchema>;
