/** What a workspace says of outcomes: rates of review, rules of completion, evaluation sets; and reports that were refused. */
import { CentspanError, parseDecimal } from "@centspan/base";
import type { OutcomeSettings } from "@centspan/model";
import { and, asc, desc, eq, sql } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { completionRules, evaluationSets, reportRefusals, reviewRates } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, type Transaction, transact } from "./transact.ts";

/** Kinds of refusal of a workspace; what comes beyond is not told apart any more. */
const MOST_REFUSALS = 1000;

export function createOutcomeSettings(db: Database): OutcomeSettings {
  const add = async (work: (tx: Transaction) => Promise<void>, taken: string): Promise<void> => {
    try {
      await transact(db, work);
    } catch (thrown) {
      if (violatedConstraint(thrown)?.endsWith("_pkey")) throw new CentspanError("conflict", taken, { field: "name" });
      throw thrown;
    }
  };
  return {
    async listReviewRates(workspace) {
      const rows = await db.select().from(reviewRates).where(eq(reviewRates.workspace, workspace));
      return new Map(rows.map(({ team, usdPerHour }) => [team, parseDecimal(usdPerHour)]));
    },

    setReviewRate: (workspace, { team, usdPerHour }, actor) =>
      transact(db, async (tx) => {
        await tx
          .insert(reviewRates)
          .values({ workspace, team, usdPerHour })
          .onConflictDoUpdate({ target: [reviewRates.workspace, reviewRates.team], set: { usdPerHour } });
        await insertAudit(tx, workspace, { actor, action: "review_rate.set", subject: team, details: { usdPerHour } });
      }),

    async listCompletionRules(workspace) {
      const rows = await db
        .select()
        .from(completionRules)
        .where(eq(completionRules.workspace, workspace))
        .orderBy(asc(completionRules.name));
      return rows.map(({ rule }) => rule);
    },

    async listAllCompletionRules() {
      const rows = await db.select().from(completionRules);
      return rows.map(({ workspace, rule, createdAt }) => ({
        workspace,
        rule,
        createdAtNs: BigInt(createdAt.getTime()) * 1_000_000n,
      }));
    },

    createCompletionRule: (workspace, rule, actor) =>
      add(async (tx) => {
        await tx.insert(completionRules).values({ workspace, name: rule.name, rule });
        const details = { rule: JSON.stringify(rule) };
        await insertAudit(tx, workspace, { actor, action: "completion_rule.created", subject: rule.name, details });
      }, `name: there is a rule named ${rule.name} already`),

    deleteCompletionRule: (workspace, name, actor) =>
      transact(db, async (tx) => {
        const [deleted] = await tx
          .delete(completionRules)
          .where(and(eq(completionRules.workspace, workspace), eq(completionRules.name, name)))
          .returning();
        if (deleted === undefined) throw new CentspanError("not_found", `There is no rule named ${name}.`);
        await insertAudit(tx, workspace, { actor, action: "completion_rule.deleted", subject: name, details: {} });
      }),

    async listEvaluationSets(workspace) {
      const rows = await db
        .select()
        .from(evaluationSets)
        .where(eq(evaluationSets.workspace, workspace))
        .orderBy(asc(evaluationSets.name));
      return rows.map(({ set }) => set);
    },

    createEvaluationSet: (workspace, set, actor) =>
      add(async (tx) => {
        await tx.insert(evaluationSets).values({ workspace, name: set.name, set });
        const details = { set: JSON.stringify(set) };
        await insertAudit(tx, workspace, { actor, action: "evaluation_set.created", subject: set.name, details });
      }, `name: there is a set named ${set.name} already`),

    async noteRefusal(workspace, source, reason) {
      const rows = await db.$count(reportRefusals, eq(reportRefusals.workspace, workspace));
      const row = { workspace, source, reason: rows < MOST_REFUSALS ? reason : "of many reasons", count: 1 };
      await db
        .insert(reportRefusals)
        .values(row)
        .onConflictDoUpdate({
          target: [reportRefusals.workspace, reportRefusals.source, reportRefusals.reason],
          set: { count: sql`${reportRefusals.count} + 1`, lastAt: sql`now()` },
        });
    },

    async listRefusals(workspace) {
      const { source, reason, count, firstAt, lastAt } = reportRefusals;
      return db
        .select({ source, reason, count, firstAt, lastAt })
        .from(reportRefusals)
        .where(eq(reportRefusals.workspace, workspace))
        .orderBy(desc(lastAt));
    },
  };
}
