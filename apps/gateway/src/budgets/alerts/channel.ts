/** A way to tell an alert. Add one: a file beside this one, its name in `AlertChannel` of the model, and an entry in open-channels.ts. */
import { formatDecimal } from "@centspan/base";
import { type Budget, type BudgetAccountId, type DueBudgetAlert, findBudgetPeriod } from "@centspan/model";
import { nameBudget } from "../refuse.ts";

export type Channel = {
  /** Whether the budget wants to be told of this way, and the gateway can. */
  serves(budget: Budget): boolean;
  /** Rejects when it was not told. */
  send(alert: DueBudgetAlert): Promise<void>;
};

/** An alert as a program reads it. */
export function describeAlert({ alertId, reason, budget, subject, from, raisedAt, ...amounts }: DueBudgetAlert) {
  const { budgetId, workspace, name, scope, period, timeZone, enforcement } = budget;
  return {
    type: "budget.alert",
    id: alertId,
    at: raisedAt.toISOString(),
    reason: reason === FORECAST ? "forecast" : "threshold",
    thresholdPercent: reason === FORECAST ? null : Number(reason),
    workspace,
    budget: { budgetId, name, scope, subject, period, timeZone, enforcement },
    limitUsd: formatDecimal(amounts.limitUsd),
    spentUsd: formatDecimal(amounts.spentUsd),
    forecastUsd: amounts.forecastUsd && formatDecimal(amounts.forecastUsd),
    from: from.toISOString(),
    resetsAt: writeReset(budget, from),
  };
}

/** The same for a person, in one sentence and what follows from it. */
export function writeAlert({ reason, budget, subject, from, limitUsd, spentUsd, forecastUsd }: DueBudgetAlert): string {
  const [limit, spent] = [formatDecimal(limitUsd), formatDecimal(spentUsd)];
  const what = `budget ${nameBudget(budget, subject)} of workspace ${budget.workspace}`;
  const reset = writeReset(budget, from);
  const end = reset === null ? "It never resets." : `It resets at ${reset}.`;
  if (reason === FORECAST && forecastUsd !== null) {
    return `At the pace so far ${what} comes to ${formatDecimal(forecastUsd)} USD of ${limit}; ${spent} are spent. ${end}`;
  }
  return `${reason}% of ${what} are spent: ${spent} of ${limit} USD. ${end}`;
}

export const FORECAST = "forecast";

function writeReset(budget: Budget, from: BudgetAccountId["from"]): string | null {
  const { toMs } = findBudgetPeriod(budget, from.getTime());
  return toMs === null ? null : new Date(toMs).toISOString();
}
