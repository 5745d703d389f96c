/** A budget as a form has it, and back: what is wrong is named by field. Pure. */
import { type BudgetInput, type BudgetRow, budgetInputSchema } from "@centspan/model";
import type { Catalogue } from "#i18n";

export const BUDGET_FIELDS = [
  "name",
  "scope",
  "subject",
  "period",
  "timeZone",
  "limitUsd",
  "enforcement",
  "unpriced",
  "thresholds",
  "forecast",
  "webhook",
  "email",
] as const;
export type BudgetField = (typeof BUDGET_FIELDS)[number];
/** Texts as they were entered. A box that is ticked is "on", one that is not is "". */
export type BudgetForm = Record<BudgetField, string>;

/** How far a form has come: what was entered, and what the server said of it. */
export type BudgetState = {
  form: BudgetForm;
  problems: readonly BudgetField[];
  /** What the whole of it was refused for. */
  refusal: string | null;
  /** Counts what was sent. */
  attempt: number;
};
export const beginState = (form: BudgetForm): BudgetState => ({ form, problems: [], refusal: null, attempt: 0 });

/** The words of the form: plain texts, so that they can be handed to a browser. */
export const pickTexts = (t: Catalogue) => ({
  budgetField: t.budgetField,
  budgetHint: t.budgetHint,
  budgetProblem: t.budgetProblem,
  budgetNotSaved: t.budgetNotSaved,
  budgetScope: t.budgetScope,
  budgetPeriod: t.budgetPeriod,
  budgetEnforcement: t.budgetEnforcement,
  budgetUnpriced: t.budgetUnpriced,
  budgetCounts: t.budgetCounts,
  budgetKeeps: t.budgetKeeps,
  makeBudget: t.makeBudget,
  saveBudget: t.saveBudget,
  cancel: t.cancel,
});
export type BudgetTexts = ReturnType<typeof pickTexts>;

export const newForm = (timeZone: string): BudgetForm => ({
  ...{ name: "", scope: "team", subject: "", period: "month", timeZone, limitUsd: "" },
  ...{ enforcement: "hard", unpriced: "refuse", thresholds: "80, 100", forecast: "on", webhook: "", email: "" },
});

export const fillForm = ({ alerts, ...budget }: BudgetRow): BudgetForm => ({
  name: budget.name,
  scope: budget.scope,
  subject: budget.subject,
  period: budget.period,
  timeZone: budget.timeZone,
  limitUsd: budget.limitUsd,
  enforcement: budget.enforcement,
  unpriced: budget.unpriced,
  thresholds: alerts.thresholds.join(", "),
  forecast: alerts.forecast ? "on" : "",
  webhook: alerts.webhook ?? "",
  email: alerts.email.join(", "),
});

/** What was sent, whatever it is; fields that are missing are empty. */
export function readForm(sent: FormData): BudgetForm {
  const form = newForm("");
  for (const field of BUDGET_FIELDS) {
    const value = sent.get(field);
    form[field] = typeof value === "string" ? value.trim() : "";
  }
  return form;
}

const listOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== "");

export function parseForm(form: BudgetForm): { budget: BudgetInput } | { problems: BudgetField[] } {
  const { thresholds, forecast, webhook, email, ...rest } = form;
  const parsed = budgetInputSchema.safeParse({
    ...rest,
    alerts: {
      thresholds: listOf(thresholds).map((text) => Number(text.replace("%", ""))),
      forecast: forecast === "on",
      ...(webhook === "" ? {} : { webhook }),
      email: listOf(email),
    },
  });
  if (parsed.success) return { budget: parsed.data };
  const wrong = new Set(parsed.error.issues.map(({ path }) => String(path[0] === "alerts" ? path[1] : path[0])));
  return { problems: BUDGET_FIELDS.filter((field) => wrong.has(field)) };
}
