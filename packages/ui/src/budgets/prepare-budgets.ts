/** Budgets as rows to draw: what is spent, held for calls under way and left, of each subject in the period that is now. */
import type { BudgetRow } from "@centspan/model";
import { addDecimals, compareDecimals, isNegative, negate, toGeometry } from "../format/decimal-text.ts";
import { formatDateMinute, type Language, parseInstantNs } from "../format/format-instant.ts";
import { columnDecimals, formatMoney } from "../format/format-money.ts";
import { formatShare } from "../format/format-quantity.ts";

/** `near`: an alert's threshold is reached. */
export type BudgetStand = "within" | "near" | "over";

export type BudgetSubject = {
  subject: string;
  stand: BudgetStand;
  spent: string;
  share: string;
  held: string;
  left: string;
  isOverspent: boolean;
  /** Null where nothing is foretold: in the first tenth of a period, and where it never ends. */
  forecast: string | null;
  forecastIsOver: boolean;
  /** In percent of the limit, together 100 at most. */
  spentPct: number;
  heldPct: number;
};

export type BudgetView = {
  budgetId: string;
  name: string;
  scope: BudgetRow["scope"];
  /** `*` is each subject by itself. */
  subject: string;
  limit: string;
  enforcement: BudgetRow["enforcement"];
  unpriced: BudgetRow["unpriced"];
  period: BudgetRow["period"];
  timeZone: string;
  /** In UTC; null where it never begins anew. */
  resetsAt: string | null;
  subjects: BudgetSubject[];
  /** Subjects that are not among them. */
  others: number;
  /** Percent of the limit that are told, smallest first. */
  thresholds: string[];
  tellsForecast: boolean;
  webhookHost: string | null;
  emails: readonly string[];
};

/** The nearest to their limits first; of each budget so many subjects, those that spent most. */
export function prepareBudgets(budgets: readonly BudgetRow[], most: number, language: Language): BudgetView[] {
  return budgets
    .map((budget) => prepareBudget(budget, most, language))
    .sort((a, b) => fullest(b) - fullest(a) || (a.name < b.name ? -1 : 1));
}

const fullest = ({ subjects }: BudgetView): number =>
  Math.max(0, ...subjects.map(({ spentPct, isOverspent }) => (isOverspent ? 101 : spentPct)));

function prepareBudget(budget: BudgetRow, most: number, language: Language): BudgetView {
  const { limitUsd, alerts, resetsAt } = budget;
  const decimals = columnDecimals([limitUsd, ...budget.subjects.map(({ spentUsd }) => spentUsd)]);
  // Who has spent nothing yet has no account: of one subject it is said nevertheless.
  const accounts = budget.subjects.length > 0 || budget.subject === "*" ? budget.subjects : [unused(budget)];
  return {
    budgetId: budget.budgetId,
    name: budget.name,
    scope: budget.scope,
    subject: budget.subject,
    limit: formatMoney(limitUsd, Math.max(2, limitUsd.split(".")[1]?.length ?? 0)),
    enforcement: budget.enforcement,
    unpriced: budget.unpriced,
    period: budget.period,
    timeZone: budget.timeZone,
    resetsAt: resetsAt === null ? null : formatDateMinute(parseInstantNs(resetsAt), language),
    subjects: accounts.slice(0, most).map((account) => prepareSubject(account, budget, decimals)),
    others: Math.max(0, accounts.length - most),
    thresholds: [...alerts.thresholds].sort((a, b) => a - b).map((percent) => `${percent}%`),
    tellsForecast: alerts.forecast,
    webhookHost: alerts.webhook === undefined ? null : new URL(alerts.webhook).host,
    emails: alerts.email,
  };
}

type Account = BudgetRow["subjects"][number];

const unused = ({ subject, limitUsd }: BudgetRow): Account => ({
  ...{ subject, spentUsd: "0", reservedUsd: "0", remainingUsd: limitUsd, forecastUsd: null },
});

function prepareSubject(account: Account, { limitUsd, alerts }: BudgetRow, decimals: number): BudgetSubject {
  const { subject, spentUsd, reservedUsd, remainingUsd, forecastUsd } = account;
  const percentOf = (amountUsd: string): number => (100 * toGeometry(amountUsd)) / toGeometry(limitUsd);
  const spentPct = Math.min(100, percentOf(spentUsd));
  const isOverspent = isNegative(remainingUsd);
  const reached = alerts.thresholds.some((percent) => percentOf(spentUsd) >= percent);
  return {
    subject,
    stand: compareDecimals(spentUsd, limitUsd) >= 0 ? "over" : reached ? "near" : "within",
    spent: formatMoney(spentUsd, decimals),
    share: formatShare(spentUsd, limitUsd) ?? "–",
    held: formatMoney(reservedUsd, decimals),
    left: formatMoney(addDecimals([remainingUsd, negate(reservedUsd)]), decimals),
    isOverspent,
    forecast: forecastUsd === null ? null : formatMoney(forecastUsd, decimals),
    forecastIsOver: forecastUsd !== null && compareDecimals(forecastUsd, limitUsd) > 0,
    spentPct,
    heldPct: Math.min(100 - spentPct, percentOf(reservedUsd)),
  };
}
