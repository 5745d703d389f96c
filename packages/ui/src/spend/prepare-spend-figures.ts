/** The figures at the head of the spend page: what was spent against before, what the month will have cost, what is not known. */
import type { Provenance, SpendForecastAnswer } from "@centspan/model";
import { addDecimals, divideDecimals, isNegative, isZero, negate } from "../format/decimal-text.ts";
import { formatDifference, formatInterval, formatMoney, headlineDecimals } from "../format/format-money.ts";
import { formatCount, formatGrowth, formatShare } from "../format/format-quantity.ts";
import { listProvenanceParts } from "../ledger/resolve-provenance.ts";
import type { SpendPair } from "./prepare-spend-table.ts";

/** `arrow` says up or down, never good or bad. */
export type Comparison = { arrow: "▲" | "▼" | ""; growth: string | null; difference: string; before: string };

export type SpendFigures = {
  spend: string;
  provenance: Provenance | null;
  parts: { kind: Provenance; share: string }[];
  calls: string;
  comparison: Comparison;
  perCall: string | null;
  perCallBefore: string | null;
  unpricedCalls: number;
  quarantinedCalls: number;
  simulatedShare: string | null;
  forecast: MonthForecast;
};

/** `expected` is null under three days of history. */
export type MonthForecast = {
  /** YYYY-MM */
  month: string;
  spent: string;
  expected: string | null;
  interval: string | null;
  levelPct: number;
};

export function prepareSpendFigures(
  { now, beforeUsd }: SpendPair,
  callsBefore: number,
  forecast: SpendForecastAnswer,
): SpendFigures {
  const decimals = headlineDecimals(now.costUsd);
  const perCall = (costUsd: string, calls: number): string | null => {
    const each = divideDecimals(costUsd, String(calls), 12);
    return each === null ? null : formatMoney(each, headlineDecimals(each));
  };
  const { simulated } = now.byProvenance;
  return {
    spend: formatMoney(now.costUsd, decimals),
    provenance: now.provenance,
    parts: listProvenanceParts(now.byProvenance),
    calls: formatCount(now.requests),
    comparison: compareSpend(now.costUsd, beforeUsd),
    perCall: perCall(now.costUsd, now.pricedRequests),
    perCallBefore: perCall(beforeUsd, callsBefore),
    unpricedCalls: now.unpricedCalls,
    quarantinedCalls: now.quarantinedCalls,
    simulatedShare: simulated === undefined || isZero(simulated) ? null : formatShare(simulated, now.costUsd),
    forecast: prepareForecast(forecast),
  };
}

export function compareSpend(nowUsd: string, beforeUsd: string): Comparison {
  const differenceUsd = addDecimals([nowUsd, negate(beforeUsd)]);
  return {
    arrow: isZero(differenceUsd) ? "" : isNegative(differenceUsd) ? "▼" : "▲",
    growth: formatGrowth(differenceUsd, beforeUsd),
    difference: formatDifference(differenceUsd, 2),
    before: formatMoney(beforeUsd, 2),
  };
}

function prepareForecast({ from, level, total }: SpendForecastAnswer): MonthForecast {
  const { spentUsd, expectedUsd, lowUsd, highUsd } = total;
  const decimals = headlineDecimals(expectedUsd ?? spentUsd);
  return {
    month: from.slice(0, 7),
    spent: formatMoney(spentUsd, decimals),
    expected: expectedUsd === null ? null : formatMoney(expectedUsd, decimals),
    interval: expectedUsd === null ? null : formatInterval(lowUsd, highUsd, decimals),
    levelPct: Math.round(level * 100),
  };
}
