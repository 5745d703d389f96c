/** The worker without its process: its loops over open stores, and the server that says how fresh the ratings are. */
import { type Clock, formatInstant } from "@centspan/base";
import type {
  JobStore,
  Ledger,
  PriceTermsStore,
  RateCard,
  RetentionPolicies,
  RetentionStore,
  TraceSummaries,
  UsageFeed,
} from "@centspan/model";
import { validatePriceBook } from "@centspan/pricing";
import { createServer } from "@centspan/service";
import { createPriceBooks } from "./price-books.ts";
import { createRatingState, type RatingFault, runRatingPass } from "./rating-pass.ts";
import { runRetentionPass } from "./retention.ts";
import { startLoop } from "./run-loop.ts";
import { createSummaryState, runSummaryPass } from "./summary-pass.ts";

const INTERVAL_MS = 500;
const MAX_PAUSE_MS = 5_000;
const RETENTION_INTERVAL_MS = 3_600_000;

type WorkerOptions = {
  warehouse: UsageFeed & Ledger & TraceSummaries & RetentionStore & { ping(): Promise<void> };
  control: JobStore & RetentionPolicies & PriceTermsStore & { ping(): Promise<void> };
  clock: Clock;
  cards: readonly RateCard[];
  gatewayServices: readonly string[];
  /** One line for the operator. */
  say(text: string): void;
};

export function createWorker({ warehouse, control, clock, cards, gatewayServices, say }: WorkerOptions) {
  validatePriceBook({ cards, contracts: [], exchangeRates: [] });
  const state = createRatingState();
  const summaries = createSummaryState();
  const readPrices = createPriceBooks(cards, control);
  const stores = { feed: warehouse, ledger: warehouse, jobs: control, policies: control };
  const loops = [
    startLoop({
      async pass() {
        const rules = { readPrices, gatewayServices };
        const { units } = await runRatingPass(stores, state, rules, (fault) => say(describeFault(fault)));
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
        const deleted = await runRetentionPass({ policies: control, store: warehouse }, clock.nowNs());
        for (const { workspace, signal, rows } of deleted)
          say(`deleted ${rows} records of ${signal} of workspace ${workspace}, which keeps them no longer`);
        return false;
      },
      intervalMs: RETENTION_INTERVAL_MS,
      maxPauseMs: MAX_PAUSE_MS,
      say: (text) => say(`deleting what is kept no longer ${text}`),
    }),
  ];

  const app = createServer({ bodyLimitBytes: 1024 });
  app.get("/health", async (_request, reply) => {
    const ratedThrough = state.ratedThroughNs === null ? null : formatInstant(state.ratedThroughNs);
    const pings = { clickhouse: warehouse.ping(), postgres: control.ping() };
    const results = await Promise.allSettled(Object.values(pings));
    const away = Object.keys(pings).filter((_name, index) => results[index]?.status === "rejected");
    const failing = away.length > 0 || loops.some((loop) => loop.failure() !== null);
    return failing
      ? reply.code(503).send({ status: "unavailable", away, ratedThrough })
      : { status: "ok", ratedThrough };
  });
  return {
    app,
    async stop(): Promise<void> {
      await Promise.all([...loops.map((loop) => loop.stop()), app.close()]);
    },
  };
}

function describeFault({ workspace, unit, error, postponed }: RatingFault): string {
  const what = `${unit.kind === "trace" ? `trace ${unit.traceId}` : `session ${unit.sessionId}`} of workspace ${workspace}`;
  if (!postponed) return `${what} can't be rated: ${error instanceof Error ? error.stack : String(error)}`;
  const cause = error instanceof Error ? error.cause : error;
  return `${what} is not rated yet, and tried again later, as the store did not take it: ${cause instanceof Error ? cause.message : String(cause)}`;
}
