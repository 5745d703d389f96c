/** Traces and sessions that the worker could not rate, until it can. */
import type { UnratedUnits, UsageUnit } from "@centspan/model";
import { and, count, desc, eq, gte, sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { unratedUnits } from "./schema.ts";

const MESSAGE_CHARACTERS = 500;

export function createUnratedUnits(db: NodePgDatabase): UnratedUnits {
  return {
    async listUnratedUnits(workspace) {
      const rows = await db
        .select()
        .from(unratedUnits)
        .where(workspace === undefined ? undefined : eq(unratedUnits.workspace, workspace))
        .orderBy(desc(unratedUnits.failedAt));
      return rows.map(({ traceId, sessionId, fromNs, toNs, ...row }) => ({
        ...row,
        unit: traceId === "" ? { kind: "session", sessionId, fromNs, toNs } : { kind: "trace", traceId },
      }));
    },

    async keepUnratedUnit({ workspace, unit, message, receivedAtNs }) {
      // Postgres has no NUL.
      const told = { message: message.replaceAll("\0", "").slice(0, MESSAGE_CHARACTERS), receivedAtNs };
      await db
        .insert(unratedUnits)
        .values({ workspace, ...toColumns(unit), ...told })
        .onConflictDoUpdate({
          target: [unratedUnits.workspace, ...UNIT_COLUMNS.map((name) => unratedUnits[name])],
          set: { ...told, attempts: sql`${unratedUnits.attempts} + 1`, failedAt: sql`now()` },
        });
    },

    async forgetUnratedUnit(workspace, unit) {
      const columns = toColumns(unit);
      const isUnit = UNIT_COLUMNS.map((name) => eq(unratedUnits[name], columns[name]));
      await db.delete(unratedUnits).where(and(eq(unratedUnits.workspace, workspace), ...isUnit));
    },
  };
}

const UNIT_COLUMNS = ["traceId", "sessionId", "fromNs", "toNs"] as const;

const toColumns = (unit: UsageUnit) =>
  unit.kind === "trace"
    ? { traceId: unit.traceId, sessionId: "", fromNs: 0n, toNs: 0n }
    : { traceId: "", sessionId: unit.sessionId, fromNs: unit.fromNs, toNs: unit.toNs };

/** What was received before a month closed was accepted, or waited for, then. */
export async function countUnratedUnits(
  db: Pick<NodePgDatabase, "select">,
  workspace: string,
  sinceNs: bigint,
): Promise<number> {
  const [row] = await db
    .select({ units: count() })
    .from(unratedUnits)
    .where(and(eq(unratedUnits.workspace, workspace), gte(unratedUnits.receivedAtNs, sinceNs)));
  return row?.units ?? 0;
}
