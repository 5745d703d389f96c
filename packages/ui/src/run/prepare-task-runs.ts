/** Tasks with their attempts: what each took, which one passed, what the failed ones cost, and which two to hold side by side. */
import type { TaskRunsRow, TraceRow } from "@centspan/model";
import { isZero } from "../format/decimal-text.ts";
import { columnDecimals, formatMoney } from "../format/format-money.ts";
import { formatCount, formatDuration } from "../format/format-quantity.ts";
import type { Pair } from "./prepare-walk.ts";

export type TaskRun = {
  traceId: string;
  number: string;
  model: string;
  outcome: TraceRow["outcome"];
  startedAt: string;
  /** Null of a run that says no end. */
  duration: string | null;
  calls: string;
  /** Null of calls that have no price. */
  cost: string | null;
};

export type TaskWithRuns = {
  task: string;
  title: string;
  team: string;
  status: TaskRunsRow["status"];
  isReverted: boolean;
  calls: string;
  cost: string;
  /** Null where none failed. */
  failed: string | null;
  runs: TaskRun[];
  /** Attempts that are not among its runs: there were very many. */
  notListed: number;
  /** Ids of traces, the earlier first; null of a task with one run. */
  toCompare: Pair<string> | null;
};

export function prepareTaskRuns(tasks: readonly TaskRunsRow[]): TaskWithRuns[] {
  const decimals = columnDecimals(tasks.map(({ costUsd }) => costUsd));
  return tasks.map((row) => {
    const notListed = Math.max(0, row.attempts - row.runs.length);
    return {
      task: row.task,
      title: row.title || row.task,
      team: row.team,
      status: row.status,
      isReverted: row.reverted,
      calls: formatCount(row.calls),
      cost: formatMoney(row.costUsd, decimals),
      failed: isZero(row.failedUsd) ? null : formatMoney(row.failedUsd, decimals),
      runs: row.runs.map((run, at) => describeRun(run, at + 1 + notListed, decimals)),
      notListed,
      toCompare: chooseTwo(row.runs),
    };
  });
}

function describeRun(run: TraceRow, number: number, decimals: number): TaskRun {
  const { traceId, model, outcome, startedAt, calls, costUsd } = run;
  const durationNs = BigInt(run.durationNs);
  return {
    ...{ traceId, model, outcome, startedAt },
    number: formatCount(number),
    duration: durationNs < 0n ? null : formatDuration(durationNs),
    calls: formatCount(calls),
    cost: costUsd !== null ? formatMoney(costUsd, decimals) : calls === 0 ? "–" : null,
  };
}

/** The first that passed and the one before it; where none passed, or the first did, the last two. */
function chooseTwo(runs: readonly TraceRow[]): Pair<string> | null {
  const passed = runs.findIndex(({ outcome }) => outcome === "passed");
  const [first, second] = passed > 0 ? runs.slice(passed - 1, passed + 1) : runs.slice(-2);
  return first === undefined || second === undefined ? null : [first.traceId, second.traceId];
}
