/**
 * Billing periods: months in a workspace's time zone that finance closes, and what a closed one says. The port that keeps
 * them belongs to the control plane. What a closed period holds never changes: what changes later is new lines in the
 * period that is then open.
 */
import { type Decimal, startOfDayNs } from "@centspan/base";

/** `period` is YYYY-MM; `toNs` is exclusive. */
export type BillingPeriod = { period: string; timeZone: string; fromNs: bigint; toNs: bigint };

export const PERIOD_PATTERN = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The month of that name (YYYY-MM), by the calendar of the zone. */
export function findBillingPeriod(timeZone: string, period: string): BillingPeriod {
  const next = new Date(`${period}-01T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return {
    period,
    timeZone,
    fromNs: startOfDayNs(timeZone, `${period}-01`),
    toNs: startOfDayNs(timeZone, next.toISOString().slice(0, 10)),
  };
}

/** What a team spent in a period. `team` is "" for spend that no team owns; `owner` answers for it once assigned. */
export type StatementLine = {
  team: string;
  /** Charge lines, corrections among them. */
  lines: number;
  exactUsd: Decimal;
  /** In cents. The amounts of a statement add up to its exact total, rounded once. */
  amountUsd: Decimal;
  owner: string | null;
};

export type Statement = { lines: StatementLine[]; unpricedCalls: number; quarantinedCalls: number };

export type ClosedPeriod = BillingPeriod & Statement & { closedAt: Date; closedBy: string };

/** `subject` is what was acted upon, such as a period. */
export type AuditEntry = {
  at: Date;
  actor: string;
  action: string;
  subject: string;
  details: Readonly<Record<string, string | number>>;
};

/** What every writer of charge lines asks first. */
export type Books = {
  /** No period is closed while `write` runs; everything before `closedToNs` is closed, 0 where nothing is. */
  whileOpen<T>(workspace: string, write: (closedToNs: bigint) => Promise<T>): Promise<T>;
};

export type PeriodStore = Books & {
  readTimeZone(workspace: string): Promise<string>;
  /** `conflict` once a period is closed: the next one has to begin where it ended. */
  setTimeZone(workspace: string, timeZone: string): Promise<void>;
  /** Newest first. */
  listClosedPeriods(workspace: string): Promise<ClosedPeriod[]>;
  /**
   * Closes the period with the statement that `state` gives while nobody writes. `conflict` where it is closed already,
   * or is not the one that follows the last closed one.
   */
  closePeriod(
    workspace: string,
    period: BillingPeriod,
    actor: string,
    state: () => Promise<Statement>,
  ): Promise<ClosedPeriod>;
  /** Who answers for what no team owns. `not_found` where the period is open or all of it has a team. */
  assignUnallocated(workspace: string, period: string, owner: string, actor: string): Promise<void>;
  writeAudit(workspace: string, entry: Omit<AuditEntry, "at">): Promise<void>;
  /** Newest first. */
  listAudit(workspace: string, most: number): Promise<AuditEntry[]>;
};
