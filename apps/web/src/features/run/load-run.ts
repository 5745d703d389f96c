/**
 * Loads what the head of a run's page says: the run and what its calls come to, and beside them its task: how it was judged,
 * the other attempts, their cost. What stands further down is loaded later, and the spans by the browser, which asks for them
 * when the head is there: nothing is waited for that the head can do without.
 */
import { CentspanError } from "@centspan/base";
import type { CostRow, OutcomeRow, TraceRow } from "@centspan/model";
import type { Page } from "../page/page.ts";

export type Run = {
  trace: TraceRow;
  /** Of its calls, by model. */
  costs: CostRow[];
  /** On its way when the rest is drawn. */
  work: Promise<Work>;
};

export type Work = {
  outcome: OutcomeRow | null;
  /** Runs of the same task, oldest first, this one among them unless there are `more` than these newest ones. */
  attempts: { rows: TraceRow[]; more: boolean };
  taskSpendUsd: string | null;
};

const MOST_ATTEMPTS = "50";

async function readAttempts({ api }: Page, trace: TraceRow): Promise<Work["attempts"]> {
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
  return { trace, costs: costs.data, work: loadWork(page, trace) };
}

async function loadWork(page: Page, trace: TraceRow): Promise<Work> {
  const { task } = trace;
  const [outcome, attempts, spend] = await Promise.all([
    readOutcome(page, trace),
    readAttempts(page, trace),
    task === "" ? null : page.api.cost({ task, groupBy: "task" }).then(({ data }) => data[0]?.costUsd ?? null),
  ]);
  return { outcome, attempts, taskSpendUsd: spend };
}
