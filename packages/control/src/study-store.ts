/**
 * Studies: asked by some, worked on by others. A worker holds the one it claimed for as long as it is heard of; one that falls
 * silent loses it to the next, a few times, since what ends workers may be the study itself.
 */
import { CentspanError, createId } from "@centspan/base";
import { isStudyOver, type Study, type StudyQueue, type StudyStore } from "@centspan/model";
import { and, asc, desc, eq, lt, or, sql } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { insertRecommendation } from "./recommendation-store.ts";
import { studies as table } from "./schema.ts";
import { type Database, transact } from "./transact.ts";

const MOST_TRIES = 3;

export function createStudyStore(db: Database): StudyStore & StudyQueue {
  const isOf = (workspace: string, id: string) => and(eq(table.workspace, workspace), eq(table.id, id));
  const isHeld = (worker: string, id: string) =>
    and(eq(table.id, id), eq(table.worker, worker), eq(table.state, "running"));
  return {
    async insertStudy(workspace, asked, actor) {
      const values = { id: createId("study"), workspace, asked, state: "waiting" as const, askedBy: actor, filed: {} };
      const [row] = await db.insert(table).values(values).returning();
      return toStudy(row ?? refuseLost());
    },

    async listStudies(workspace, most) {
      const rows = await db
        .select()
        .from(table)
        .where(eq(table.workspace, workspace))
        .orderBy(desc(table.createdAt), desc(table.id))
        .limit(most);
      return rows.map(toStudy);
    },

    async readStudy(workspace, id) {
      const [row] = await db.select().from(table).where(isOf(workspace, id));
      return toStudy(row ?? refuseUnknown(id));
    },

    cancelStudy: (workspace, id, actor) =>
      transact(db, async (tx) => {
        const [before] = await tx.select().from(table).where(isOf(workspace, id)).for("update");
        const { state } = before ?? refuseUnknown(id);
        if (isStudyOver(state)) throw new CentspanError("conflict", `the study is ${state}`, { field: "state" });
        const set = state === "waiting" ? { state: "cancelled" as const, endedAt: new Date() } : { isUnwanted: true };
        const [row] = await tx.update(table).set(set).where(isOf(workspace, id)).returning();
        await insertAudit(tx, workspace, { actor, action: "study.cancelled", subject: id, details: {} });
        return toStudy(row ?? refuseUnknown(id));
      }),

    fileStudy: (workspace, id, { at, because, traceIds, actor }) =>
      transact(db, async (tx) => {
        const [row] = await tx.select().from(table).where(isOf(workspace, id)).for("update");
        const { filed, result, state } = row ?? refuseUnknown(id);
        const known = filed[at];
        if (known !== undefined) return known;
        const input = state === "done" ? result?.recommendations[at] : undefined;
        if (input === undefined)
          throw new CentspanError("conflict", `the study is ${state} and recommends nothing at place ${at}`, {
            field: "at",
          });
        const evidence = {
          ...input.evidence,
          ...(because !== "" && { because }),
          traceIds: [...new Set([...input.evidence.traceIds, ...traceIds])].slice(0, 50),
        };
        const recommendation = await insertRecommendation(tx, workspace, { ...input, evidence }, actor);
        await tx
          .update(table)
          .set({ filed: { ...filed, [at]: recommendation.id } })
          .where(isOf(workspace, id));
        return recommendation.id;
      }),

    claimStudy: (worker, silenceMs) =>
      transact(db, async (tx) => {
        const isSilent = lt(table.heardAt, sql`now() - ${silenceMs} * interval '1 millisecond'`);
        const [open] = await tx
          .select()
          .from(table)
          .where(or(eq(table.state, "waiting"), and(eq(table.state, "running"), isSilent)))
          .orderBy(asc(table.createdAt))
          .limit(1)
          .for("update", { skipLocked: true });
        if (open === undefined) return null;
        const isLost = open.isUnwanted || open.tries >= MOST_TRIES;
        const progress = open.isUnwanted ? open.progress : `${MOST_TRIES} workers were lost over it`;
        const set = isLost
          ? { state: open.isUnwanted ? ("cancelled" as const) : ("failed" as const), progress, endedAt: sql`now()` }
          : { state: "running" as const, worker, startedAt: sql`now()`, heardAt: sql`now()`, tries: open.tries + 1 };
        const [row] = await tx.update(table).set(set).where(eq(table.id, open.id)).returning();
        return row === undefined || isLost ? null : { ...toStudy(row), workspace: row.workspace };
      }),

    async reportStudy(worker, id, progress) {
      const [row] = await db
        .update(table)
        .set({ progress, heardAt: sql`now()` })
        .where(isHeld(worker, id))
        .returning({ isUnwanted: table.isUnwanted });
      return row !== undefined && !row.isUnwanted;
    },

    async endStudy(worker, id, { state, progress, result }) {
      await db.update(table).set({ state, progress, result, endedAt: sql`now()` }).where(isHeld(worker, id));
    },
  };
}

function refuseUnknown(id: string): never {
  throw new CentspanError("not_found", `There is no study ${id} in this workspace.`);
}

function refuseLost(): never {
  throw new CentspanError("store_unavailable", "the study was not kept");
}

const toStudy = (row: typeof table.$inferSelect): Study => {
  const { id, state, asked, askedBy, createdAt, startedAt, endedAt, progress, result, filed } = row;
  return {
    ...{ id, state, asked, askedBy, progress, result, filed, askedAt: createdAt.toISOString() },
    startedAt: startedAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
  };
};
