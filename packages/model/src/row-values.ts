/** The values that rows of the Trace API are made of. */
import { z } from "zod";

export const money = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .describe("exact decimal, USD");
export const instant = z.string().describe("ISO 8601, UTC, nanoseconds");
export const nanoseconds = z
  .string()
  .regex(/^-?\d+$/)
  .describe("nanoseconds");
export const texts = z.record(z.string(), z.string());

export const bucketsSchema = z.object({
  input: z.int(),
  cacheRead: z.int(),
  cacheWrite5m: z.int(),
  cacheWrite1h: z.int(),
  outputText: z.int(),
  outputReasoning: z.int(),
  webSearches: z.int(),
});
