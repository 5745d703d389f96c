/**
 * Rows of "what was spent and what it bought" for one grouping, from the outcome rows and the cost rows of the same
 * groups. Must not: compute cost per pass or intervals (the API answers those).
 */
import type { CostRow, OutcomeCostRow, Provenance } from "@centspan/model";
import { compareDecimals } from "../format/decimal-text.ts";
import { columnDecimals, formatInterval, formatMoney } from "../format/format-money.ts";
import { formatRatio, formatShare } from "../format/format-quantity.ts";
import { chooseMoneyAxis, type MoneyAxis, prepareWhisker, type Whisker } from "./prepare-whisker.ts";
import { mergeSplits, resolveProvenance } from "./resolve-provenance.ts";

export type PerPass =
  | { kind: "point"; amount: string; interval: string | null }
  /** No pass among finished tasks: at least so much, with the interval's confidence. */
  | { kind: "at_least"; amount: string; tasks: number }
  | { kind: "no_tasks" };

export type OutcomeTableRow = {
  group: string;
  spend: string;
  passed: number;
  tasks: number;
  failed: number;
  pending: number;
  unknown: number;
  passRate: string | null;
  perPass: PerPass;
  whisker: Whisker;
  failedSpend: string;
  failedShare: string | null;
  coverage: string | null;
  provenance: Provenance | null;
  calls: number | null;
  unpricedCalls: number;
  quarantinedCalls: number;
};

export type OutcomeTable = { rows: OutcomeTableRow[]; total: OutcomeTableRow; axis: MoneyAxis };

type Columns = { spend: number; perPass: number; failed: number };

export function describePerPass(row: OutcomeCostRow, decimals: number): PerPass {
  const { costPerPassUsd, interval, tasks } = row;
  if (costPerPassUsd !== null) {
    const text = interval === null ? null : formatInterval(interval.lowUsd, interval.highUsd, decimals);
    return { kind: "point", amount: formatMoney(costPerPassUsd, decimals), interval: text };
  }
  const lowUsd = interval?.lowUsd ?? null;
  return lowUsd === null ? { kind: "no_tasks" } : { kind: "at_least", amount: formatMoney(lowUsd, decimals), tasks };
}

/** What a row says of itself where no cost row does: no more than whether it is simulated. */
const simulatedMark = (share: string | null): Provenance | null =>
  share !== null && compareDecimals(share, "0.1") >= 0 ? "simulated" : null;

function prepareRow(
  row: OutcomeCostRow,
  cost: CostRow | undefined,
  axis: MoneyAxis,
  columns: Columns,
): OutcomeTableRow {
  const { group, passed, tasks, failed, pending, unknown } = row;
  return {
    group,
    spend: formatMoney(row.allSpendUsd, columns.spend),
    passed,
    tasks,
    failed,
    pending,
    unknown,
    passRate: formatShare(passed, tasks),
    perPass: describePerPass(row, columns.perPass),
    whisker: prepareWhisker(row, axis),
    failedSpend: formatMoney(row.failedSpendUsd, columns.failed),
    failedShare: formatShare(row.failedSpendUsd, row.allSpendUsd),
    coverage: row.coverage === null ? null : formatRatio(row.coverage),
    provenance: cost?.provenance ?? simulatedMark(row.simulatedShare),
    calls: cost?.requests ?? null,
    unpricedCalls: cost?.unpricedCalls ?? 0,
    quarantinedCalls: cost?.quarantinedCalls ?? 0,
  };
}

/** Dearest first; what belongs to no group last. */
function compareRows(a: OutcomeCostRow, b: OutcomeCostRow): number {
  if ((a.group === "") !== (b.group === "")) return a.group === "" ? 1 : -1;
  return compareDecimals(b.allSpendUsd, a.allSpendUsd) || (a.group < b.group ? -1 : 1);
}

export function prepareOutcomeTable(
  rows: readonly OutcomeCostRow[],
  total: OutcomeCostRow,
  costs: readonly CostRow[],
): OutcomeTable {
  const axis = chooseMoneyAxis([...rows, total]);
  const columns = {
    spend: columnDecimals(rows.map((row) => row.allSpendUsd)),
    perPass: columnDecimals(rows.map((row) => row.costPerPassUsd ?? row.interval?.lowUsd ?? null)),
    failed: columnDecimals(rows.map((row) => row.failedSpendUsd)),
  };
  const costOf = new Map(costs.map((cost) => [cost.group, cost]));
  const calls = costs.reduce((sum, cost) => sum + cost.requests, 0);
  const totalRow = prepareRow(total, undefined, axis, columns);
  return {
    rows: rows.toSorted(compareRows).map((row) => prepareRow(row, costOf.get(row.group), axis, columns)),
    total: {
      ...totalRow,
      provenance: resolveProvenance(mergeSplits(costs.map((cost) => cost.byProvenance))),
      calls: costs.length === 0 ? null : calls,
      unpricedCalls: costs.reduce((sum, cost) => sum + cost.unpricedCalls, 0),
      quarantinedCalls: costs.reduce((sum, cost) => sum + cost.quarantinedCalls, 0),
    },
    axis,
  };
}
