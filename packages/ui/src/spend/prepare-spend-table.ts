/**
 * Spend by group beside what the group spent in the period before: rows to draw, and the same rows exact, for a file.
 * Invariant: a group of which no cost is known has no amount; it is never shown as zero.
 */
import type { CostRow, Provenance } from "@centspan/model";
import { addDecimals, compareDecimals, divideDecimals, isZero, negate, toGeometry } from "../format/decimal-text.ts";
import { columnDecimals, formatDifference, formatMoney } from "../format/format-money.ts";
import { formatCount, formatGrowth, formatShare } from "../format/format-quantity.ts";
import { addCosts } from "./add-costs.ts";

export type SpendRow = {
  group: string;
  /** Null where the cost of no call is known. */
  cost: string | null;
  provenance: Provenance | null;
  share: string | null;
  /** Null in the sum of all. */
  barPct: number | null;
  change: string | null;
  /** In percent of before; null where there was nothing before. */
  growth: string | null;
  calls: string;
  perCall: string | null;
  promptTokens: string;
  cachedShare: string | null;
  outputTokens: string;
  unpricedCalls: number;
  quarantinedCalls: number;
};

export type SpendTable = { rows: SpendRow[]; total: SpendRow; groups: number };

/** One group in both periods. */
export type SpendPair = { now: CostRow; beforeUsd: string };

/** Dearest first; a group that has gone is there too, with what it spent before. */
export function pairSpend(now: readonly CostRow[], before: readonly CostRow[]): SpendPair[] {
  const beforeOf = new Map(before.map(({ group, costUsd }) => [group, costUsd]));
  const known = new Set(now.map(({ group }) => group));
  const gone = before.filter(({ group, costUsd }) => !known.has(group) && !isZero(costUsd));
  return [...now, ...gone.map(({ group }) => addCosts(group, []))]
    .map((row) => ({ now: row, beforeUsd: beforeOf.get(row.group) ?? "0" }))
    .sort((a, b) => compareDecimals(b.now.costUsd, a.now.costUsd) || compareDecimals(b.beforeUsd, a.beforeUsd));
}

type TableInput = {
  pairs: readonly SpendPair[];
  /** Of all calls, each counted once. */
  total: SpendPair;
  /** False where groups have nothing before them, as days have not. */
  compares: boolean;
  most: number;
};

export function prepareSpendTable({ pairs, total, compares, most }: TableInput): SpendTable {
  const decimals = columnDecimals([total.now.costUsd, total.beforeUsd]);
  const dearest = toGeometry(pairs.reduce((max, { now }) => maxOf(max, now.costUsd), "0"));
  const toRow = ({ now, beforeUsd }: SpendPair): SpendRow => {
    const { buckets, unpricedCalls, quarantinedCalls } = now;
    const isKnown = now.pricedRequests > 0 || unpricedCalls + quarantinedCalls === 0;
    const prompt = buckets.input + buckets.cacheRead + buckets.cacheWrite5m + buckets.cacheWrite1h;
    const differenceUsd = addDecimals([now.costUsd, negate(beforeUsd)]);
    const perCallUsd = divideDecimals(now.costUsd, String(now.pricedRequests), 12);
    return {
      group: now.group,
      cost: isKnown ? formatMoney(now.costUsd, decimals) : null,
      provenance: now.provenance,
      share: formatShare(now.costUsd, total.now.costUsd),
      barPct: dearest === 0 ? 0 : (100 * toGeometry(now.costUsd)) / dearest,
      change: compares ? formatDifference(differenceUsd, decimals) : null,
      growth: compares ? formatGrowth(differenceUsd, beforeUsd) : null,
      calls: formatCount(now.requests),
      perCall: perCallUsd === null || !isKnown ? null : formatMoney(perCallUsd, 4),
      promptTokens: formatCount(prompt),
      cachedShare: formatShare(buckets.cacheRead, prompt),
      outputTokens: formatCount(buckets.outputText + buckets.outputReasoning),
      unpricedCalls,
      quarantinedCalls,
    };
  };
  return { rows: pairs.slice(0, most).map(toRow), total: { ...toRow(total), barPct: null }, groups: pairs.length };
}

const maxOf = (a: string, b: string): string => (compareDecimals(a, b) < 0 ? b : a);
