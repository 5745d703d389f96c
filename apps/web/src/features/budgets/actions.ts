"use server";
/** What the budgets page changes: parses, asks the Trace API once, and answers with the form as it stands or with the page. */
import { CentspanError } from "@centspan/base";
import { redirect } from "next/navigation";
import { getCatalogue } from "#i18n";
import { openTraceApi } from "#server/trace-api";
import { readLanguage } from "../page/open-page.tsx";
import { buildHref } from "../page/params.ts";
import { type BudgetState, parseForm, readForm } from "./budget-form.ts";

/** `budgetId` is null for one that is new. */
type Target = { workspace: string | undefined; budgetId: string | null };

export async function saveBudget(
  { workspace, budgetId }: Target,
  { attempt }: BudgetState,
  sent: FormData,
): Promise<BudgetState> {
  const t = getCatalogue(await readLanguage());
  const form = readForm(sent);
  const answer = (given: Partial<BudgetState>): BudgetState => ({
    ...{ form, problems: [], refusal: null, attempt: attempt + 1 },
    ...given,
  });
  const parsed = parseForm(form);
  if ("problems" in parsed) return answer({ problems: parsed.problems });
  const { budget } = parsed;
  try {
    const api = await openTraceApi(workspace);
    await (budgetId === null ? api.createBudget(budget) : api.replaceBudget(budgetId, budget));
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    return answer({ refusal: thrown.code === "conflict" ? t.budgetNameTaken(budget.name) : thrown.message });
  }
  redirect(buildHref("/budgets", { workspace, saved: budget.name }));
}

/** Answers only where it was not ended: with why. */
export async function endBudget(
  { workspace, budgetId }: Target & { budgetId: string },
  _before: string | null,
): Promise<string> {
  const t = getCatalogue(await readLanguage());
  try {
    await (await openTraceApi(workspace)).deleteBudget(budgetId);
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    // Who was faster has ended it as well.
    if (thrown.code !== "not_found") return `${t.budgetNotEnded} ${thrown.message}`;
  }
  redirect(buildHref("/budgets", { workspace, ended: budgetId }));
}
