/** Loads one run: its trace, the selected span, the outcome's evidence, and the other attempts at its task. */
import { CentspanError } from "@centspan/base";
import type { BalanceRow, OutcomeRow, SpanDetail, TraceDetail, TraceRow, WasteItemRow } from "@centspan/model";
import type { Page } from "../page/page.ts";
import { type CauseWords, loadCauseWords } from "../waste/words-of-cause.ts";
import { loadLogs, type RunLogs } from "./load-logs.ts";
import { readSelection } from "./waterfall-state.ts";

export type Run = TraceDetail & {
  selected: SpanDetail | "gone" | null;
  logs: RunLogs;
  outcome: OutcomeRow | null;
  /** Runs of the same task, oldest first, this one among them unless there are `more` than these newest ones. */
  attempts: { rows: TraceRow[]; more: boolean };
  taskSpendUsd: string | null;
  balance: BalanceRow;
  /** The dearest. */
  waste: WasteItemRow[];
  wordsOf: CauseWords;
};

async function readSelected(page: Page, traceId: string): Promise<Run["selected"]> {
  const selection = readSelection(page.params, traceId);
  if (selection === null) return null;
  try {
    return await page.api.span(selection.traceId, selection.spanId);
  } catch (thrown) {
    if (thrown instanceof CentspanError && thrown.code === "not_found") return "gone";
    throw thrown;
  }
}

const MOST_ATTEMPTS = "50";
const MOST_ITEMS = "1000";

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
  const [detail, selected, logs, balance, waste, wordsOf] = await Promise.all([
    api.trace(traceId),
    readSelected(page, traceId),
    loadLogs(page, traceId),
    api.balance(traceId),
    api.wasteItems({ traceId, limit: MOST_ITEMS }),
    loadCauseWords(page),
  ]);
  const { trace } = detail;
  const { task } = trace;
  const [outcome, attempts, spend] = await Promise.all([
    readOutcome(page, trace),
    readAttempts(page, trace),
    task === "" ? null : api.cost({ task, groupBy: "task" }).then(({ data }) => data[0]?.costUsd ?? null),
  ]);
  return { ...detail, selected, logs, outcome, attempts, taskSpendUsd: spend, balance, waste: waste.data, wordsOf };
}
