/**
 * From traffic to a verdict, whole: what can't be answered is refused, settings are searched for on the earlier part, and the
 * choice is judged on the later one, with what the model is known to be off by in its interval. Threads do the simulating;
 * whoever has them gives them.
 */
import { CentspanError, parseDecimal } from "@centspan/base";
import type { RecommendationInput } from "@centspan/model";
import { type Cost, cutComparable, measureModelError } from "../calibration/measured-work.ts";
import { type Block, evaluate, isServable } from "../evaluation/evaluate.ts";
import type { Objective, Score } from "../evaluation/score.ts";
import { exportEverywhere } from "../export-config.ts";
import { createEvaluator, createSpaceOf, driveSearch, type EvaluatorData } from "../search/drive-search.ts";
import { createSearch, type Question } from "../search/search.ts";
import { type Point, presentPoint, writePoint } from "../settings/space.ts";
import { cutWindow, measureSpan } from "../traffic/traffic.ts";
import { judge, type Verdict } from "../verdict/judge.ts";
import { type Evidence, findEvidenceRefusals, type OptimizerRefusal } from "../verdict/refusals.ts";
import { toRecommendation } from "../verdict/to-recommendation.ts";
import { valueVerdict, type Worth } from "../verdict/worth.ts";

/** What a thread has to know. Can be cloned. */
export type StudyData = EvaluatorData & { objective: Objective; seed: number };

export type StudyTask =
  | { kind: "score"; question: Question }
  /** The present settings on all of the traffic that can be held against what was measured. */
  | { kind: "present" }
  | { kind: "judge"; point: Point; modelError: number };
export type StudyAnswer =
  | { kind: "score"; score: Score }
  | { kind: "present"; blocks: Block[] }
  | { kind: "judge"; verdict: Verdict };

/** Chosen on the first 60% of the traffic, of which the first tenth of all only fills the caches; judged on what is left. */
export const STUDY_WINDOW = { from: 0.1, to: 0.6, warmUp: 0.1 } as const;
const BLOCKS = 24;

/** The other end, in a thread. */
export function createStudyThread(data: StudyData): (task: StudyTask) => StudyAnswer {
  const score = createEvaluator(data);
  const { traffic, from, to, warmUp, objective, seed } = data;
  return (task) => {
    if (task.kind === "score") return { kind: "score", score: score(task.question) };
    if (task.kind === "present") {
      const whole = evaluate(data.present, cutComparable(traffic), { blocks: 1, ignoreSupport: true });
      return { kind: "present", blocks: isServable(whole) ? whole.blocks : [] };
    }
    const windows = { chosenOn: cutWindow(traffic, from, to, warmUp), judgedOn: cutWindow(traffic, to, 1, warmUp) };
    const options = { ...data, objective, seed, level: 0.8, blocks: BLOCKS, modelError: task.modelError } as const;
    return { kind: "judge", verdict: judge(createSpaceOf(data), task.point, windows, options) };
  };
}

export type StudyThreads = {
  /** Rejects with `interrupted` when stopped; those within the budget also when it is used up. */
  ask(tasks: readonly StudyTask[], isWithinBudget: boolean): Promise<readonly StudyAnswer[]>;
  isBudgetUsed(): boolean;
  say(progress: string): void;
};

export type SearchStudyOptions = {
  evidence: Evidence;
  candidates: number;
  /** What the work cost by spans, or how far a replay of what was served is from it, as a share; null where they don't say it. */
  measured: readonly Cost[] | number | null;
};

export type SearchStudy = {
  refusals: OptimizerRefusal[];
  verdict: Verdict | null;
  worth: Worth | null;
  searched: { points: number; evaluations: number; wasCut: boolean } | null;
  /** As a share; null where it is not known. */
  modelError: number | null;
};

const NOTHING: Omit<SearchStudy, "refusals"> = { verdict: null, worth: null, searched: null, modelError: null };

export async function runSearchStudy(
  data: StudyData,
  { evidence, candidates, measured }: SearchStudyOptions,
  threads: StudyThreads,
): Promise<SearchStudy> {
  const refusals = findEvidenceRefusals(evidence);
  if (refusals.length > 0) return { ...NOTHING, refusals };
  const modelError =
    measured === null || typeof measured === "number"
      ? measured
      : measureModelError(await simulatePresent(threads), measured);
  const { seed, objective } = data;
  const search = createSearch(createSpaceOf(data), { candidates, seed, objective });
  const wasCut = await askAll(search, threads);
  const best = search.best();
  if (best === null) return { ...NOTHING, modelError, refusals: [] };
  threads.say("judging on later traffic");
  const task: StudyTask = { kind: "judge", point: best.question.point, modelError: modelError ?? 0 };
  const [judged] = await threads.ask([task], false);
  if (judged?.kind !== "judge") throw new CentspanError("internal", "a verdict was asked for, and something else came");
  const { verdict } = judged;
  const { points, evaluations } = search.progress();
  const worth = valueVerdict(verdict, {
    gpuHourUsd: parseDecimal(data.present.gpuHourUsd),
    windowS: measureWindowS(data, verdict),
  });
  return { refusals: verdict.refusals, verdict, worth, searched: { points, evaluations, wasCut }, modelError };
}

async function simulatePresent(threads: StudyThreads): Promise<Block[]> {
  threads.say("holding the model against what was measured");
  const [answer] = await threads.ask([{ kind: "present" }], false);
  return answer?.kind === "present" ? answer.blocks : [];
}

/** Whether the search was ended before it had asked all that it wanted to. */
async function askAll(search: ReturnType<typeof createSearch>, threads: StudyThreads): Promise<boolean> {
  const ask = async (questions: readonly Question[]): Promise<Score[]> => {
    const tasks = questions.map((question): StudyTask => ({ kind: "score", question }));
    return (await threads.ask(tasks, true)).flatMap((answer) => (answer.kind === "score" ? [answer.score] : []));
  };
  try {
    await driveSearch(search, ask, {
      isOver: threads.isBudgetUsed,
      onProgress: ({ round, points }) => threads.say(`searching: ${round}, ${points} settings tried`),
    });
    return threads.isBudgetUsed();
  } catch (error) {
    if (error instanceof CentspanError && error.code === "interrupted" && threads.isBudgetUsed()) return true;
    throw error;
  }
}

function measureWindowS({ traffic, to, warmUp }: StudyData, { before }: Verdict): number {
  const { traffic: judged, uncounted } = cutWindow(traffic, to, 1, warmUp);
  if (judged.kind === "open") return measureSpan(judged.requests.slice(uncounted))[1] / 1e9;
  // Of sessions the run itself decides: what was paid for is accelerators × time.
  return before === null ? 0 : before.paidGpuS / before.accelerators;
}

export type StudyFacts = {
  subject: string;
  service?: string | undefined;
  source: string;
  traceIds?: readonly string[];
};

/** Null where nothing holds. */
export function toStudyRecommendation(
  data: StudyData,
  { verdict, worth, searched, modelError }: SearchStudy,
  { subject, service, source, traceIds = [] }: StudyFacts,
): RecommendationInput | null {
  if (verdict === null || verdict.state === "refused" || worth === null) return null;
  const { present, traffic, objective } = data;
  const space = createSpaceOf(data);
  const proposed = new Map(verdict.changes.map(({ knob, to }) => [knob, to]));
  const point = presentPoint(space).map((now, at) => proposed.get(space.knobs[at]?.id ?? "replicas") ?? now);
  const recommendation = toRecommendation(verdict, {
    subject,
    objective,
    worth,
    exported: exportEverywhere(verdict.changes, {
      model: present.model,
      blockTokens: traffic.blockTokens,
      router: present.router.id,
    }),
    chosenOn: `${verdict.requests.chosenOn} requests of ${source}, ${searched?.points ?? 0} settings`,
    judgedOn: `${verdict.requests.judgedOn} later requests, not seen in the search`,
    traceIds,
  });
  const { evidence } = recommendation;
  // What a verification has to know later.
  const settings = { now: present, proposed: writePoint(space, point) };
  return {
    ...recommendation,
    ...(service !== undefined && { service }),
    evidence: { ...evidence, verdict: { ...evidence.verdict, settings, modelError } },
  };
}
