/** Rows of the Trace API for what is set for a workspace. */
import { z } from "zod";
import { SIGNALS } from "./signal.ts";

export const teamRowSchema = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "must be lower-case letters, digits, dots, dashes; at most 63"),
  name: z.string().trim().min(1, "must not be empty").max(100),
  department: z.string().trim().max(100),
});
export type TeamRow = z.infer<typeof teamRowSchema>;

export const retentionRowSchema = z.object({
  signal: z.enum(SIGNALS),
  days: z.int().min(1).max(36_500).nullable().describe("null: for ever"),
});
export type RetentionRow = z.infer<typeof retentionRowSchema>;

export const webhookRowSchema = z.object({
  keyId: z.string(),
  secret: z.string().describe("signs deliveries, and stands for nothing else"),
  addresses: z.array(z.object({ source: z.string(), path: z.string().describe("under the web address") })),
});
export type WebhookRow = z.infer<typeof webhookRowSchema>;
