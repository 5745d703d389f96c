/**
 * What was paid for commitments, spread over the usage that they cover, in proportion to what it would have cost by the
 * token; what is left is their unused share. Invariants: the lines of a commitment add up to what was paid for it in the
 * period, to the last digit; each unit of usage is covered once at most; neither the order of charges and commitments nor
 * how charges are cut into batches matters. The rules in words: docs/commitments.md.
 */
import { type Decimal, sumDecimals, ZERO } from "@centspan/base";
import {
  type BillingPeriod,
  type Charge,
  type Commitment,
  type CommitmentLine,
  PROVENANCES,
  type Provenance,
  resolveProvenance,
} from "@centspan/model";
import { groupBy, mergeCharges, withQuantity } from "./charges.ts";
import { coverQuantities, type MinuteTokens } from "./cover-quantities.ts";
import { coversCharge, firstDayAfter, inOrder, listBegun } from "./cover-usage.ts";
import { shareCosts } from "./share-costs.ts";

export type CommittedUsage = {
  /** What is billed in the period; at least all that a commitment in force covers. */
  charges: readonly Charge[];
  /** Of what provisioned commitments may cover, by their id. */
  minutes: ReadonlyMap<string, readonly MinuteTokens[]>;
  /** What the periods before left of credits, by their id. */
  balances: ReadonlyMap<string, CreditBalance>;
};

/** `expiredUsd` of it was booked as unused already: corrections still draw from it, and refill it. */
export type CreditBalance = { leftUsd: Decimal; expiredUsd: Decimal };
const NOTHING: CreditBalance = { leftUsd: ZERO, expiredUsd: ZERO };

/** The balances after a month with these lines. */
export function carryOver(
  balances: ReadonlyMap<string, CreditBalance>,
  lines: readonly CommitmentLine[],
): Map<string, CreditBalance> {
  const after = new Map(balances);
  for (const { commitment, status, costUsd } of lines) {
    if (status === "used") continue;
    const { leftUsd, expiredUsd } = after.get(commitment) ?? NOTHING;
    after.set(commitment, {
      leftUsd: leftUsd.plus(costUsd),
      expiredUsd: status === "unused" ? expiredUsd.plus(costUsd) : expiredUsd,
    });
  }
  return after;
}

/** `charge` is what of it the commitment covers, at its price by the token; `costUsd` its share of what was paid. */
export type CoveredCharge = { charge: Charge; commitment: Commitment; costUsd: Decimal; provenance: Provenance };

export type Spread = {
  covered: CoveredCharge[];
  /** What of the charges nothing covers. */
  rest: Charge[];
  lines: CommitmentLine[];
};

/** `readFeeUsd` says what is paid for a commitment in the period. */
export function spreadCommitments(
  commitments: readonly Commitment[],
  usage: CommittedUsage,
  period: BillingPeriod,
  readFeeUsd: (commitment: Commitment) => Decimal,
): Spread {
  const spread: Spread = { covered: [], rest: mergeCharges(usage.charges), lines: [] };
  for (const commitment of inOrder(listBegun(commitments, period))) {
    const feeUsd = readFeeUsd(commitment);
    const before = (commitment.kind === "credits" && usage.balances.get(commitment.id)) || NOTHING;
    const leftUsd = feeUsd.plus(before.leftUsd);
    const candidates = spread.rest.filter((charge) => coversCharge(commitment, charge));
    const minutes = usage.minutes.get(commitment.id) ?? [];
    const quantities = new Map(coverQuantities(commitment, candidates, { minutes, leftUsd }));
    const charges = candidates.flatMap((charge) => withQuantity(charge, quantities.get(charge) ?? 0));
    spread.rest = spread.rest.flatMap((charge) =>
      withQuantity(charge, charge.quantity - (quantities.get(charge) ?? 0)),
    );
    const costs = shareCosts(commitment, charges, { feeUsd, period });
    const covered = charges.map((charge, index) => ({
      charge,
      commitment,
      costUsd: costs[index] ?? ZERO,
      provenance: weakest(charge.provenance, provenanceOf(commitment)),
    }));
    spread.covered = spread.covered.concat(covered);
    spread.lines.push(...toLines(commitment, covered, { feeUsd, leftUsd, expiredUsd: before.expiredUsd, period }));
  }
  return spread;
}

type Paid = CreditBalance & { feeUsd: Decimal; period: BillingPeriod };

function toLines(
  commitment: Commitment,
  covered: readonly CoveredCharge[],
  { feeUsd, leftUsd, expiredUsd, period }: Paid,
): CommitmentLine[] {
  const used = [...groupBy(covered, ({ charge }) => charge.team)].map(([team, pieces]): CommitmentLine => {
    const byProvenance: Partial<Record<Provenance, Decimal>> = {};
    for (const { provenance, costUsd } of pieces)
      byProvenance[provenance] = costUsd.plus(byProvenance[provenance] ?? ZERO);
    return {
      commitment: commitment.id,
      team,
      status: "used",
      payPerTokenUsd: sumDecimals(pieces.map(({ charge }) => charge.costUsd)),
      costUsd: sumDecimals(pieces.map(({ costUsd }) => costUsd)),
      provenance: resolveProvenance(byProvenance) ?? provenanceOf(commitment),
    };
  });
  const usedUsd = sumDecimals(used.map(({ costUsd }) => costUsd));
  const lasts = commitment.kind === "credits" && commitment.to > firstDayAfter(period);
  const unusedUsd = lasts ? ZERO : leftUsd.minus(usedUsd).minus(expiredUsd);
  const others = [
    { status: "unused", costUsd: unusedUsd },
    { status: "prepaid", costUsd: feeUsd.minus(usedUsd).minus(unusedUsd) },
  ] as const;
  return [
    ...used,
    ...others
      .filter(({ costUsd }) => !costUsd.eq(ZERO))
      .map((other) => ({
        commitment: commitment.id,
        team: findOwner(commitment),
        payPerTokenUsd: ZERO,
        provenance: provenanceOf(commitment),
        ...other,
      })),
  ];
}

const provenanceOf = (commitment: Commitment): Provenance =>
  commitment.kind === "gpus" && commitment.basis === "simulated" ? "simulated" : "allocated";

const weakest = (a: Provenance, b: Provenance): Provenance => (PROVENANCES.indexOf(a) > PROVENANCES.indexOf(b) ? a : b);

/** The team that alone has it; otherwise it is for whoever answers for what no team owns. */
const findOwner = ({ scope, scopeIds }: Commitment): string =>
  scope === "team" && scopeIds.length === 1 ? (scopeIds[0] ?? "") : "";
