/**
 * Recommendations and what was simulated. A step is taken under the lock of its row, so that two who take one at the same time
 * are told apart; it is in the audit log with the person who took it and the key that it was said with.
 */
import { CentspanError, createId } from "@centspan/base";
import {
  isWithin,
  type Recommendation,
  type RecommendationStore,
  type SimulationRecord,
  type SimulationStore,
  takeStep,
} from "@centspan/model";
import { and, desc, eq } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { simulations, recommendations as table } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, transact } from "./transact.ts";

export function createRecommendationStore(db: Database): RecommendationStore & SimulationStore {
  const isOf = (workspace: string, id: string) => and(eq(table.workspace, workspace), eq(table.id, id));
  return {
    async listRecommendations(workspace, state, most) {
      const inState = state === null ? undefined : eq(table.state, state);
      const rows = await db
        .select()
        .from(table)
        .where(and(eq(table.workspace, workspace), inState))
        .orderBy(desc(table.createdAt), desc(table.id))
        .limit(most);
      return rows.map(toRecommendation);
    },

    async readRecommendation(workspace, id) {
      const [row] = await db.select().from(table).where(isOf(workspace, id));
      if (row === undefined) throw refuseUnknown(id);
      return toRecommendation(row);
    },

    async proposeRecommendation(workspace, input, actor) {
      try {
        return await transact(db, async (tx) => {
          const id = createId("recommendation");
          const values = { id, workspace, input, state: "proposed" as const, proposedBy: actor, steps: [] };
          const [row] = await tx.insert(table).values(values).returning();
          if (row === undefined) throw new CentspanError("store_unavailable", "the recommendation was not kept");
          const details = { title: input.title, about: input.subject };
          await insertAudit(tx, workspace, { actor, action: "recommendation.proposed", subject: id, details });
          return toRecommendation(row);
        });
      } catch (thrown) {
        if (violatedConstraint(thrown) === null) throw thrown;
        throw new CentspanError("not_found", `There is no workspace ${workspace}.`, { cause: thrown });
      }
    },

    stepRecommendation: (workspace, id, taken) =>
      transact(db, async (tx) => {
        const [before] = await tx.select().from(table).where(isOf(workspace, id)).for("update");
        if (before === undefined) throw refuseUnknown(id);
        const { step, by, note, actor } = taken;
        const state = takeStep(before.state, step);
        const steps = [...before.steps, { step, by, actor, note, at: new Date().toISOString() }];
        const realised =
          taken.step === "verified"
            ? { ...taken.realised, isWithinInterval: isWithin(taken.realised.effect, before.input.effect) }
            : before.realised;
        const [row] = await tx.update(table).set({ state, steps, realised }).where(isOf(workspace, id)).returning();
        if (row === undefined) throw refuseUnknown(id);
        const details = { by, note, from: before.state };
        await insertAudit(tx, workspace, { actor, action: `recommendation.${state}`, subject: id, details });
        return toRecommendation(row);
      }),

    async insertSimulation(workspace, simulation) {
      const [row] = await db
        .insert(simulations)
        .values({ id: createId("simulation"), workspace, simulation })
        .returning();
      if (row === undefined) throw new CentspanError("store_unavailable", "the simulation was not kept");
      return toSimulation(row);
    },

    async readSimulation(workspace, id) {
      const [row] = await db
        .select()
        .from(simulations)
        .where(and(eq(simulations.workspace, workspace), eq(simulations.id, id)));
      if (row === undefined) throw new CentspanError("not_found", `There is no simulation ${id} in this workspace.`);
      return toSimulation(row);
    },
  };
}

const refuseUnknown = (id: string): CentspanError =>
  new CentspanError("not_found", `There is no recommendation ${id} in this workspace.`);

const toRecommendation = (row: typeof table.$inferSelect): Recommendation => {
  const { id, input, state, proposedBy, createdAt, steps, realised } = row;
  return { ...input, id, state, proposedBy, proposedAt: createdAt.toISOString(), steps, realised };
};

const toSimulation = ({ id, simulation, createdAt }: typeof simulations.$inferSelect): SimulationRecord => ({
  ...simulation,
  id,
  createdAt: createdAt.toISOString(),
});
