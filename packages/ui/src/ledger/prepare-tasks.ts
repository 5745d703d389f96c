/** Tasks of one key or team: what each cost, every attempt with its outcome in order, and where the task stands. */
import type { CostRow, OutcomeCostRow, TraceRow } from "@centspan/model";
import { compareDecimals, toGeometry } from "../format/decimal-text.ts";
import { columnDecimals, formatMoney } from "../format/format-money.ts";

export type TaskOutcome = "passed" | "failed" | "unknown" | "pending";
export type Attempt = { traceId: string; outcome: TraceRow["outcome"]; model: string; startedAt: string };

export type TaskRow = {
  task: string;
  title: string;
  taskType: string;
  attempts: Attempt[];
  calls: number | null;
  cost: string;
  barPct: number;
  outcome: TaskOutcome;
};

function readOutcome(row: OutcomeCostRow): TaskOutcome {
  if (row.passed > 0) return "passed";
  if (row.failed > 0) return "failed";
  return row.unknown > 0 ? "unknown" : "pending";
}

type TaskSources = {
  outcomes: readonly OutcomeCostRow[];
  costs: readonly CostRow[];
  /** The newest runs; of a busy key perhaps not all, so nothing is counted from them. */
  traces: readonly TraceRow[];
};

/** Dearest first. Spend that belongs to no task is left out: coverage says how much that is. */
export function prepareTasks({ outcomes, costs, traces }: TaskSources, most: number): TaskRow[] {
  const costOf = new Map(costs.map((cost) => [cost.group, cost]));
  const runsOf = new Map<string, TraceRow[]>();
  for (const trace of traces) runsOf.set(trace.task, [...(runsOf.get(trace.task) ?? []), trace]);
  const tasks = outcomes.filter((row) => row.group !== "").sort((a, b) => compareDecimals(b.spendUsd, a.spendUsd));
  const decimals = columnDecimals(tasks.map((row) => row.spendUsd));
  const dearest = toGeometry(tasks[0]?.spendUsd ?? "0");
  return tasks.slice(0, most).map((row) => {
    const runs = (runsOf.get(row.group) ?? []).toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
    return {
      task: row.group,
      title: runs[0]?.title ?? "",
      taskType: runs[0]?.taskType ?? "",
      attempts: runs.map(({ traceId, outcome, model, startedAt }) => ({ traceId, outcome, model, startedAt })),
      calls: costOf.get(row.group)?.requests ?? null,
      cost: formatMoney(row.spendUsd, decimals),
      barPct: dearest === 0 ? 0 : (toGeometry(row.spendUsd) / dearest) * 100,
      outcome: readOutcome(row),
    };
  });
}
