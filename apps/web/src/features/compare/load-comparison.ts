/** Loads two runs side by side; where fewer were chosen, those that could be held against the one that was. */
import { CentspanError } from "@centspan/base";
import type { RunComparison, TraceRow } from "@centspan/model";
import type { Page } from "../page/page.ts";
import { type CauseWords, loadCauseWords } from "../waste/words-of-cause.ts";

export type Chosen = [] | [first: string] | [first: string, second: string];

export type Compared = {
  /** That were chosen. */
  runs: TraceRow[];
} & ({ comparison: RunComparison; wordsOf: CauseWords } | { comparison: null; others: TraceRow[]; isOfTask: boolean });

const MOST_OTHERS = "50";

/** The first two different ones: a form sends as many as were ticked. */
export function readChosen(said: string | string[] | undefined): Chosen {
  const [first, second] = [...new Set([said ?? []].flat())].filter((id) => id !== "");
  return first === undefined ? [] : second === undefined ? [first] : [first, second];
}

export async function loadComparison(page: Page, chosen: Chosen): Promise<Compared> {
  const { api } = page;
  const [first, second] = chosen;
  if (first !== undefined && second !== undefined) {
    const [comparison, wordsOf] = await Promise.all([api.compareRuns(first, second), loadCauseWords(page)]);
    return { runs: comparison.runs, comparison, wordsOf };
  }
  const runs = first === undefined ? [] : (await api.traces({ traceId: first })).data;
  if (runs.length < chosen.length) throw new CentspanError("not_found", `trace ${first}: not in this workspace`);
  const [run] = runs;
  const attempts = run === undefined || run.task === "" ? [] : await list(page, { task: run.task });
  const isOther = ({ traceId }: TraceRow): boolean => traceId !== first;
  const others = attempts.filter(isOther);
  if (others.length > 0) return { runs, comparison: null, others, isOfTask: true };
  return { runs, comparison: null, others: (await list(page, {})).filter(isOther), isOfTask: false };
}

const list = async ({ api }: Page, of: { task?: string }): Promise<TraceRow[]> =>
  (await api.traces({ ...of, onlyRuns: "true", limit: MOST_OTHERS })).data;
