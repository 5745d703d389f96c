/** A search study on threads of this process, within a time budget. Ctrl-C ends the search with the best so far. */
import {
  runSearchStudy,
  type SearchStudy,
  type SearchStudyOptions,
  type StudyAnswer,
  type StudyData,
  type StudyTask,
} from "@centspan/optimizer";
import { createThreadPool } from "@centspan/service/threads";

export type Patience = { threads: number; seconds: number; signal: AbortSignal; say(text: string): void };

export async function searchSettings(
  data: StudyData,
  options: SearchStudyOptions,
  { threads, seconds, signal, say }: Patience,
): Promise<SearchStudy> {
  const url = new URL("./study.worker.js", import.meta.url);
  const pool = createThreadPool<StudyTask, StudyAnswer>({ url, threads, workerData: data });
  const budget = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);
  try {
    return await runSearchStudy(data, options, {
      ask: (tasks, isWithinBudget) => pool.run(tasks, isWithinBudget ? budget : undefined),
      isBudgetUsed: () => budget.aborted,
      say,
    });
  } finally {
    await pool.close();
  }
}
