/**
 * From traffic to a verdict: refuses what can't be answered, searches on threads within a time budget, and judges the choice on
 * later traffic. Ctrl-C ends the search with the best so far.
 */
import { parseDecimal } from "@centspan/base";
import {
  createSearch,
  createSpaceOf,
  cutWindow,
  driveSearch,
  type EvaluatorData,
  findEvidenceRefusals,
  judge,
  type KnobValue,
  type Limit,
  measureSpan,
  type Objective,
  type OptimizerRefusal,
  type Question,
  type Score,
  type Settings,
  type Verdict,
  valueVerdict,
  type Worth,
} from "@centspan/optimizer";
import { createThreadPool } from "@centspan/service/threads";
import type { Support } from "@centspan/serving";
import type { ReadTraffic } from "./read-traffic.ts";

export type SearchQuery = {
  present: Settings;
  space: Readonly<Record<string, readonly KnobValue[] | undefined>>;
  limits: readonly Limit[];
  objective: Objective;
  candidates: number;
  threads: number;
  seconds: number;
  seed: number;
  /** Says that leaving the range of the step times is no reason against. */
  beyondSupport: boolean;
  /** What was observed of the engine; null takes the range of the step times by name. */
  support: Support | null;
};

export type SearchAnswer = {
  refusals: OptimizerRefusal[];
  verdict: Verdict | null;
  worth: Worth | null;
  searched: { points: number; evaluations: number; seconds: number; wasCut: boolean } | null;
};

/** Chosen on the first 60% of the traffic, of which the first tenth of all only fills the caches; judged on what is left. */
const CHOSEN_TO = 0.6;
const WARM_UP = 0.1;
const BLOCKS = 24;

export async function searchSettings(
  { traffic, evidence }: ReadTraffic,
  query: SearchQuery,
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<SearchAnswer> {
  const refusals = findEvidenceRefusals(evidence);
  if (refusals.length > 0) return { refusals, verdict: null, worth: null, searched: null };
  const { present, space: values, limits, objective, beyondSupport: ignoreSupport, seed, support } = query;
  const data: EvaluatorData = {
    present,
    values,
    traffic,
    from: WARM_UP,
    to: CHOSEN_TO,
    warmUp: WARM_UP,
    limits,
    ignoreSupport,
    support,
  };
  const space = createSpaceOf(data);
  const search = createSearch(space, { candidates: query.candidates, seed, objective });
  const startMs = performance.now();
  const wasCut = await ask(search, data, { query, say, signal });
  const best = search.best();
  if (best === null) return { refusals: [], verdict: null, worth: null, searched: null };
  say("judging on later traffic");
  const windows = {
    chosenOn: cutWindow(traffic, WARM_UP, CHOSEN_TO, WARM_UP),
    judgedOn: cutWindow(traffic, CHOSEN_TO, 1, WARM_UP),
  };
  const options = { limits, objective, level: 0.8, seed, blocks: BLOCKS, ignoreSupport, support } as const;
  const verdict = judge(space, best.question.point, windows, options);
  const { points, evaluations } = search.progress();
  return {
    refusals: verdict.refusals,
    verdict,
    worth: valueVerdict(verdict, {
      gpuHourUsd: parseDecimal(present.gpuHourUsd),
      windowS: measureWindow(windows.judgedOn, verdict),
    }),
    searched: { points, evaluations, seconds: (performance.now() - startMs) / 1_000, wasCut },
  };
}

/** Whether the search was ended before it had asked all that it wanted to. */
async function ask(
  search: ReturnType<typeof createSearch>,
  data: EvaluatorData,
  { query, say, signal }: { query: SearchQuery; say: (text: string) => void; signal: AbortSignal },
): Promise<boolean> {
  const url = new URL("./evaluate.worker.js", import.meta.url);
  const pool = createThreadPool<Question, Score>({ url, threads: query.threads, workerData: data });
  const budget = AbortSignal.any([signal, AbortSignal.timeout(query.seconds * 1_000)]);
  try {
    await driveSearch(search, (questions) => pool.run(questions, budget), {
      isOver: () => budget.aborted,
      onProgress: ({ round, points }) => say(`searching: ${round}, ${points} settings tried`),
    });
    return budget.aborted;
  } catch (error) {
    if (budget.aborted) return true;
    throw error;
  } finally {
    await pool.close();
  }
}

function measureWindow({ traffic, uncounted }: ReturnType<typeof cutWindow>, { before }: Verdict): number {
  if (traffic.kind === "open") return measureSpan(traffic.requests.slice(uncounted))[1] / 1e9;
  // Of sessions the run itself decides: what was paid for is accelerators × time.
  return before === null ? 0 : before.paidGpuS / before.accelerators;
}
