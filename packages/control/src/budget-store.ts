/** Budgets of a workspace, and what was spent and is held of them. Each change of one is in the audit log. */
import { CentspanError, createId, formatDecimal, parseDecimal } from "@centspan/base";
import type { AuditEntry, Budget, BudgetInput, BudgetStore } from "@centspan/model";
import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { budgetAccounts, budgetLeases, budgets } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, transact } from "./transact.ts";

export const toBudget = ({ id, limitUsd, ...row }: typeof budgets.$inferSelect): Budget => ({
  ...row,
  budgetId: id,
  limitUsd: readUsd(limitUsd),
});

/** The column's text has all twelve decimals. */
export const readUsd = (text: string) => parseDecimal(formatDecimal(parseDecimal(text)));

export function createBudgetStore(db: Database): BudgetStore {
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

    async createBudget(workspace, budget, actor) {
      const row = { ...budget, workspace, id: createId("budget") };
      try {
        return await transact(db, async (tx) => {
          const created = requireBudget(await tx.insert(budgets).values(row).returning(), row.id);
          const details = describe(created);
          await insertAudit(tx, workspace, { actor, action: "budget.created", subject: row.id, details });
          return created;
        });
      } catch (thrown) {
        throw explainViolation(thrown, workspace, budget);
      }
    },

    async replaceBudget(workspace, budgetId, budget, actor) {
      const isIt = isOne(workspace, budgetId);
      try {
        return await transact(db, async (tx) => {
          const before = requireBudget(await tx.select().from(budgets).where(isIt).for("no key update"), budgetId);
          const after = requireBudget(await tx.update(budgets).set(budget).where(isIt).returning(), budgetId);
          const details = { name: after.name, ...describeChange(describe(before), describe(after)) };
          await insertAudit(tx, workspace, { actor, action: "budget.replaced", subject: budgetId, details });
          return after;
        });
      } catch (thrown) {
        throw explainViolation(thrown, workspace, budget);
      }
    },

    deleteBudget: (workspace, budgetId, actor) =>
      transact(db, async (tx) => {
        const gone = requireBudget(await tx.delete(budgets).where(isOne(workspace, budgetId)).returning(), budgetId);
        const details = describe(gone);
        await insertAudit(tx, workspace, { actor, action: "budget.deleted", subject: budgetId, details });
      }),

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

type Facts = AuditEntry["details"];

/** What of it money depends on. */
const describe = ({ name, scope, subject, period, timeZone, limitUsd, enforcement, unpriced }: Budget): Facts => ({
  ...{ name, scope, subject, period, timeZone, limitUsd: formatDecimal(limitUsd), enforcement, unpriced },
});

const describeChange = (before: Facts, after: Facts): Facts =>
  Object.fromEntries(
    Object.entries(after).flatMap(([fact, value]) =>
      value === before[fact] ? [] : [[fact, `${before[fact]} → ${value}`]],
    ),
  );

function explainViolation(thrown: unknown, workspace: string, { name }: BudgetInput): unknown {
  const constraint = violatedConstraint(thrown);
  if (constraint === null) return thrown;
  if (constraint === "budgets_name") {
    return new CentspanError("conflict", `name: a budget named ${name} exists already`, { field: "name" });
  }
  return new CentspanError("not_found", `There is no workspace ${workspace}.`, { cause: thrown });
}
