/**
 * One pass of rating: traces with news → calls → ledger → watermark. Repeating any of it changes nothing, so a pass
 * that fails half-way is simply run again. A trace that can't be rated is reported and does not hold up the others;
 * a store that is away ends the pass.
 */
import { type DeriveOptions, deriveCalls } from "@centspan/attribution";
import { CentspanError } from "@centspan/base";
import type { ChangedTrace, JobStore, Ledger, RateCard, RatedCall, UsageFeed } from "@centspan/model";
import { rateCall } from "@centspan/pricing";
import { type Claims, createClaims } from "./claims.ts";

export const RATING_JOB = "rating";

/** Rows show up to their insert's deadline of 30 s after they were received; the rest is for clocks that disagree. */
const OVERLAP_NS = 120_000_000_000n;
const TRACES_AT_ONCE = 8;
const CALLS_PER_PAGE = 1000;
const CLAIMED_RESPONSES = 50_000;

type RatingStores = { feed: UsageFeed; ledger: Ledger; jobs: JobStore };
type RatingRules = { cards: readonly RateCard[]; ratingRunId: string } & DeriveOptions;

/** What a process remembers between passes. Losing it costs work, never correctness. */
type RatingState = {
  /** Every span received before this instant is rated; null until the store was asked. */
  watermarkNs: bigint | null;
  /** Traces rated since the overlap began, with what they looked like. */
  rated: Map<string, { seen: string; receivedAtNs: bigint }>;
  claims: Claims;
};

export const createRatingState = (): RatingState => ({
  watermarkNs: null,
  rated: new Map(),
  claims: createClaims(CLAIMED_RESPONSES),
});

export type RatingFault = { workspace: string; traceId: string; error: unknown };
type RatingResult = { traces: number; calls: number; faults: RatingFault[] };

export async function runRatingPass(
  stores: RatingStores,
  state: RatingState,
  rules: RatingRules,
): Promise<RatingResult> {
  const startNs = state.watermarkNs ?? (await stores.jobs.readJob(RATING_JOB))?.watermarkNs ?? 0n;
  state.watermarkNs = startNs;
  const sinceNs = startNs > OVERLAP_NS ? startNs - OVERLAP_NS : 0n;
  const { asOfNs, traces } = await stores.feed.listChangedTraces(sinceNs);
  const news = traces
    .filter((trace) => state.rated.get(keyOf(trace))?.seen !== appearanceOf(trace))
    .sort((a, b) => (a.receivedAtNs < b.receivedAtNs ? -1 : a.receivedAtNs > b.receivedAtNs ? 1 : 0));

  const result: RatingResult = { traces: 0, calls: 0, faults: [] };
  for (let start = 0; start < news.length; start += TRACES_AT_ONCE) {
    const chunk = news.slice(start, start + TRACES_AT_ONCE);
    await rateChunk(stores, state, rules, chunk, result);
    for (const trace of chunk)
      state.rated.set(keyOf(trace), { seen: appearanceOf(trace), receivedAtNs: trace.receivedAtNs });
    await advance(stores.jobs, state, chunk.at(-1)?.receivedAtNs ?? startNs);
  }
  await advance(stores.jobs, state, asOfNs);
  forgetOld(state);
  return result;
}

async function advance(jobs: JobStore, state: RatingState, toNs: bigint): Promise<void> {
  if (state.watermarkNs !== null && toNs <= state.watermarkNs) return;
  await jobs.writeJob(RATING_JOB, toNs);
  state.watermarkNs = toNs;
}

async function rateChunk(
  stores: RatingStores,
  state: RatingState,
  rules: RatingRules,
  chunk: readonly ChangedTrace[],
  result: RatingResult,
): Promise<void> {
  const rated = await Promise.all(
    chunk.map(async (trace) => {
      const spans = await stores.feed.readUsageSpans(trace.workspace, trace.traceId);
      return { trace, spans };
    }),
  );
  for (const { trace, spans } of rated) {
    try {
      const derived = deriveCalls(spans, rules);
      const unheard = state.claims.listUnheard(trace.workspace, derived);
      const stored = await stores.ledger.readCalls(trace.workspace, unheard);
      const settled = state.claims.settle(trace.workspace, trace.traceId, derived, stored);
      const calls = settled.map((call) => rateCall(call, rules.cards, rules.ratingRunId));
      await storeTrace(stores.ledger, trace, calls);
      result.calls += calls.length;
    } catch (error) {
      if (error instanceof CentspanError && error.code === "store_unavailable") throw error;
      result.faults.push({ workspace: trace.workspace, traceId: trace.traceId, error });
    }
    result.traces += 1;
  }
}

/** Calls that the trace had before and no longer has were a parent's sum: its children have come since. */
async function storeTrace(ledger: Ledger, trace: ChangedTrace, calls: readonly RatedCall[]): Promise<void> {
  const stillThere = new Set(calls.map(({ callId }) => callId));
  const gone: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Ledger["listCalls"]>> = await ledger.listCalls(
      trace.workspace,
      { traceId: trace.traceId },
      { limit: CALLS_PER_PAGE, cursor },
    );
    gone.push(...page.data.map(({ callId }) => callId).filter((callId) => !stillThere.has(callId)));
    cursor = page.nextCursor;
  } while (cursor !== null);
  if (calls.length > 0) await ledger.insertCalls(trace.workspace, calls);
  if (gone.length > 0) await ledger.withdrawCalls(trace.workspace, gone);
}

/** What the feed will not list again unless it changes need not be remembered. */
function forgetOld(state: RatingState): void {
  const horizon = (state.watermarkNs ?? 0n) - OVERLAP_NS;
  for (const [key, { receivedAtNs }] of state.rated) if (receivedAtNs < horizon) state.rated.delete(key);
}

const keyOf = ({ workspace, traceId }: ChangedTrace): string => JSON.stringify([workspace, traceId]);

const appearanceOf = ({ spans, receivedAtNs }: ChangedTrace): string => `${spans} ${receivedAtNs}`;
