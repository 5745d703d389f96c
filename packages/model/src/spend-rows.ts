/** Rows of the routes that say what spend will be, which days were odd, and why it changed. */
import { z } from "zod";
import { METERS } from "./call.ts";
import { money } from "./row-values.ts";

const day = z.string().describe("YYYY-MM-DD");
const estimate = { expectedUsd: money, lowUsd: money, highUsd: money };

const forecast = z.object({
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

const forecastRow = forecast.extend({ group: z.string() });

export const spendForecastSchema = z.object({
  from: day.describe("first day of the period: the first of this month"),
  until: day.describe("last day of the period"),
  level: z.number().describe("of the intervals"),
  data: z.array(forecastRow).describe("the groups on which most was spent in twelve weeks, the dearest first"),
  others: forecast
    .extend({ groups: z.int().describe("how many") })
    .nullable()
    .describe("groups that have no row of their own, as one; null where all have"),
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

export const spendAnomaliesSchema = z.object({
  data: z.array(spendAnomalySchema),
  others: z.int().describe("groups on which less was spent than on those that are judged"),
  nextCursor: z.null(),
});
export type SpendAnomaliesAnswer = z.infer<typeof spendAnomaliesSchema>;

const period = z.object({
  from: z.string(),
  to: z.string(),
  calls: z.int().describe("those with a known cost"),
  costUsd: money,
});
const effects = { changeUsd: money, priceUsd: money };

export const spendChangeSchema = z.object({
  before: period,
  after: period,
  ...effects,
  volumeUsd: money.describe("more or fewer calls, each at what a call cost before"),
  mixUsd: money.describe("other models, more or fewer tokens a call, at the prices of before"),
  data: z
    .array(z.object({ model: z.string(), meter: z.enum(METERS), ...effects, quantityUsd: money }))
    .describe("by model and meter, the largest difference first"),
  nextCursor: z.null(),
});
export type SpendChangeAnswer = z.infer<typeof spendChangeSchema>;
