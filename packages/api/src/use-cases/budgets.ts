import { type Decimal, formatDecimal } from "@centspan/base";
import {
  type Budget,
  type BudgetAccount,
  type BudgetPeriod,
  type BudgetRow,
  budgetInputSchema,
  budgetRowSchema,
  findBudgetPeriod,
  nameActor,
  projectSpend,
} from "@centspan/model";
import { z } from "zod";
import { type ApiDeps, defineRoute } from "../route.ts";

const MOST_SUBJECTS = 100;

export const listBudgets = defineRoute({
  id: "listBudgets",
  method: "GET",
  path: "/budgets",
  summary: "Budgets, with what is spent, held for calls under way and foretold for the period that is now",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(budgetRowSchema), nextCursor: z.null() }),
  async run({ deps, caller }) {
    return { data: await readRows(deps, await deps.control.listBudgets(caller.workspace)), nextCursor: null };
  },
});

export const createBudget = defineRoute({
  id: "createBudget",
  method: "POST",
  path: "/budgets",
  summary: "Makes a budget; it counts from then on, within ten seconds at every gateway",
  needs: "budgets.write",
  query: z.strictObject({}),
  body: budgetInputSchema,
  answer: budgetRowSchema,
  successStatus: 201,
  run: async ({ deps, caller, body }) =>
    readRow(deps, await deps.control.createBudget(caller.workspace, body, nameActor(caller.principal))),
});

export const replaceBudget = defineRoute({
  id: "replaceBudget",
  method: "PUT",
  path: "/budgets/{budgetId}",
  summary: "A budget in place of what it was; what was spent stays where scope, period and time zone stay",
  needs: "budgets.write",
  query: z.strictObject({}),
  body: budgetInputSchema,
  answer: budgetRowSchema,
  run: async ({ deps, caller, params: { budgetId = "" }, body }) =>
    readRow(deps, await deps.control.replaceBudget(caller.workspace, budgetId, body, nameActor(caller.principal))),
});

export const deleteBudget = defineRoute({
  id: "deleteBudget",
  method: "DELETE",
  path: "/budgets/{budgetId}",
  summary: "Ends a budget, and forgets what was spent of it",
  needs: "budgets.write",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ budgetId: z.string(), deleted: z.literal(true) }),
  async run({ deps, caller, params: { budgetId = "" } }) {
    await deps.control.deleteBudget(caller.workspace, budgetId, nameActor(caller.principal));
    return { budgetId, deleted: true as const };
  },
});

const readRows = (deps: ApiDeps, budgets: readonly Budget[]): Promise<BudgetRow[]> =>
  Promise.all(budgets.map((budget) => readRow(deps, budget)));

async function readRow({ control, clock }: ApiDeps, budget: Budget): Promise<BudgetRow> {
  const nowMs = Number(clock.nowNs() / 1_000_000n);
  const period = findBudgetPeriod(budget, nowMs);
  const account = { budgetId: budget.budgetId, from: new Date(period.fromMs) };
  return toBudgetRow(budget, period, await control.listBudgetAccounts([account], MOST_SUBJECTS), nowMs);
}

function toBudgetRow(
  { workspace: _own, limitUsd, createdAt, ...budget }: Budget,
  period: BudgetPeriod,
  accounts: readonly BudgetAccount[],
  atMs: number,
): BudgetRow {
  return {
    ...budget,
    limitUsd: formatDecimal(limitUsd),
    createdAt: createdAt.toISOString(),
    from: new Date(period.fromMs).toISOString(),
    resetsAt: period.toMs === null ? null : new Date(period.toMs).toISOString(),
    subjects: accounts.map(({ subject, spentUsd, reservedUsd }) => ({
      subject,
      spentUsd: formatDecimal(spentUsd),
      reservedUsd: formatDecimal(reservedUsd),
      remainingUsd: formatDecimal(limitUsd.minus(spentUsd)),
      forecastUsd: formatOrNull(projectSpend(spentUsd, period, atMs)),
    })),
  };
}

const formatOrNull = (amount: Decimal | null): string | null => (amount === null ? null : formatDecimal(amount));
