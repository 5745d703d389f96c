/** Billing periods and the audit log on the wire. */
import { z } from "zod";
import { PERIOD_PATTERN } from "./period.ts";
import { instant, money } from "./row-values.ts";

export const periodSchema = z.string().regex(PERIOD_PATTERN, "is not a month such as 2026-10");

export const statementLineRowSchema = z.object({
  team: z.string().describe("empty for spend that no team owns"),
  lines: z.int(),
  exactUsd: money,
  roundingUsd: money,
  amountUsd: money,
  owner: z.string().nullable().describe("who answers for what no team owns"),
});
export type StatementLineRow = z.infer<typeof statementLineRowSchema>;

export const periodRowSchema = z.object({
  period: z.string(),
  timeZone: z.string(),
  from: instant,
  to: instant,
  status: z.enum(["open", "closed"]),
  closedAt: z.string().nullable(),
  closedBy: z.string().nullable(),
  exactUsd: money,
  amountUsd: money,
  unpricedCalls: z.int(),
  quarantinedCalls: z.int(),
  lines: z.array(statementLineRowSchema),
});
export type PeriodRow = z.infer<typeof periodRowSchema>;

export const auditRowSchema = z.object({
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type AuditRow = z.infer<typeof auditRowSchema>;
