/** One study from what was asked to what came of it. Whatever kind it is, what can't be answered is said with what to collect. */
import { CentspanError } from "@centspan/base";
import type {
  ClaimedStudy,
  RecommendationInput,
  RecommendationStore,
  SearchInput,
  StudyEnd,
  VerificationInput,
} from "@centspan/model";
import {
  type OptimizerRefusal,
  refuse,
  runSearchStudy,
  type StudyAnswer,
  type StudyTask,
  toStudyRecommendation,
} from "@centspan/optimizer";
import { createThreadPool } from "@centspan/service/threads";
import { holdAdvice, holdSettings } from "./hold-against.ts";
import { readSubject, type StudyReader, toRange } from "./read-study-data.ts";

export type StudyStores = {
  warehouse: StudyReader;
  control: Pick<RecommendationStore, "readRecommendation" | "stepRecommendation">;
  /** What those who rent models can change, as the Trace API has it. */
  readAdvice(workspace: string, subject: string): Promise<RecommendationInput[]>;
};

export type StudyRun = {
  stores: StudyStores;
  threads: number;
  /** Aborted where it is no longer wanted. */
  signal: AbortSignal;
  say(progress: string): void;
};

/** Rejects with `interrupted` where it is no longer wanted. */
export async function runStudy({ workspace, asked }: ClaimedStudy, run: StudyRun): Promise<StudyEnd> {
  switch (asked.kind) {
    case "search":
      return search(workspace, asked, run);
    case "spend":
      return advise(workspace, asked.subject, run);
    case "verification":
      return verify(workspace, asked, run);
  }
}

const end = (refused: readonly OptimizerRefusal[], details: Record<string, unknown> = {}): StudyEnd => ({
  state: "refused",
  progress: refused.map(({ reason }) => reason).join(", "),
  result: { recommendations: [], refused: [...refused], details },
});

async function search(workspace: string, asked: SearchInput, run: StudyRun): Promise<StudyEnd> {
  run.say("reading the traffic");
  const read = await readSubject(run.stores.warehouse, workspace, asked);
  if (!("subject" in read)) return end(read.refusals, { calibration: read.calibration });
  const { data, evidence, measured, source, traceIds, calibration } = read.subject;
  const url = new URL("./study.worker.js", import.meta.url);
  const pool = createThreadPool<StudyTask, StudyAnswer>({ url, threads: run.threads, workerData: data });
  const budget = AbortSignal.any([run.signal, AbortSignal.timeout(asked.seconds * 1_000)]);
  try {
    const studied = await runSearchStudy(
      data,
      { evidence, candidates: asked.candidates, measured },
      {
        ask: (tasks, isWithinBudget) => pool.run(tasks, isWithinBudget ? budget : run.signal),
        isBudgetUsed: () => !run.signal.aborted && budget.aborted,
        say: run.say,
      },
    );
    const { verdict, worth, searched, modelError, refusals } = studied;
    const details = { verdict, worth, searched, modelError, calibration };
    const { subject, service } = asked;
    const recommendation = toStudyRecommendation(data, studied, { subject, service, source, traceIds });
    if (recommendation === null) return end(refusals, details);
    return {
      state: "done",
      progress: recommendation.title,
      result: { recommendations: [recommendation], refused: [], details },
    };
  } finally {
    await pool.close();
  }
}

async function advise(workspace: string, subject: string, { stores, say }: StudyRun): Promise<StudyEnd> {
  say("reading the waste ledger");
  const recommendations = await stores.readAdvice(workspace, subject);
  return {
    state: "done",
    progress: `${recommendations.length} to recommend`,
    result: { recommendations, refused: [], details: {} },
  };
}

/** Who takes the step that nobody has to decide. */
const WORKER = "centspan worker";

async function verify(workspace: string, asked: VerificationInput, { stores, say }: StudyRun): Promise<StudyEnd> {
  const { warehouse, control } = stores;
  const recommendation = await control.readRecommendation(workspace, asked.recommendation);
  const applied = recommendation.steps.find(({ step }) => step === "applied");
  if (recommendation.state !== "applied" || applied === undefined)
    return end([refuse("not_applied", `the recommendation is ${recommendation.state}`)]);
  say("reading what came after it was applied");
  const range = toRange({ from: asked.after.from ?? applied.at, to: asked.after.to });
  const held = await (recommendation.kind === "spend" ? holdAdvice : holdSettings)(
    warehouse,
    { workspace, range, appliedAt: applied.at },
    recommendation,
  );
  if ("refusals" in held) return end(held.refusals);
  const said = { by: WORKER, note: "", actor: WORKER };
  await control.stepRecommendation(workspace, recommendation.id, { step: "verified", ...said, realised: held });
  return {
    state: "done",
    progress: `${(100 * held.effect.share).toFixed(1)}% realised`,
    result: { recommendations: [], refused: [], details: { recommendation: recommendation.id, realised: held } },
  };
}

/** What a study that failed says of it; null where it was stopped. */
export const describeFailure = (error: unknown): string | null =>
  error instanceof CentspanError && error.code === "interrupted"
    ? null
    : error instanceof Error
      ? error.message
      : String(error);
