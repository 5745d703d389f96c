/** The worker without its process: its loops over open stores, and the server that says how fresh the ratings are. */
import { CentspanError, type Clock, formatInstant } from "@centspan/base";
import {
  type BudgetAccounts,
  type DailyCosts,
  type EngineTimeReader,
  type FinishedRunStore,
  type JobStore,
  type Ledger,
  type OutcomeLinkStore,
  type OutcomeSettings,
  type PeriodStore,
  type PriceTermsStore,
  type RateCard,
  type RecommendationStore,
  type RetentionPolicies,
  type RetentionStore,
  type StudyQueue,
  type TraceSummaries,
  type UnratedUnits,
  type UsageFeed,
  type WasteStore,
  WISH_JOB,
  type WorkspaceEnds,
  type WorkspaceRows,
} from "@centspan/model";
import { validatePriceBook } from "@centspan/pricing";
import { createServer } from "@centspan/service";
import { runCompletionPass } from "./completion-pass.ts";
import { createLinkState, runLinkPass } from "./link-pass.ts";
import { createPriceBooks } from "./price-books.ts";
import { createRatingState, type RatingFault, runRatingPass } from "./rating-pass.ts";
import { forgetOldBudgets, runRetentionPass } from "./retention.ts";
import { type Loop, startLoop } from "./run-loop.ts";
import type { StudyStores } from "./studies/run-study.ts";
import { createStudyPass } from "./studies/study-pass.ts";
import { createSummaryState, runSummaryPass } from "./summary-pass.ts";
import { createWasteState, runWastePass } from "./waste-pass.ts";

const INTERVAL_MS = 500;
const MAX_PAUSE_MS = 5_000;
const WISH_INTERVAL_MS = 250;
const RETENTION_INTERVAL_MS = 3_600_000;

type WorkerOptions = {
  warehouse: UsageFeed &
    Ledger &
    DailyCosts &
    TraceSummaries &
    RetentionStore &
    Pick<WorkspaceRows, "deleteWorkspaceRows"> &
    OutcomeLinkStore &
    WasteStore &
    FinishedRunStore &
    EngineTimeReader & { ping(): Promise<void> };
  control: JobStore &
    StudyQueue &
    RecommendationStore &
    UnratedUnits &
    RetentionPolicies &
    Pick<WorkspaceEnds, "listDeletedWorkspaces" | "purgeWorkspace"> &
    PriceTermsStore &
    Pick<OutcomeSettings, "listAllCompletionRules"> &
    Pick<BudgetAccounts, "forgetBudgetAccounts"> &
    Pick<PeriodStore, "readTimeZone"> & { ping(): Promise<void> };
  clock: Clock;
  cards: readonly RateCard[];
  /** Threads that studies simulate on, and the advice that they are asked for. */
  studies: { threads: number; readAdvice: StudyStores["readAdvice"] };
  /** One line for the operator. */
  say(text: string): void;
};

export function createWorker({
  warehouse,
  control,
  clock,
  cards,
  studies: { threads, readAdvice },
  say,
}: WorkerOptions) {
  validatePriceBook({ cards, contracts: [], exchangeRates: [] });
  const state = createRatingState();
  const summaries = createSummaryState();
  const links = createLinkState();
  const waste = createWasteState();
  const readPrices = createPriceBooks(cards, control);
  const stores = { feed: warehouse, ledger: warehouse, jobs: control, policies: control, unrated: control };
  const loops: Loop[] = [
    startLoop({
      async pass() {
        const { units } = await runRatingPass(stores, state, { readPrices }, (fault) => say(describeFault(fault)));
        return units > 0;
      },
      intervalMs: INTERVAL_MS,
      maxPauseMs: MAX_PAUSE_MS,
      say: (text) => say(`rating ${text}`),
    }),
    startLoop({
      async pass() {
        await runSummaryPass({ summaries: warehouse, jobs: control }, summaries);
        return false;
      },
      intervalMs: INTERVAL_MS,
      maxPauseMs: MAX_PAUSE_MS,
      // Lists may be a little behind; under load the store has better things to do than to sum up growing traces.
      rest: 3,
      say: (text) => say(`summarising ${text}`),
    }),
    startLoop({
      async pass() {
        await runWastePass({ waste: warehouse, jobs: control, readPrices }, waste);
        return false;
      },
      intervalMs: INTERVAL_MS,
      maxPauseMs: MAX_PAUSE_MS,
      // A run that goes on is read again and again.
      rest: 3,
      say: (text) => say(`finding waste ${text}`),
    }),
    startLoop({
      async pass() {
        await warehouse.refreshDailyCosts(clock.nowNs(), (workspace) => findTimeZone(control, workspace));
        return false;
      },
      intervalMs: INTERVAL_MS,
      maxPauseMs: MAX_PAUSE_MS,
      // Calls may come late for a long while, and each makes its day be summed up again.
      rest: 9,
      say: (text) => say(`summing up days ${text}`),
    }),
    startLoop({
      async pass() {
        await runCompletionPass({ store: warehouse, settings: control, jobs: control });
        await runLinkPass({ links: warehouse, jobs: control }, links);
        return false;
      },
      intervalMs: INTERVAL_MS,
      maxPauseMs: MAX_PAUSE_MS,
      // A workspace with news is looked at as a whole.
      rest: 9,
      say: (text) => say(`linking outcomes ${text}`),
    }),
    startLoop({
      async pass() {
        const deleted = await runRetentionPass({ policies: control, store: warehouse }, clock.nowNs());
        for (const { workspace, signal, rows } of deleted)
          say(`deleted ${rows} records of ${signal} of workspace ${workspace}, which keeps them no longer`);
        for (const workspace of await control.listDeletedWorkspaces()) {
          await warehouse.deleteWorkspaceRows(workspace);
          await control.purgeWorkspace(workspace);
          say(`deleted all of workspace ${workspace}`);
        }
        const accounts = await forgetOldBudgets(control, clock.nowNs());
        if (accounts > 0) say(`deleted ${accounts} accounts of budgets, of periods that are long over`);
        return false;
      },
      intervalMs: RETENTION_INTERVAL_MS,
      maxPauseMs: MAX_PAUSE_MS,
      say: (text) => say(`deleting what is kept no longer ${text}`),
    }),
  ];

  let wishedNs = 0n;
  const wishes = startLoop({
    async pass() {
      const { watermarkNs } = (await control.readJob(WISH_JOB)) ?? { watermarkNs: 0n };
      if (watermarkNs > wishedNs) for (const loop of loops) loop.hurry();
      wishedNs = watermarkNs;
      return false;
    },
    intervalMs: WISH_INTERVAL_MS,
    maxPauseMs: MAX_PAUSE_MS,
    say: (text) => say(`looking for who waits ${text}`),
  });
  const studies = createStudyPass({ queue: control, stores: { warehouse, control, readAdvice }, threads });
  // Apart from the others: who waits for figures does not wait for a study.
  const studying = startLoop({
    pass: studies.run,
    intervalMs: INTERVAL_MS,
    maxPauseMs: MAX_PAUSE_MS,
    say: (text) => say(`studying ${text}`),
  });

  const app = createServer({ bodyLimitBytes: 1024 });
  app.get("/health", async (_request, reply) => {
    const ratedThrough = state.ratedThroughNs === null ? null : formatInstant(state.ratedThroughNs);
    const pings = { clickhouse: warehouse.ping(), postgres: control.ping() };
    const results = await Promise.allSettled(Object.values(pings));
    const away = Object.keys(pings).filter((_name, index) => results[index]?.status === "rejected");
    const failing = away.length > 0 || [...loops, studying].some((loop) => loop.failure() !== null);
    return failing
      ? reply.code(503).send({ status: "unavailable", away, ratedThrough })
      : { status: "ok", ratedThrough };
  });
  return {
    app,
    async stop(): Promise<void> {
      studies.stop();
      await Promise.all([...[...loops, wishes, studying].map((loop) => loop.stop()), app.close()]);
    },
  };
}

/** Null for a workspace that the control plane does not know. */
const findTimeZone = (control: Pick<PeriodStore, "readTimeZone">, workspace: string): Promise<string | null> =>
  control.readTimeZone(workspace).catch((error: unknown) => {
    if (error instanceof CentspanError && error.code === "not_found") return null;
    throw error;
  });

function describeFault({ workspace, unit, error, postponed }: RatingFault): string {
  const what = `${unit.kind === "trace" ? `trace ${unit.traceId}` : `session ${unit.sessionId}`} of workspace ${workspace}`;
  if (!postponed) {
    const why = error instanceof Error ? error.stack : String(error);
    return `${what} can't be rated, and is tried again; until then its calls are in no figure: ${why}`;
  }
  const cause = error instanceof Error ? error.cause : error;
  return `${what} is not rated yet, and tried again later, as the store did not take it: ${cause instanceof Error ? cause.message : String(cause)}`;
}
