/** What lies between a provider's file and the ledger, on the wire. */
import { z } from "zod";

const amount = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .describe("exact decimal, in the unit of the answer");

const differenceRowSchema = z.object({
  cause: z.string(),
  provider: z.string(),
  project: z.string(),
  key: z.string(),
  model: z.string(),
  meter: z.string(),
  days: z.array(z.string()),
  invoiced: amount,
  rated: amount,
  difference: amount,
  evidence: z.string(),
  rows: z.array(z.string()).describe("where it stands in the file"),
});

export const reconciliationRowSchema = z.object({
  file: z.string(),
  format: z.string(),
  unit: z.enum(["usd", "units"]).describe("USD, or tokens and requests where the file has no costs"),
  from: z.string(),
  to: z.string(),
  compared: z.array(z.string()).describe("what was told apart, beside the day"),
  strange: z.array(z.string()).describe("what the file names otherwise than we do, and was not told apart"),
  invoiced: amount,
  rated: amount,
  difference: amount,
  unexplained: amount.describe("what no cause was found for, more and less added up: 0 only where there is none"),
  matched: z.int().describe("days of what was told apart that agree exactly"),
  differences: z.array(differenceRowSchema),
});
export type ReconciliationRow = z.infer<typeof reconciliationRowSchema>;

export const reconciliationInputSchema = z.strictObject({
  file: z.string().min(1).max(300).describe("its name, for errors and the audit log"),
  content: z.string().min(1).describe("its text: JSON or CSV as the provider gives it"),
  aliases: z
    .record(z.string(), z.string())
    .default({})
    .describe("names and ids of the provider's projects and keys, each with our team or key"),
});
