/** What a run may use. Absent is without limit, but for turns. */
import { parseDecimal } from "@centspan/base";
import { z } from "zod";

const positive = z.int().positive();

export const limitsSchema = z.object({
  usd: z
    .string()
    .regex(/^\d+(\.\d{1,12})?$/, "must be an amount in USD such as 0.50")
    .refine((text) => parseDecimal(text).gt(0), "must be more than 0")
    .optional(),
  tokens: positive.optional(),
  turns: positive.default(40),
  seconds: positive.optional(),
});
export type Limits = z.infer<typeof limitsSchema>;

export const LIMIT_NAMES = ["usd", "tokens", "turns", "seconds"] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
