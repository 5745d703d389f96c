/** What a call is told that does not fit in its budget. */
import { CentspanError, type Decimal, formatDecimal } from "@centspan/base";
import type { Budget, BudgetPeriod, BudgetState } from "@centspan/model";

/** What is held for calls under way comes free as they end. */
const TRY_AGAIN_S = 1;

/** Clients ask again after a 429 and not after a 402: only what may pass in a moment may be asked for in a moment. */
export function refuseOverBudget(
  { budget, subject, period }: { budget: Budget; subject: string; period: BudgetPeriod },
  { limitUsd, spentUsd, reservedUsd }: BudgetState,
  amountUsd: Decimal,
): CentspanError {
  const resets = period.toMs === null ? "it never resets" : `it resets at ${new Date(period.toMs).toISOString()}`;
  const [limit, spent, amount] = [limitUsd, spentUsd, amountUsd].map(formatDecimal);
  const said = `budget ${nameBudget(budget, subject)}: ${spent} of ${limit} USD are spent, and this call may cost up to ${amount} USD; ${resets}`;
  if (spentUsd.plus(amountUsd).gt(limitUsd)) return new CentspanError("budget_exceeded", said);
  const held = `${formatDecimal(reservedUsd)} USD of it are held for calls that are under way`;
  return new CentspanError("budget_reserved", `${said}; ${held}`, { retryAfterS: TRY_AGAIN_S });
}

export const refuseUnpriced = (budget: Budget, subject: string, model: string): CentspanError =>
  new CentspanError(
    "unpriced_model",
    `model: ${JSON.stringify(model)} has no price, and budget ${nameBudget(budget, subject)} refuses what it can't count`,
    { field: "model" },
  );

const SCOPES = { key: "key", team: "team", taskType: "task type", run: "run" } as const;

export const nameBudget = ({ name, scope }: Pick<Budget, "name" | "scope">, subject: string): string =>
  `${name} (${SCOPES[scope]} ${subject})`;
