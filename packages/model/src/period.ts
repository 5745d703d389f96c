/**
 * Billing periods: months in a workspace's time zone that finance closes, and what a closed one says. The port that keeps
 * them belongs to the control plane. What a closed period holds never changes: what changes later is new lines in the
 * period that is then open.
 */
import { type Decimal, startOfDayNs } from "@centspan/base";
import type { Commitment, CommitmentLine } from "./commitment.ts";

/** `period` is YYYY-MM; `toNs` is exclusive. */
export type BillingPeriod = { period: string; timeZone: string; fromNs: bigint; toNs: bigint };

export const PERIOD_PATTERN = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The month of that name (YYYY-MM), by the calendar of the zone. */
export const findBillingPeriod = (timeZone: string, period: string): BillingPeriod => ({
  period,
  timeZone,
  fromNs: startOfDayNs(timeZone, `${period}-01`),
  toNs: startOfDayNs(timeZone, `${nextMonth(period)}-01`),
});

export function nextMonth(period: string): string {
  const next = new Date(`${period}-01T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return next.toISOString().slice(0, 7);
}

/** What a team spent in a period. `team` is "" for spend that no team owns; `owner` answers for it once assigned. */
export type StatementLine = {
  team: string;
  /** Charge lines, corrections among them. */
  lines: number;
  /** Covered usage at its share of what was paid for the commitment. */
  exactUsd: Decimal;
  /** In cents. The amounts of a statement add up to its exact total, rounded once. */
  amountUsd: Decimal;
  owner: string | null;
};

export type Statement = {
  lines: StatementLine[];
  /** What of the lines comes from commitments. */
  commitments: CommitmentLine[];
  unpricedCalls: number;
  quarantinedCalls: number;
  /** Traces and sessions that could not be rated, received since the last month was closed. */
  unratedUnits: number;
};

export type ClosedPeriod = BillingPeriod & Statement & { closedAt: Date; closedBy: string };

/** `subject` is what was acted upon, such as a period. */
export type AuditEntry = {
  at: Date;
  actor: string;
  action: string;
  subject: string;
  details: Readonly<Record<string, string | number>>;
};

/** What every writer of calls asks first. */
export type Books = {
  /**
   * Nobody else has the workspace's books open while `work` runs: no month closes, and two who write one call on two days
   * do so one after the other. Everything before `closedToNs` is closed, 0 where nothing is.
   */
  whileAlone<T>(workspace: string, work: (closedToNs: bigint) => Promise<T>): Promise<T>;
};

/** What a statement depends on beside calls and prices. `closed` is newest first. */
export type PeriodBooks = {
  closed: readonly ClosedPeriod[];
  commitments: readonly Commitment[];
  /** Received since the last of them was closed. */
  unratedUnits: number;
};

export type PeriodStore = Books & {
  readPeriodBooks(workspace: string): Promise<PeriodBooks>;
  readTimeZone(workspace: string): Promise<string>;
  /** `conflict` once a period is closed: the next one has to begin where it ended. */
  setTimeZone(workspace: string, timeZone: string, actor: string): Promise<void>;
  /** Newest first. */
  listClosedPeriods(workspace: string): Promise<ClosedPeriod[]>;
  /**
   * Closes the period with the statement that `state` gives while nobody writes, and with it all before. `conflict` where it
   * is closed already; whether there is anything in between that is not, `state` has to see.
   */
  closePeriod(
    workspace: string,
    period: BillingPeriod,
    actor: string,
    state: (books: PeriodBooks) => Promise<Statement>,
  ): Promise<ClosedPeriod>;
  /** Who answers for what no team owns. `not_found` where the period is open or all of it has a team. */
  assignUnallocated(workspace: string, period: string, owner: string, actor: string): Promise<void>;
  writeAudit(workspace: string, entry: Omit<AuditEntry, "at">): Promise<void>;
  /** Newest first. */
  listAudit(workspace: string, most: number): Promise<AuditEntry[]>;
};
