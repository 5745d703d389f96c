/**
 * Loads what the head of a run's page says: the run, what its calls come to, the other attempts at its task. What stands
 * further down is loaded beside it, and the spans by the browser: nothing large is waited for.
 */
import { CentspanError } from "@centspan/base";
import type { CostRow, OutcomeRow, TraceRow } from "@centspan/model";
import type { Page } from "../page/page.ts";

export type Run = {
  trace: TraceRow;
  /** Of its calls, by model. */
  costs: CostRow[];
  outcome: OutcomeRow | null;
  /** Runs of the same task, oldest first, this one among them unless there are `more` than these newest ones. */
  attempts: { rows: TraceRow[]; more: boolean };
  taskSpendUsd: string | null;
};

const MOST_ATTEMPTS = "50";

async function readAttempts({ api }: Page, trace: TraceRow): Promise<Run["attempts"]> {
  if (trace.task === "") return { rows: [trace], more: false };
  const { data, nextCursor } = await api.traces({ task: trace.task, limit: MOST_ATTEMPTS });
  return { rows: data.toReversed(), more: nextCursor !== null };
}

async function readOutcome(page: Page, { runId, task }: TraceRow): Promise<OutcomeRow | null> {
  if (runId === "" && task === "") return null;
  const { data } = await page.api.outcomes(runId === "" ? { task } : { runId });
  return data.find((outcome) => outcome.kind === "tests") ?? data[0] ?? null;
}

export async function loadRun(page: Page, traceId: string): Promise<Run> {
  const { api } = page;
  const [traces, costs] = await Promise.all([api.traces({ traceId }), api.cost({ traceId, groupBy: "model" })]);
  const [trace] = traces.data;
  if (trace === undefined) throw new CentspanError("not_found", `trace ${traceId}: not in this workspace`);
  const { task } = trace;
  const [outcome, attempts, spend] = await Promise.all([
    readOutcome(page, trace),
    readAttempts(page, trace),
    task === "" ? null : api.cost({ task, groupBy: "task" }).then(({ data }) => data[0]?.costUsd ?? null),
  ]);
  return { trace, costs: costs.data, outcome, attempts, taskSpendUsd: spend };
}
