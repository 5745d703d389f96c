/**
 * How much of each charge a commitment covers, in whole units. Seats and GPUs cover all of it. Throughput covers, of each
 * minute, as many tokens as it holds; a day's covered tokens are shared among the charges of the day in proportion. Credits
 * cover what they suffice for, every charge in the same proportion. What corrects a closed month is covered whole but by
 * credits, which it draws from or refills like any usage.
 */
import { countToDecimal, type Decimal, roundToSum, sumDecimals, ZERO } from "@centspan/base";
import type { Charge, Commitment } from "@centspan/model";
import { groupBy } from "./charges.ts";

/** `tokens` of one minute, whose day is `day`. */
export type MinuteTokens = { day: string; tokens: number };

type Limits = { minutes: readonly MinuteTokens[]; leftUsd: Decimal };
type Quantities = (readonly [Charge, number])[];

const whole = (charges: readonly Charge[]): Quantities => charges.map((charge) => [charge, charge.quantity]);

export function coverQuantities(commitment: Commitment, charges: readonly Charge[], limits: Limits): Quantities {
  switch (commitment.kind) {
    case "seats":
    case "gpus":
      return whole(charges);
    case "provisioned": {
      const current = charges.filter(({ isCorrection }) => !isCorrection);
      return [
        ...whole(charges.filter(({ isCorrection }) => isCorrection)),
        ...coverThroughput(commitment.units * commitment.tokensPerMinute, current, limits.minutes),
      ];
    }
    case "credits":
      return drawCredits(charges, limits.leftUsd);
  }
}

function coverThroughput(perMinute: number, charges: readonly Charge[], minutes: readonly MinuteTokens[]): Quantities {
  const held = new Map<string, number>();
  for (const { day, tokens } of minutes) held.set(day, (held.get(day) ?? 0) + Math.min(tokens, perMinute));
  return [...groupBy(charges, ({ day }) => day)].flatMap(([day, same]) => {
    const total = same.reduce((sum, { quantity }) => sum + quantity, 0);
    const covered = countToDecimal(Math.min(total, held.get(day) ?? 0));
    const shares = roundToSum(
      same.map(({ quantity }) => countToDecimal(quantity).times(covered).div(countToDecimal(total))),
      0,
    );
    return same.map((charge, index): [Charge, number] => [charge, toCount(shares[index] ?? ZERO)]);
  });
}

/** Fractions of a unit stay on the balance, so that it is never overdrawn. */
function drawCredits(charges: readonly Charge[], leftUsd: Decimal): Quantities {
  const worthUsd = sumDecimals(charges.map(({ costUsd }) => costUsd));
  if (worthUsd.lte(leftUsd)) return whole(charges);
  return charges.map((charge) => {
    const share = countToDecimal(charge.quantity).times(leftUsd).div(worthUsd);
    return [charge, toCount(share.round(0, charge.quantity < 0 ? 3 : 0))];
  });
}

const toCount = (amount: Decimal): number => Number(amount.toFixed());
