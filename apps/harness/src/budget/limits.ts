/** What a run may use. Absent is without limit, but for turns. */
import { parseDecimal, ZERO } from "@centspan/base";
import { z } from "zod";

const positive = z.int().positive();

export const limitsSchema = z.object({
  usd: z
    .string()
    .refine(
      (text) => /^\d+(\.\d{1,12})?$/.test(text) && parseDecimal(text).gt(ZERO),
      "must be an amount in USD above 0, such as 0.50",
    )
    .optional(),
  tokens: positive.optional(),
  turns: positive.default(40),
  seconds: positive.optional(),
});
export type Limits = z.infer<typeof limitsSchema>;

export const LIMIT_NAMES = ["usd", "tokens", "turns", "seconds"] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
