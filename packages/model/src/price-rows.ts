/** Prices on the wire: what was agreed on, and what calls would cost by other prices. */
import { z } from "zod";
import { contractPriceSchema, exchangeRateSchema } from "./price.ts";
import { money } from "./row-values.ts";

export const priceTermsRowSchema = z.object({
  contracts: z.array(contractPriceSchema),
  exchangeRates: z.array(exchangeRateSchema),
});
export type PriceTermsRow = z.infer<typeof priceTermsRowSchema>;

export const costPreviewRowSchema = z.object({
  group: z.string(),
  calls: z.int(),
  bookedUsd: money.describe("what they are booked with"),
  previewedUsd: money.describe("what they would cost"),
  differenceUsd: money,
  unpricedBefore: z.int(),
  unpricedAfter: z.int(),
});
export type CostPreviewRow = z.infer<typeof costPreviewRowSchema>;

export const ratingRunRowSchema = z.object({
  ratingRunId: z.string(),
  changedCalls: z.int(),
  closedCalls: z.int().describe("calls that closed months have billed otherwise, which stays"),
  correctedCalls: z.int().describe("calls of closed months whose difference is billed in the open one"),
});
export type RatingRunRow = z.infer<typeof ratingRunRowSchema>;
