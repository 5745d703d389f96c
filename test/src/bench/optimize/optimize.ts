/**
 * `bench optimize`: how many settings are simulated in which time on two threads, how far the choice is from the best of a
 * space that is small enough to look at whole, and how far predictions are from later traffic. Early rounds of the search see
 * short windows, as they always do.
 */
import { join } from "node:path";
import {
  compareScores,
  costOf,
  createSearch,
  createSpaceOf,
  cutWindow,
  driveSearch,
  type EvaluatorData,
  evaluate,
  isServable,
  type KnobValue,
  listPoints,
  type Point,
  type Question,
  type Score,
  sumBlocks,
  writePoint,
} from "@centspan/optimizer";
import { createThreadPool } from "@centspan/service/threads";
import { defineBench, readNumber, round } from "../bench.ts";
import { measureCalibration, measureHeldOut } from "./held-out.ts";
import { type BenchTrace, readTraces } from "./traces.ts";

const OBJECTIVE = "used";
/** Chosen on the first part, after some warming up; judged on what comes after it. */
const WINDOW = { from: 0.1, to: 0.6, warmUp: 0.1 };

const SPACE: Record<string, KnobValue[]> = {
  policy: ["fifo", "lru-leaf", "lfu", "arc", "s3-fifo", "slru", "loop-aware"],
  maxSequences: [16, 32, 64, 128, 256],
  tokenBudget: [1_024, 2_048, 4_096, 8_192, 16_384],
  chunkedPrefill: [true, false],
  router: ["prefix-affinity", "estimated-prefix", "least-load", "round-robin", "random"],
  queueWeight: [0.1, 0.3, 1],
  activeWeight: [0, 3],
};

const SMALL: Record<string, KnobValue[]> = {
  policy: ["fifo", "lru-leaf", "arc"],
  maxSequences: [16, 64],
  tokenBudget: [2_048, 8_192],
  router: ["prefix-affinity", "least-load", "random"],
};

export default defineBench({
  name: "optimize",
  describe:
    "settings simulated on three traces, the choice against the exhaustive best, and predictions against later traffic",
  flags: {
    data: "folder of the maintainers' data (CENTSPAN_SHARED/data; else made-up traffic)",
    candidates: "settings of the first round of each of the three searches (400)",
    threads: "threads to simulate on (2)",
    requests: "requests of each Mooncake trace (all)",
    sessions: "agent sessions, every n-th of the file (96)",
  },
  async run(flags, say) {
    const shared = process.env.CENTSPAN_SHARED;
    const folder = flags.data ?? (shared === undefined ? null : join(shared, "data"));
    const candidates = readNumber("candidates", flags.candidates, 400);
    const threads = readNumber("threads", flags.threads, 2);
    const size = {
      requests: readNumber("requests", flags.requests, 1e9),
      sessions: readNumber("sessions", flags.sessions, 96),
    };
    const traces = await readTraces(folder, size);
    say(folder === null ? "without data: made-up traffic" : `traffic of ${folder}`);
    const found: Awaited<ReturnType<typeof study>>[] = [];
    for (const trace of traces) found.push(await study(trace, { candidates, threads, say }));
    const { fitted, assumed } = measureHeldOut(600);
    say("reference engine: predicted");
    const calibrationErrPct = measureCalibration(folder);
    const sum = (of: (one: (typeof found)[number]) => number): number => found.reduce((all, one) => all + of(one), 0);
    return {
      configs: sum(({ configs }) => configs),
      seconds: round(sum(({ seconds }) => seconds)),
      regretPct: round(Math.max(...found.map(({ regretPct }) => regretPct)), 3),
      heldOutErrPct: {
        ttft: round(Math.abs(fitted.ttft.meanPercent), 3),
        tpot: round(Math.abs(fitted.tpot.meanPercent), 3),
        hitRate: round(sum(({ hitRateErrPct }) => hitRateErrPct) / found.length),
      },
      unfittedErrPct: {
        ttft: round(Math.abs(assumed.ttft.meanPercent)),
        tpot: round(Math.abs(assumed.tpot.meanPercent)),
      },
      calibrationErrPct: calibrationErrPct === null ? null : round(calibrationErrPct),
      byTrace: Object.fromEntries(found.map(({ name, ...facts }) => [name, facts])),
      traffic: folder === null ? "made up" : "measured",
    };
  },
});

type StudyOptions = { candidates: number; threads: number; say: (text: string) => void };

async function study(trace: BenchTrace, { candidates, threads, say }: StudyOptions) {
  const dataOf = (values: Record<string, KnobValue[]>): EvaluatorData => ({
    ...WINDOW,
    present: trace.present,
    values,
    traffic: trace.traffic,
    limits: trace.limits,
    // The preset's range is narrower than these prompts: what is compared here is the search, not the machine.
    ignoreSupport: true,
  });
  const large = await search(dataOf(SPACE), { candidates, threads });
  say(`${trace.name}: ${large.configs} settings in ${large.seconds.toFixed(1)} s`);
  const regretPct = await measureRegret(dataOf(SMALL), threads);
  const hitRates = predictHitRate(trace, large.best.question.point, dataOf(SPACE));
  say(
    `${trace.name}: regret ${regretPct.toFixed(3)}%, hit rate ${hitRates.predicted.toFixed(4)} predicted, ${hitRates.later.toFixed(4)} later`,
  );
  return {
    name: trace.name,
    configs: large.configs,
    evaluations: large.evaluations,
    seconds: round(large.seconds),
    savedPct: round(100 * (1 - costOf(large.best.score, OBJECTIVE) / costOf(large.present.score, OBJECTIVE))),
    regretPct: round(regretPct, 3),
    hitRate: { predicted: round(hitRates.predicted, 4), later: round(hitRates.later, 4) },
    hitRateErrPct: round(100 * Math.abs(hitRates.predicted / hitRates.later - 1)),
  };
}

async function search(data: EvaluatorData, { candidates, threads }: { candidates: number; threads: number }) {
  const startMs = performance.now();
  const url = new URL("./evaluate.worker.js", import.meta.url);
  const pool = createThreadPool<Question, Score>({ url, threads, workerData: data });
  try {
    const searched = createSearch(createSpaceOf(data), { candidates, seed: 1, objective: OBJECTIVE });
    await driveSearch(searched, (questions) => pool.run(questions));
    const [best, present] = [searched.best(), searched.present()];
    if (best === null || present === null) throw new Error("the search asked nothing");
    const { points, evaluations } = searched.progress();
    return { best, present, configs: points, evaluations, seconds: (performance.now() - startMs) / 1_000 };
  } finally {
    await pool.close();
  }
}

/** How much more the choice costs than the best of all points of a small space, on the window that it is chosen on. */
async function measureRegret(data: EvaluatorData, threads: number): Promise<number> {
  const space = createSpaceOf(data);
  const { best } = await search(data, { candidates: Math.ceil(listPoints(space).length / 2), threads });
  const url = new URL("./evaluate.worker.js", import.meta.url);
  const pool = createThreadPool<Question, Score>({ url, threads, workerData: data });
  try {
    const scores = await pool.run(listPoints(space).map((point) => ({ point, share: 1 })));
    const exhaustive = scores.reduce((least, one) => (compareScores(one, least, OBJECTIVE) < 0 ? one : least));
    if (best.score.violation > exhaustive.violation) return Number.POSITIVE_INFINITY;
    return 100 * (costOf(best.score, OBJECTIVE) / costOf(exhaustive, OBJECTIVE) - 1);
  } finally {
    await pool.close();
  }
}

function predictHitRate({ traffic }: BenchTrace, point: Point, data: EvaluatorData) {
  const settings = writePoint(createSpaceOf(data), point);
  const rateOn = (from: number, to: number, warmUp: number): number => {
    const evaluation = evaluate(settings, cutWindow(traffic, from, to, warmUp), { blocks: 1, ignoreSupport: true });
    if (!isServable(evaluation)) throw new Error(evaluation.unservable);
    const { hitTokens, promptTokens } = sumBlocks(evaluation.blocks);
    return hitTokens / promptTokens;
  };
  return { predicted: rateOn(WINDOW.from, WINDOW.to, WINDOW.warmUp), later: rateOn(WINDOW.to, 1, WINDOW.warmUp) };
}
