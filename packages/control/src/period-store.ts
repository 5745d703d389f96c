/**
 * Closed months, their statements, and who did what. Invariant: no month is closed while calls are being written, and
 * none are written while one is. Who writes or closes has an advisory lock of the workspace alone; it is released with
 * its transaction, also when a process dies.
 */
import { CentspanError, formatDecimal, parseDecimal } from "@centspan/base";
import type { BillingPeriod, ClosedPeriod, PeriodBooks, PeriodStore } from "@centspan/model";
import { and, asc, desc, eq, max, sql } from "drizzle-orm";
import { listCommitments } from "./list-commitments.ts";
import { auditLog, commitmentLines, periods, statementLines, workspaces } from "./schema.ts";
import { type Database, transact } from "./transact.ts";
import { countUnratedUnits } from "./unrated-store.ts";

type Queries = Pick<Database, "select" | "insert" | "update" | "execute">;

export function createPeriodStore(db: Database): PeriodStore {
  return {
    whileAlone: (workspace, work) =>
      transact(db, async (tx) => {
        await tx.execute(sql`SELECT pg_advisory_xact_lock(${lockOf(workspace)})`);
        return work(await readClosedTo(tx, workspace));
      }),

    readPeriodBooks: (workspace) => readBooks(db, workspace),

    readTimeZone: (workspace) => readTimeZone(db, workspace),

    setTimeZone: (workspace, timeZone, actor) =>
      transact(db, async (tx) => {
        await tx.execute(sql`SELECT pg_advisory_xact_lock(${lockOf(workspace)})`);
        if ((await readClosedTo(tx, workspace)) > 0n) {
          throw new CentspanError("conflict", "timeZone: months are closed, and the next begins where the last ended", {
            field: "timeZone",
          });
        }
        await tx.update(workspaces).set({ timeZone }).where(eq(workspaces.id, workspace));
        await insertAudit(tx, workspace, { actor, action: "time_zone.set", subject: timeZone, details: {} });
      }),

    listClosedPeriods: (workspace) => listClosedPeriods(db, workspace),

    closePeriod: (workspace, period, actor, state) =>
      transact(db, async (tx) => {
        await tx.execute(sql`SELECT pg_advisory_xact_lock(${lockOf(workspace)})`);
        requireZone(await readTimeZone(tx, workspace), period);
        const books = await readBooks(tx, workspace);
        if (books.closed[0] !== undefined) requireOpen(books.closed[0], period);
        const { lines, commitments, ...unknown } = await state(books);
        const row = { workspace, ...period, ...unknown, closedBy: actor };
        const [closed] = await tx.insert(periods).values(row).returning({ closedAt: periods.closedAt });
        const rows = lines.map((line) => ({
          workspace,
          period: period.period,
          ...line,
          exactUsd: formatDecimal(line.exactUsd),
          amountUsd: formatDecimal(line.amountUsd),
        }));
        if (rows.length > 0) await tx.insert(statementLines).values(rows);
        const spread = commitments.map((line) => ({
          workspace,
          period: period.period,
          ...line,
          payPerTokenUsd: formatDecimal(line.payPerTokenUsd),
          costUsd: formatDecimal(line.costUsd),
        }));
        if (spread.length > 0) await tx.insert(commitmentLines).values(spread);
        const details = { timeZone: period.timeZone, teams: lines.length, ...unknown };
        await insertAudit(tx, workspace, { actor, action: "period.close", subject: period.period, details });
        if (closed === undefined) throw new Error("a closed period that was not returned");
        return { ...period, lines, commitments, ...unknown, closedBy: actor, ...closed };
      }),

    assignUnallocated: (workspace, period, owner, actor) =>
      transact(db, async (tx) => {
        const isUnallocated = and(
          eq(statementLines.workspace, workspace),
          eq(statementLines.period, period),
          eq(statementLines.team, ""),
        );
        const changed = await tx.update(statementLines).set({ owner }).where(isUnallocated).returning();
        if (changed.length === 0) {
          throw new CentspanError("not_found", `${period} is not closed, or nothing of it is without a team.`);
        }
        await insertAudit(tx, workspace, { actor, action: "period.assign", subject: period, details: { owner } });
      }),

    writeAudit: (workspace, entry) => insertAudit(db, workspace, entry),

    listAudit: (workspace, most) =>
      db
        .select({
          at: auditLog.at,
          actor: auditLog.actor,
          action: auditLog.action,
          subject: auditLog.subject,
          details: auditLog.details,
        })
        .from(auditLog)
        .where(eq(auditLog.workspace, workspace))
        .orderBy(desc(auditLog.id))
        .limit(most),
  };
}

/** Whoever holds it alone waits for writers, and lets none in. */
export const lockOf = (workspace: string) => sql`hashtextextended(${`books of ${workspace}`}, 0)`;

export async function readClosedTo(db: Queries, workspace: string): Promise<bigint> {
  const [row] = await db
    .select({ toNs: max(periods.toNs) })
    .from(periods)
    .where(eq(periods.workspace, workspace));
  return row?.toNs ?? 0n;
}

async function readBooks(db: Queries, workspace: string): Promise<PeriodBooks> {
  const closed = await listClosedPeriods(db, workspace);
  return {
    closed,
    commitments: await listCommitments(db, workspace),
    unratedUnits: await countUnratedUnits(db, workspace, closed[0]?.toNs ?? 0n),
  };
}

async function readTimeZone(db: Queries, workspace: string): Promise<string> {
  const [row] = await db.select({ timeZone: workspaces.timeZone }).from(workspaces).where(eq(workspaces.id, workspace));
  if (row === undefined) throw new CentspanError("not_found", `There is no workspace ${workspace}.`);
  return row.timeZone;
}

/** It may have changed since the period was worked out. */
function requireZone(timeZone: string, period: BillingPeriod): void {
  if (timeZone === period.timeZone) return;
  throw new CentspanError(
    "conflict",
    `period: is a month of ${period.timeZone}, and the workspace's zone is ${timeZone}`,
    {
      field: "period",
    },
  );
}

function requireOpen(last: ClosedPeriod, { period, fromNs }: BillingPeriod): void {
  if (fromNs >= last.toNs) return;
  throw new CentspanError("conflict", `period: ${period} is closed`, { field: "period" });
}

export async function insertAudit(
  db: Queries,
  workspace: string,
  entry: Parameters<PeriodStore["writeAudit"]>[1],
): Promise<void> {
  await db.insert(auditLog).values({ workspace, ...entry });
}

async function listClosedPeriods(db: Queries, workspace: string): Promise<ClosedPeriod[]> {
  // One after the other: it may be a transaction's connection.
  const rows = await db.select().from(periods).where(eq(periods.workspace, workspace)).orderBy(desc(periods.fromNs));
  const lines = await db
    .select()
    .from(statementLines)
    .where(eq(statementLines.workspace, workspace))
    .orderBy(asc(statementLines.team));
  const commitments = await db
    .select()
    .from(commitmentLines)
    .where(eq(commitmentLines.workspace, workspace))
    .orderBy(asc(commitmentLines.commitment), asc(commitmentLines.team), asc(commitmentLines.status));
  return rows.map(({ workspace: _workspace, ...row }) => ({
    ...row,
    lines: lines
      .filter(({ period }) => period === row.period)
      .map(({ team, lines: count, exactUsd, amountUsd, owner }) => ({
        team,
        lines: count,
        exactUsd: parseDecimal(exactUsd),
        amountUsd: parseDecimal(amountUsd),
        owner,
      })),
    commitments: commitments
      .filter(({ period }) => period === row.period)
      .map(({ commitment, team, status, payPerTokenUsd, costUsd, provenance }) => ({
        commitment,
        team,
        status,
        payPerTokenUsd: parseDecimal(payPerTokenUsd),
        costUsd: parseDecimal(costUsd),
        provenance,
      })),
  }));
}
