/** Budgets of a workspace, and what was spent and is held of them. */
import { CentspanError, createId, formatDecimal, parseDecimal } from "@centspan/base";
import type { Budget, BudgetInput, BudgetStore } from "@centspan/model";
import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { budgetAccounts, budgetLeases, budgets } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";

export const toBudget = ({ id, limitUsd, ...row }: typeof budgets.$inferSelect): Budget => ({
  ...row,
  budgetId: id,
  limitUsd: readUsd(limitUsd),
});

/** The column's text has all twelve decimals. */
export const readUsd = (text: string) => parseDecimal(formatDecimal(parseDecimal(text)));

export function createBudgetStore(db: NodePgDatabase): BudgetStore {
  const isOne = (workspace: string, budgetId: string) =>
    and(eq(budgets.workspace, workspace), eq(budgets.id, budgetId));
  return {
    async listBudgets(workspace) {
      const rows = await db
        .select()
        .from(budgets)
        .where(eq(budgets.workspace, workspace))
        .orderBy(asc(budgets.createdAt), asc(budgets.id));
      return rows.map(toBudget);
    },

    async createBudget(workspace, budget) {
      const row = { ...budget, workspace, id: createId("budget") };
      try {
        return requireBudget(await db.insert(budgets).values(row).returning(), row.id);
      } catch (thrown) {
        throw explainViolation(thrown, workspace, budget);
      }
    },

    async replaceBudget(workspace, budgetId, budget) {
      try {
        const changed = await db.update(budgets).set(budget).where(isOne(workspace, budgetId)).returning();
        return requireBudget(changed, budgetId);
      } catch (thrown) {
        throw explainViolation(thrown, workspace, budget);
      }
    },

    async deleteBudget(workspace, budgetId) {
      requireBudget(await db.delete(budgets).where(isOne(workspace, budgetId)).returning(), budgetId);
    },

    async listBudgetAccounts(periods, most) {
      const lists = await Promise.all(
        periods.map(({ budgetId, from }) =>
          db
            .select({
              budgetId: budgetAccounts.budget,
              subject: budgetAccounts.subject,
              from: budgetAccounts.from,
              spentUsd: budgetAccounts.spentUsd,
              reservedUsd: sql<string>`coalesce(sum(${budgetLeases.heldUsd}), 0)`,
            })
            .from(budgetAccounts)
            .leftJoin(
              budgetLeases,
              and(
                eq(budgetLeases.budget, budgetAccounts.budget),
                eq(budgetLeases.subject, budgetAccounts.subject),
                eq(budgetLeases.from, budgetAccounts.from),
                gt(budgetLeases.expiresAt, sql`now()`),
              ),
            )
            .where(and(eq(budgetAccounts.budget, budgetId), eq(budgetAccounts.from, from)))
            .groupBy(budgetAccounts.budget, budgetAccounts.subject, budgetAccounts.from)
            .orderBy(desc(budgetAccounts.spentUsd), asc(budgetAccounts.subject))
            .limit(most),
        ),
      );
      return lists.flat().map((row) => ({
        ...row,
        spentUsd: readUsd(row.spentUsd),
        reservedUsd: readUsd(row.reservedUsd),
      }));
    },
  };
}

function requireBudget([row]: (typeof budgets.$inferSelect)[], budgetId: string): Budget {
  if (row === undefined) throw new CentspanError("not_found", `There is no budget ${budgetId} in this workspace.`);
  return toBudget(row);
}

function explainViolation(thrown: unknown, workspace: string, { name }: BudgetInput): unknown {
  const constraint = violatedConstraint(thrown);
  if (constraint === null) return thrown;
  if (constraint === "budgets_name") {
    return new CentspanError("conflict", `name: a budget named ${name} exists already`, { field: "name" });
  }
  return new CentspanError("not_found", `There is no workspace ${workspace}.`, { cause: thrown });
}
