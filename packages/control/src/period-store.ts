/**
 * Closed months, their statements, and who did what. Invariant: no month is closed while charge lines are being written,
 * and none are written while one is. Writers share an advisory lock of their workspace, and whoever closes waits for it
 * alone; both are released with their transaction, also when a process dies.
 */
import { CentspanError, formatDecimal, parseDecimal } from "@centspan/base";
import type { BillingPeriod, ClosedPeriod, PeriodStore } from "@centspan/model";
import { and, asc, desc, eq, max, sql } from "drizzle-orm";
import { auditLog, periods, statementLines, workspaces } from "./schema.ts";
import { type Database, transact } from "./transact.ts";

type Queries = Pick<Database, "select" | "insert" | "update" | "execute">;

export function createPeriodStore(db: Database): PeriodStore {
  return {
    whileOpen: (workspace, write) =>
      transact(db, async (tx) => {
        await tx.execute(sql`SELECT pg_advisory_xact_lock_shared(${lockOf(workspace)})`);
        return write(await readClosedTo(tx, workspace));
      }),

    async readTimeZone(workspace) {
      const [row] = await db
        .select({ timeZone: workspaces.timeZone })
        .from(workspaces)
        .where(eq(workspaces.id, workspace));
      if (row === undefined) throw new CentspanError("not_found", `There is no workspace ${workspace}.`);
      return row.timeZone;
    },

    setTimeZone: (workspace, timeZone) =>
      transact(db, async (tx) => {
        await tx.execute(sql`SELECT pg_advisory_xact_lock(${lockOf(workspace)})`);
        if ((await readClosedTo(tx, workspace)) > 0n) {
          throw new CentspanError("conflict", "timeZone: months are closed, and the next begins where the last ended", {
            field: "timeZone",
          });
        }
        await tx.update(workspaces).set({ timeZone }).where(eq(workspaces.id, workspace));
      }),

    listClosedPeriods: (workspace) => listClosedPeriods(db, workspace),

    closePeriod: (workspace, period, actor, state) =>
      transact(db, async (tx) => {
        await tx.execute(sql`SELECT pg_advisory_xact_lock(${lockOf(workspace)})`);
        const [last] = await listClosedPeriods(tx, workspace);
        if (last !== undefined) requireNext(last, period);
        const { lines, unpricedCalls, quarantinedCalls } = await state();
        const row = { workspace, ...period, unpricedCalls, quarantinedCalls, closedBy: actor };
        const [closed] = await tx.insert(periods).values(row).returning({ closedAt: periods.closedAt });
        const rows = lines.map((line) => ({
          workspace,
          period: period.period,
          ...line,
          exactUsd: formatDecimal(line.exactUsd),
          amountUsd: formatDecimal(line.amountUsd),
        }));
        if (rows.length > 0) await tx.insert(statementLines).values(rows);
        const details = { timeZone: period.timeZone, teams: lines.length, unpricedCalls, quarantinedCalls };
        await insertAudit(tx, workspace, { actor, action: "period.close", subject: period.period, details });
        if (closed === undefined) throw new Error("a closed period that was not returned");
        return { ...period, lines, unpricedCalls, quarantinedCalls, closedBy: actor, ...closed };
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

const lockOf = (workspace: string) => sql`hashtextextended(${`books of ${workspace}`}, 0)`;

async function readClosedTo(db: Queries, workspace: string): Promise<bigint> {
  const [row] = await db
    .select({ toNs: max(periods.toNs) })
    .from(periods)
    .where(eq(periods.workspace, workspace));
  return row?.toNs ?? 0n;
}

function requireNext(last: ClosedPeriod, { period, fromNs }: BillingPeriod): void {
  if (fromNs === last.toNs) return;
  const why =
    fromNs < last.toNs ? "is closed" : `comes after a month that is open: the last closed one is ${last.period}`;
  throw new CentspanError("conflict", `period: ${period} ${why}`, { field: "period" });
}

export async function insertAudit(
  db: Queries,
  workspace: string,
  entry: Parameters<PeriodStore["writeAudit"]>[1],
): Promise<void> {
  await db.insert(auditLog).values({ workspace, ...entry });
}

async function listClosedPeriods(db: Queries, workspace: string): Promise<ClosedPeriod[]> {
  const [rows, lines] = await Promise.all([
    db.select().from(periods).where(eq(periods.workspace, workspace)).orderBy(desc(periods.fromNs)),
    db.select().from(statementLines).where(eq(statementLines.workspace, workspace)).orderBy(asc(statementLines.team)),
  ]);
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
  }));
}
