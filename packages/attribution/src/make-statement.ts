import { roundToSum } from "@centspan/base";
import type { StatementLine, TeamSum } from "@centspan/model";

/** What each team is billed, in cents: exact sums rounded once, so that they add up to the total. */
export function makeStatement(sums: readonly TeamSum[]): StatementLine[] {
  const amounts = roundToSum(
    sums.map(({ exactUsd }) => exactUsd),
    2,
  );
  return sums.map((sum, index) => ({ ...sum, amountUsd: amounts[index] ?? sum.exactUsd, owner: null }));
}
