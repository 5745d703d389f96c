/** Charges cut into pieces, and put together again. */
import { countToDecimal } from "@centspan/base";
import type { Charge } from "@centspan/model";

/** The same charge of another quantity; none of nothing. */
export const withQuantity = (charge: Charge, quantity: number): Charge[] =>
  quantity === 0 ? [] : [{ ...charge, quantity, costUsd: charge.unitPriceUsd.times(countToDecimal(quantity)) }];

/** Those that differ in nothing but how much was used are one, in an order of their own. */
export function mergeCharges(charges: readonly Charge[]): Charge[] {
  const merged = new Map<string, Charge>();
  for (const charge of charges) {
    const name = nameOf(charge);
    const [sum] = withQuantity(charge, charge.quantity + (merged.get(name)?.quantity ?? 0));
    if (sum === undefined) merged.delete(name);
    else merged.set(name, sum);
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, charge]) => charge);
}

export function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group) group.push(item);
    else groups.set(nameOf(item), [item]);
  }
  return groups;
}

const nameOf = ({ quantity: _quantity, costUsd: _costUsd, unitPriceUsd, listUnitPriceUsd, ...same }: Charge): string =>
  JSON.stringify([
    ...Object.entries(same).sort(([a], [b]) => (a < b ? -1 : 1)),
    unitPriceUsd.toFixed(),
    listUnitPriceUsd?.toFixed() ?? null,
  ]);
