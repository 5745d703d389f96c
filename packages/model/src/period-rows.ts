/** Billing periods and the audit log on the wire. */
import { z } from "zod";
import { PROVENANCES } from "./call.ts";
import { COMMITMENT_STATUSES } from "./commitment.ts";
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

export const commitmentLineRowSchema = z.object({
  commitment: z.string(),
  team: z.string().describe("empty for what no team owns"),
  status: z
    .enum(COMMITMENT_STATUSES)
    .describe("prepaid: paid now for later, below 0 where what was paid before is used"),
  payPerTokenUsd: money.describe("what the covered usage would have cost by the token"),
  costUsd: money,
  provenance: z.enum(PROVENANCES),
});
export type CommitmentLineRow = z.infer<typeof commitmentLineRowSchema>;

export const seatRowSchema = z.object({
  commitment: z.string(),
  plan: z.string(),
  provider: z.string(),
  seats: z.int(),
  period: periodSchema,
  paidUsd: money.describe("cash of the month"),
  allocatedUsd: money.describe("of it what is allocated to usage: all of a seat of which somebody used anything"),
  unassignedUsd: money.describe("of it what is of seats that nobody used at all"),
  listUsd: money.describe(
    "what the covered usage would have cost by the token: no saving, as nobody says it had been bought",
  ),
  holders: z.int().describe("keys that used it"),
  seatDays: z.int().describe("days of the month until now, times seats"),
  usedDays: z.int().describe("of them those on which a holder used anything"),
  idleShare: z.string().nullable().describe("of seat-days, 10 decimals; null before the first day"),
  idleUsd: money.describe("what was paid for the idle seat-days until now; no part of what is billed to nobody"),
  provenance: z.object({ cash: z.enum(PROVENANCES), list: z.enum(PROVENANCES), idle: z.enum(PROVENANCES) }),
});
export type SeatRow = z.infer<typeof seatRowSchema>;

export const seatsAnswerSchema = z.object({
  data: z.array(seatRowSchema),
  method: z.string().describe("how it is known"),
  nextCursor: z.null(),
});

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
  unratedUnits: z.int().describe("traces and sessions that could not be rated, and may have calls of the month"),
  lines: z.array(statementLineRowSchema),
  commitments: z.array(commitmentLineRowSchema).describe("what of the lines comes from commitments"),
});
export type PeriodRow = z.infer<typeof periodRowSchema>;

export const unratedRowSchema = z.object({
  kind: z.enum(["trace", "session"]),
  id: z.string(),
  message: z.string().describe("why it could not be rated"),
  attempts: z.int(),
  receivedAt: instant.describe("when the newest of it came"),
  failedAt: z.string(),
});
export type UnratedRow = z.infer<typeof unratedRowSchema>;

export const auditRowSchema = z.object({
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type AuditRow = z.infer<typeof auditRowSchema>;
