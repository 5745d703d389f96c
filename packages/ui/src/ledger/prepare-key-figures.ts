/** The strip of key figures at the head of a page: spend, cost per pass, passes, and what failed tasks cost. */
import type { CostRow, OutcomeCostRow, Provenance } from "@centspan/model";
import { compareDecimals, isZero } from "../format/decimal-text.ts";
import { formatMoney, headlineDecimals } from "../format/format-money.ts";
import { formatRatio, formatShare } from "../format/format-quantity.ts";
import { describePerPass, type PerPass } from "./prepare-outcome-table.ts";
import { listProvenanceParts, mergeSplits, resolveProvenance } from "./resolve-provenance.ts";

export type KeyFigures = {
  spend: string;
  provenance: Provenance | null;
  parts: { kind: Provenance; share: string }[];
  /** Requests made: an imported aggregate stands for many. */
  calls: number;
  unpricedCalls: number;
  quarantinedCalls: number;
  perPass: PerPass;
  pendingBounds: string | null;
  passed: number;
  tasks: number;
  failed: number;
  pending: number;
  unknown: number;
  passRate: string | null;
  failedSpend: string;
  failedShare: string | null;
  coverage: string | null;
  /** Any part of the spend that a model's clock produced; null when none did. */
  simulatedShare: string | null;
};

function describePendingBounds({ pendingBounds, pending }: OutcomeCostRow): string | null {
  if (pending === 0 || pendingBounds === null) return null;
  const { allPassUsd, allFailUsd } = pendingBounds;
  if (allPassUsd === null) return null;
  const decimals = headlineDecimals(allPassUsd);
  const low = formatMoney(allPassUsd, decimals);
  return allFailUsd === null ? `≥ ${low}` : `${low}–${formatMoney(allFailUsd, decimals).replace("$", "")}`;
}

export function prepareKeyFigures(total: OutcomeCostRow, costs: readonly CostRow[]): KeyFigures {
  const split = mergeSplits(costs.map((cost) => cost.byProvenance));
  const sum = (pick: (cost: CostRow) => number): number => costs.reduce((all, cost) => all + pick(cost), 0);
  const { simulatedShare } = total;
  return {
    spend: formatMoney(total.allSpendUsd, headlineDecimals(total.allSpendUsd)),
    provenance: resolveProvenance(split),
    parts: listProvenanceParts(split),
    calls: sum((cost) => cost.requests),
    unpricedCalls: sum((cost) => cost.unpricedCalls),
    quarantinedCalls: sum((cost) => cost.quarantinedCalls),
    perPass: describePerPass(total, headlineDecimals(total.costPerPassUsd ?? total.interval?.lowUsd ?? "0")),
    pendingBounds: describePendingBounds(total),
    passed: total.passed,
    tasks: total.tasks,
    failed: total.failed,
    pending: total.pending,
    unknown: total.unknown,
    passRate: formatShare(total.passed, total.tasks),
    failedSpend: formatMoney(total.failedSpendUsd, headlineDecimals(total.failedSpendUsd)),
    failedShare: formatShare(total.failedSpendUsd, total.allSpendUsd),
    coverage: total.coverage === null ? null : formatRatio(total.coverage),
    simulatedShare: simulatedShare === null || isZero(simulatedShare) ? null : formatRatio(simulatedShare),
  };
}

/** Whether there is anything to show at all. */
export const hasSpend = (total: OutcomeCostRow): boolean =>
  total.tasks > 0 || compareDecimals(total.allSpendUsd, "0") > 0;
