/** Which usage a commitment covers, and which of several that cover the same goes first. */
import {
  type BillingPeriod,
  type Charge,
  COMMITMENT_KINDS,
  CONTRACT_SCOPES,
  type Commitment,
  nextMonth,
} from "@centspan/model";
import { matchModel } from "../offers.ts";

/** Whether it covers the charge, by day, model and whose it is. Throughput is of tokens, and no use by the piece is. */
export function coversCharge(commitment: Commitment, charge: Charge): boolean {
  const { kind, provider, model, scope, scopeIds, from, to } = commitment;
  if (provider !== charge.provider || matchModel(model, charge.model) === 0) return false;
  if (charge.day < from || (to !== undefined && charge.day >= to)) return false;
  if (kind === "provisioned" && charge.meter === "web_search") return false;
  return scope === "org" || scopeIds.includes(scope === "key" ? charge.keyId : charge.team);
}

/** Those that a charge of the period may be covered by, or a correction in it of days that are long over. */
export const listBegun = (commitments: readonly Commitment[], period: BillingPeriod): Commitment[] =>
  commitments.filter(({ from }) => from < firstDayAfter(period));

export const firstDayOf = ({ period }: BillingPeriod): string => `${period}-01`;

/** Of the month that follows. */
export const firstDayAfter = ({ period }: BillingPeriod): string => `${nextMonth(period)}-01`;

/**
 * Capacity that is there anyway before plans, plans before money; then the narrowest scope, the most exact model, what ends
 * first, what began first.
 */
export const inOrder = (commitments: readonly Commitment[]): Commitment[] =>
  commitments.toSorted(
    (a, b) =>
      COMMITMENT_KINDS.indexOf(a.kind) - COMMITMENT_KINDS.indexOf(b.kind) ||
      CONTRACT_SCOPES.indexOf(a.scope) - CONTRACT_SCOPES.indexOf(b.scope) ||
      exactness(b) - exactness(a) ||
      compare(a.to ?? LAST_DAY, b.to ?? LAST_DAY) ||
      compare(a.from, b.from) ||
      compare(a.id, b.id),
  );

const LAST_DAY = "9999-12-31";
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** As of a contract's model: a name without `*` is above all patterns. */
const exactness = ({ model }: Commitment): number => (model.endsWith("*") ? model.length : 1000);
