/** The provenance of a sum: the weakest kind that makes up a tenth or more of it (DESIGN 4.6a). */
import { countToDecimal, type Decimal, sumDecimals, ZERO } from "@centspan/base";
import { PROVENANCES, type Provenance } from "./call.ts";

const WEAKEST_FIRST: readonly Provenance[] = [...PROVENANCES].reverse();
const TEN = countToDecimal(10);

/** Null for a sum of nothing. Where all amounts are zero, no share can be formed and the weakest kind there is counts. */
export function resolveProvenance(byProvenance: Partial<Record<Provenance, Decimal>>): Provenance | null {
  const total = sumDecimals(Object.values(byProvenance));
  const counts = (kind: Provenance): boolean => {
    const amount = byProvenance[kind];
    return amount !== undefined && (total.eq(ZERO) || (amount.gt(ZERO) && amount.times(TEN).gte(total)));
  };
  return WEAKEST_FIRST.find(counts) ?? null;
}
