/**
 * One import of histories: files through the readers, spans to a collector, outcomes to whoever keeps them, then what local
 * clones add. What is remembered is written only after what it says was acknowledged, every few seconds and at the end.
 */
import type { HistoryReceipt } from "@centspan/histories";
import type { Outcome } from "@centspan/model";
import { type FoundFile, type FoundHistories, sumBytes } from "./find-histories.ts";
import { describeWork, type WorkFound } from "./git/describe-work.ts";
import { createRepositoryFinder, nameGoneFolder } from "./git/find-repository.ts";
import { type ImportState, importHistories } from "./import-histories.ts";
import { type LocalState, writeState } from "./import-state.ts";
import { createSeenWork, type SeenWork } from "./seen-work.ts";
import { createSpanSending, type SpanTarget } from "./send-spans.ts";

/** Nobody who is at work leaves a history alone for so long. */
const IDLE_MS = 300_000;
const SAVE_EVERY_MS = 5_000;

export type ImportTarget = {
  spans: SpanTarget;
  /** Repeating it changes nothing. */
  storeOutcomes(outcomes: readonly Outcome[]): Promise<void>;
};

export type RunOptions = {
  home: string;
  state: LocalState;
  statePath: string;
  /** Null for a dry run: everything is read, nothing is sent or remembered. */
  target: ImportTarget | null;
  team?: string | undefined;
  keepsContent?: boolean;
  nowMs: number;
  onProgress(progress: { bytes: number; totalBytes: number; calls: number }): void;
  /** Work begins that is no reading of files. */
  onStep(text: string): void;
  signal: AbortSignal;
};

export type ImportReport = {
  receipt: HistoryReceipt;
  /** Files that had not changed since the last time. */
  unchanged: number;
  unreadable: { path: string; reason: string }[];
  sent: { spans: number; refused: number; reason: string; outcomes: number };
  repositories: WorkFound["repositories"];
  interrupted: boolean;
  seen: SeenWork;
};

export async function runImport(found: FoundHistories, options: RunOptions): Promise<ImportReport> {
  const { state, target, signal } = options;
  const findRepository = createRepositoryFinder(options.home);
  const seen = createSeenWork(state.seen);
  const delivery = createDelivery(target, signal);
  const totalBytes = sumBytes(found.files);
  let bytes = 0;
  let calls = 0;
  let savedAt = performance.now();
  const told = new Set(state.told);

  const save = async (imported: ImportState): Promise<void> => {
    await delivery.settle();
    if (target !== null)
      writeState(options.statePath, { ...state, import: imported, seen: seen.save(), told: [...told] });
    savedAt = performance.now();
  };
  const result = await importHistories(found.files, {
    state: state.import,
    keepsContent: options.keepsContent ?? false,
    placeOf(cwd) {
      const repository = findRepository(cwd);
      const gone = repository === null ? nameGoneFolder(cwd) : "";
      if (repository === null) return gone === "" ? null : { repositoryUrl: "", repository: gone };
      return { repositoryUrl: repository.url, repository: repository.name };
    },
    ...(options.team !== undefined && { attributes: { "centspan.team.id": options.team } }),
    isIdle: (file) => isIdle(file, options.nowMs),
    async onBatch(batch) {
      for (const event of batch.events) {
        seen.note(event);
        if (event.kind === "call") calls += 1;
      }
      await delivery.add(batch);
    },
    async onFileDone(_file, takeState) {
      if (performance.now() - savedAt > SAVE_EVERY_MS) await save(takeState());
    },
    onProgress(read) {
      bytes += read;
      options.onProgress({ bytes, totalBytes, calls });
    },
    signal,
  });
  await save(result.state);
  const work = signal.aborted ? null : await tellWork(seen.save(), told, findRepository, options);
  if (work !== null) {
    await delivery.add(work);
    await save(result.state);
  }
  return {
    receipt: result.receipt,
    unchanged: result.unchanged,
    unreadable: [...found.unreadable, ...result.unreadable],
    sent: delivery.counts(),
    repositories: work?.repositories ?? [],
    interrupted: signal.aborted,
    seen: seen.save(),
  };
}

const isIdle = ({ modifiedMs }: FoundFile, nowMs: number): boolean => nowMs - modifiedMs > IDLE_MS;

/** What was not told before. */
async function tellWork(
  seen: SeenWork,
  told: Set<string>,
  findRepository: ReturnType<typeof createRepositoryFinder>,
  { onStep }: RunOptions,
): Promise<WorkFound> {
  onStep("asking the local git repositories what became of the work");
  const work = await describeWork(seen, findRepository);
  const spans = work.spans.filter(({ spanId }) => !told.has(spanId));
  const outcomes = work.outcomes.filter(({ outcomeId }) => !told.has(outcomeId));
  for (const { spanId } of spans) told.add(spanId);
  for (const { outcomeId } of outcomes) told.add(outcomeId);
  return { ...work, spans, outcomes };
}

type Delivered = Pick<WorkFound, "spans" | "outcomes">;

function createDelivery(target: ImportTarget | null, signal: AbortSignal) {
  const sending = target && createSpanSending(target.spans, signal);
  let waiting: Outcome[] = [];
  let outcomes = 0;
  return {
    async add({ spans, outcomes: found }: Delivered): Promise<void> {
      waiting.push(...found);
      await sending?.add(spans);
    },
    /** Resolves when all that was added is acknowledged. */
    async settle(): Promise<void> {
      await sending?.flush();
      if (waiting.length > 0) await target?.storeOutcomes(waiting);
      outcomes += waiting.length;
      waiting = [];
    },
    counts() {
      const { sent = 0, refused = 0, reason = "" } = sending?.counts() ?? {};
      return { spans: sent, refused, reason, outcomes };
    },
  };
}
