/**
 * Recommendations and what was simulated. A step is taken under the lock of its row, so that two who take one at the same time
 * are told apart; it is in the audit log with the person who took it and the key that it was said with.
 */
import { CentspanError, createId } from "@centspan/base";
import {
  type AcceptancePolicyStore,
  findPolicy,
  isWithin,
  nameApprover,
  type Recommendation,
  type RecommendationInput,
  type RecommendationState,
  type RecommendationStore,
  type SimulationRecord,
  type SimulationStore,
  takeStep,
} from "@centspan/model";
import { and, asc, desc, eq } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { acceptancePolicies, simulations, recommendations as table } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, type Transaction, transact } from "./transact.ts";

export function createRecommendationStore(db: Database): RecommendationStore & SimulationStore & AcceptancePolicyStore {
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
        return await transact(db, (tx) => insertRecommendation(tx, workspace, input, actor));
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

    async listAcceptancePolicies(workspace) {
      const isOfWorkspace = eq(acceptancePolicies.workspace, workspace);
      const rows = await db
        .select()
        .from(acceptancePolicies)
        .where(isOfWorkspace)
        .orderBy(asc(acceptancePolicies.name));
      return rows.map(({ policy }) => policy);
    },

    setAcceptancePolicy: (workspace, policy, actor) =>
      transact(db, async (tx) => {
        const { name } = policy;
        await tx
          .insert(acceptancePolicies)
          .values({ workspace, name, policy })
          .onConflictDoUpdate({ target: [acceptancePolicies.workspace, acceptancePolicies.name], set: { policy } });
        const details = { policy: JSON.stringify(policy) };
        await insertAudit(tx, workspace, { actor, action: "acceptance_policy.set", subject: name, details });
      }),

    deleteAcceptancePolicy: (workspace, name, actor) =>
      transact(db, async (tx) => {
        const isNamed = and(eq(acceptancePolicies.workspace, workspace), eq(acceptancePolicies.name, name));
        const [deleted] = await tx.delete(acceptancePolicies).where(isNamed).returning();
        if (deleted === undefined) throw new CentspanError("not_found", `There is no policy named ${name}.`);
        await insertAudit(tx, workspace, { actor, action: "acceptance_policy.deleted", subject: name, details: {} });
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

/** Files it and, where a policy of the workspace says that nobody has to be asked, accepts it in that policy's name. */
export async function insertRecommendation(
  tx: Transaction,
  workspace: string,
  input: RecommendationInput,
  actor: string,
): Promise<Recommendation> {
  const id = createId("recommendation");
  const policies = await tx.select().from(acceptancePolicies).where(eq(acceptancePolicies.workspace, workspace));
  const policy = findPolicy(
    policies.map((row) => row.policy),
    input,
  );
  const by = policy === null ? null : nameApprover(policy);
  const [state, steps]: [RecommendationState, Recommendation["steps"]] =
    by === null
      ? ["proposed", []]
      : [takeStep("proposed", "accept"), [{ step: "accept", by, actor, note: "", at: new Date().toISOString() }]];
  const [row] = await tx.insert(table).values({ id, workspace, input, state, proposedBy: actor, steps }).returning();
  if (row === undefined) throw new CentspanError("store_unavailable", "the recommendation was not kept");
  const details = { title: input.title, about: input.subject };
  await insertAudit(tx, workspace, { actor, action: "recommendation.proposed", subject: id, details });
  if (by !== null)
    await insertAudit(tx, workspace, {
      ...{ actor, action: "recommendation.accepted", subject: id },
      details: { by, note: "", from: "proposed" },
    });
  return toRecommendation(row);
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
