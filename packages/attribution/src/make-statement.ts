import { roundToSum, sumDecimals, ZERO } from "@centspan/base";
import type { CommitmentLine, StatementLine, TeamSum } from "@centspan/model";

/**
 * What each team is billed, in cents: exact sums rounded once, so that they add up to the total. What commitments cover is
 * in the sums at its price by the token, and is billed at its share of what was paid.
 */
export function makeStatement(sums: readonly TeamSum[], commitments: readonly CommitmentLine[]): StatementLine[] {
  const teams = [...new Set([...sums, ...commitments].map(({ team }) => team))].sort();
  const exact = teams.map((team) => {
    const sum = sums.find((one) => one.team === team) ?? { lines: 0, exactUsd: ZERO };
    const own = commitments.filter((line) => line.team === team);
    const change = sumDecimals(own.map(({ costUsd, payPerTokenUsd }) => costUsd.minus(payPerTokenUsd)));
    return { team, lines: sum.lines, exactUsd: sum.exactUsd.plus(change) };
  });
  const amounts = roundToSum(
    exact.map(({ exactUsd }) => exactUsd),
    2,
  );
  return exact.map((sum, index) => ({ ...sum, amountUsd: amounts[index] ?? sum.exactUsd, owner: null }));
}
