/** How the figures of a sum came to be: the weakest kind that makes up a tenth or more, and the split behind it. */
import type { Provenance } from "@centspan/model";
import { addDecimals, compareDecimals, divideDecimals } from "../format/decimal-text.ts";
import { formatRatio } from "../format/format-quantity.ts";

export type Split = Partial<Record<Provenance, string>>;

const WEAKEST_FIRST: Provenance[] = ["simulated", "estimated", "allocated", "derived", "measured"];

export function mergeSplits(splits: readonly Split[]): Split {
  const merged: Split = {};
  for (const split of splits) {
    for (const kind of WEAKEST_FIRST) {
      const amount = split[kind];
      if (amount !== undefined) merged[kind] = addDecimals([merged[kind] ?? "0", amount]);
    }
  }
  return merged;
}

function listShares(split: Split): { kind: Provenance; ratio: string }[] {
  const total = addDecimals(Object.values(split));
  return WEAKEST_FIRST.flatMap((kind) => {
    const ratio = divideDecimals(split[kind] ?? "0", total, 10);
    return ratio === null || compareDecimals(ratio, "0") === 0 ? [] : [{ kind, ratio }];
  });
}

export function resolveProvenance(split: Split): Provenance | null {
  return listShares(split).find(({ ratio }) => compareDecimals(ratio, "0.1") >= 0)?.kind ?? null;
}

/** Largest part first; empty when a single kind makes up everything, since then its mark says it all. */
export function listProvenanceParts(split: Split): { kind: Provenance; share: string }[] {
  const shares = listShares(split);
  if (shares.length < 2) return [];
  return shares
    .sort((a, b) => compareDecimals(b.ratio, a.ratio))
    .map(({ kind, ratio }) => ({ kind, share: formatRatio(ratio) }));
}
