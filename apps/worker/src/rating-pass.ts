/**
 * One pass of rating: units with news → calls → ledger → watermark. Repeating any of it changes nothing, so a pass
 * that fails half-way is simply run again. What can be rated in line is, in order of receipt; then one unit of the
 * backlog, a trace by a step. A unit that can't be rated is kept as unrated, tried again, and does not hold up the others; a
 * store that is away ends the pass.
 */
import { CentspanError } from "@centspan/base";
import type {
  JobStore,
  Ledger,
  RetentionPolicies,
  UnratedUnits,
  UsageChange,
  UsageFeed,
  UsageUnit,
} from "@centspan/model";
import { type Backlog, countRecords, createBacklog } from "./backlog.ts";
import { type Claims, createClaims } from "./claims.ts";
import { type LargeTrace, startLargeTrace } from "./large-trace.ts";
import { type PlannedUnit, planUnits } from "./plan-units.ts";
import { type RatingContext, type RatingRules, rateTogether } from "./rate-together.ts";
import { findUsageHorizons } from "./retention.ts";

export const RATING_JOB = "rating";

/**
 * The feed says how far all there is can be seen. Now and then a pass looks back nevertheless: a store of several
 * machines has several clocks.
 */
const OVERLAP_NS = 120_000_000_000n;
const LOOK_BACK_EVERY_NS = 60_000_000_000n;
/** What is read and written at once: enough that the questions cost little beside their answers. */
const BATCH = { units: 500, records: 50_000 };
const CLAIMED_RESPONSES = 50_000;
/** So many units in a row that a store does not take, though it answers, are the store's fault and not theirs. */
const MOST_REFUSALS = 3;

type RatingStores = {
  feed: UsageFeed & { ping(): Promise<void> };
  ledger: Ledger;
  jobs: JobStore;
  policies: Pick<RetentionPolicies, "listRetention">;
  unrated: UnratedUnits;
};

/** What a process remembers between passes. Losing it costs work, never correctness. */
type RatingState = {
  /** Everything received before this instant is rated or in the backlog; null until the store was asked. */
  watermarkNs: bigint | null;
  /** Everything received before this instant is rated; what a restart begins with. */
  ratedThroughNs: bigint | null;
  lookedBackAtNs: bigint | null;
  /** What was rated or put aside since the overlap began, as it looked, by when it was received. */
  seen: Map<string, bigint>;
  backlog: Backlog;
  /** By name, what is kept as unrated; null until the store was asked. */
  unrated: Set<string> | null;
  /** Of the backlog, what is in work. */
  inWork: LargeTrace | null;
  claims: Claims;
  /** Units that failed by a deadline since one was last rated. */
  refusals: number;
};

export const createRatingState = (nowMs = () => performance.now()): RatingState => ({
  watermarkNs: null,
  ratedThroughNs: null,
  lookedBackAtNs: null,
  seen: new Map(),
  backlog: createBacklog(nowMs),
  unrated: null,
  inWork: null,
  claims: createClaims(CLAIMED_RESPONSES),
  refusals: 0,
});

/** `postponed`: the store answers, but not in time or not to this; otherwise it can't be rated as it is. */
export type RatingFault = { workspace: string; unit: UsageUnit; error: unknown; postponed: boolean };
type RatingResult = { units: number; calls: number; faults: RatingFault[] };

/** Faults are reported at once, those that are known already excepted; all are in the result. */
export async function runRatingPass(
  stores: RatingStores,
  state: RatingState,
  rules: RatingRules,
  report: (fault: RatingFault) => void = () => {},
): Promise<RatingResult> {
  const startNs = state.watermarkNs ?? (await stores.jobs.readJob(RATING_JOB))?.watermarkNs ?? 0n;
  state.watermarkNs = startNs;
  state.ratedThroughNs ??= startNs;
  state.unrated ??= await resumeUnrated(stores.unrated, state.backlog);
  const looksBack = state.lookedBackAtNs === null || startNs - state.lookedBackAtNs >= LOOK_BACK_EVERY_NS;
  const sinceNs = looksBack ? startNs - OVERLAP_NS : startNs;
  const { asOfNs, changes } = await stores.feed.listChangedUsage(sinceNs > 0n ? sinceNs : 0n);
  const news = changes.filter((change) => !state.seen.has(keyOf(change)));
  const { inLine, due } = state.backlog.part(planUnits([...news, ...state.backlog.listChanges()]));
  markSeen(state, state.backlog.listChanges());

  const result: RatingResult = { units: 0, calls: 0, faults: [] };
  const horizons =
    inLine.length + due.length > 0
      ? findUsageHorizons(await stores.policies.listRetention(), asOfNs)
      : new Map<string, bigint>();
  const covered = new Set<string>();
  const run: RatingRun = { stores, state, rules, horizons, covered, result, report };
  for (const batch of splitIntoBatches(inLine)) {
    await rateBatch(run, batch);
    markSeen(
      state,
      batch.flatMap((planned) => planned.changes),
    );
    // Not past what can be seen whole, whatever can be seen already.
    const doneNs = batch.at(-1)?.receivedAtNs ?? startNs;
    await advance(stores.jobs, state, doneNs < asOfNs ? doneNs : asOfNs);
  }
  await rateApart(run, due);
  await advance(stores.jobs, state, asOfNs);
  if (looksBack) state.lookedBackAtNs = state.watermarkNs;
  forgetOld(state);
  return result;
}

/** What could not be rated is due after each start: the rules may be others now. */
async function resumeUnrated(store: UnratedUnits, backlog: Backlog): Promise<Set<string>> {
  const units = await store.listUnratedUnits();
  backlog.resume(
    units.map(({ workspace, unit, receivedAtNs }) => ({
      workspace,
      unit,
      appearance: "unrated",
      receivedAtNs,
      records: 0,
    })),
  );
  return new Set(units.map(nameOf));
}

function splitIntoBatches(plan: readonly PlannedUnit[]): PlannedUnit[][] {
  const batches: PlannedUnit[][] = [];
  let room = { units: 0, records: 0 };
  for (const planned of plan) {
    const records = countRecords(planned);
    if (room.units < 1 || room.records < records) {
      room = { ...BATCH };
      batches.push([]);
    }
    batches.at(-1)?.push(planned);
    room.units -= 1;
    room.records -= records;
  }
  return batches;
}

function byWorkspace(batch: readonly PlannedUnit[]): Map<string, PlannedUnit[]> {
  const groups = new Map<string, PlannedUnit[]>();
  for (const planned of batch) groups.set(planned.workspace, [...(groups.get(planned.workspace) ?? []), planned]);
  return groups;
}

/** What waits in the backlog is not rated, and a restart must find it again. */
async function advance(jobs: JobStore, state: RatingState, toNs: bigint): Promise<void> {
  if (state.watermarkNs === null || toNs > state.watermarkNs) state.watermarkNs = toNs;
  const waitingNs = state.backlog.sinceNs();
  const doneNs = waitingNs !== null && waitingNs < state.watermarkNs ? waitingNs : state.watermarkNs;
  if (state.ratedThroughNs !== null && doneNs <= state.ratedThroughNs) return;
  await jobs.writeJob(RATING_JOB, doneNs);
  state.ratedThroughNs = doneNs;
}

type RatingRun = {
  stores: RatingStores;
  state: RatingState;
  rules: RatingRules;
  /** By workspace: calls before that are not questioned, as the spans that they were derived from may be deleted. */
  horizons: ReadonlyMap<string, bigint>;
  /** Traces that were rated whole with a session. */
  covered: Set<string>;
  result: RatingResult;
  report(fault: RatingFault): void;
};

async function rateBatch(run: RatingRun, batch: readonly PlannedUnit[]): Promise<void> {
  const { covered, result } = run;
  const open = batch.filter((planned) => !covered.has(nameOf(planned)));
  for (const planned of batch) if (!open.includes(planned)) await finish(run, planned, { records: 0, tookMs: 0 });
  for (const [workspace, units] of byWorkspace(open)) {
    await rateUnits(run, workspace, units);
    result.units += units.length;
  }
}

/**
 * Where units can't be rated together, they are one by one, so that the fault is found and the others are not held up
 * by it.
 */
async function rateUnits(run: RatingRun, workspace: string, units: readonly PlannedUnit[]): Promise<void> {
  const { stores, state, covered, result } = run;
  const startedAtMs = performance.now();
  try {
    const rated = await rateTogether(
      contextOf(run, workspace),
      units.map(({ unit }) => unit),
    );
    const tookMs = performance.now() - startedAtMs;
    for (const [index, planned] of units.entries())
      await finish(run, planned, { records: rated.records[index] ?? 0, tookMs });
    for (const traceId of rated.traceIds) covered.add(nameOf({ workspace, unit: { kind: "trace", traceId } }));
    result.calls += rated.calls;
    state.refusals = 0;
    return;
  } catch (error) {
    const [first, ...others] = units;
    if (!first) throw error;
    if (others.length === 0) return await giveUp(run, first, error);
    // One that is away need not be asked about each.
    if (isUnavailable(error)) await stores.feed.ping();
  }
  for (const planned of units) await rateUnits(run, workspace, [planned]);
}

/**
 * A session goes in one go, since what else is rated would cross it: its traces are their own units. Nothing crosses a
 * trace in work but a session that covers it, and with it what the work is for.
 */
async function rateApart(run: RatingRun, due: readonly PlannedUnit[]): Promise<void> {
  const { state, covered, result } = run;
  const [next] = due;
  if (state.inWork === null && next) {
    if (next.unit.kind === "session" || covered.has(nameOf(next))) return await rateBatch(run, [next]);
    state.backlog.begin(next);
    state.inWork = startLargeTrace(contextOf(run, next.workspace), next);
  }
  if (state.inWork === null) return;
  const work = state.inWork;
  try {
    if (covered.has(nameOf(work.planned))) {
      state.inWork = null;
      return await finish(run, work.planned, { records: 0, tookMs: 0 });
    }
    const { did, calls } = await work.step();
    result.calls += calls;
    if (did === "nothing") return;
    result.units += 1;
    if (did === "part") return;
    state.inWork = null;
    state.refusals = 0;
    await finish(run, work.planned, { records: work.records(), tookMs: work.tookMs() });
  } catch (error) {
    state.inWork = null;
    state.backlog.abandon(work.planned);
    await giveUp(run, work.planned, error);
  }
}

const contextOf = ({ stores, state, rules, horizons }: RatingRun, workspace: string): RatingContext => ({
  ...stores,
  claims: state.claims,
  rules,
  workspace,
  keptFromNs: horizons.get(workspace) ?? 0n,
});

async function finish({ stores, state }: RatingRun, planned: PlannedUnit, cost: { records: number; tookMs: number }) {
  for (const { workspace, unit } of planned.changes) {
    const name = nameOf({ workspace, unit });
    if (!state.unrated?.has(name)) continue;
    await stores.unrated.forgetUnratedUnit(workspace, unit);
    state.unrated.delete(name);
  }
  state.backlog.finish(planned, cost);
}

async function giveUp({ stores, state, result, report }: RatingRun, planned: PlannedUnit, error: unknown) {
  const postponed = isUnavailable(error);
  // Rejects when the store is away: then it is not about this unit.
  if (postponed) await stores.feed.ping();
  const isNews = postponed || (await keepUnrated(stores.unrated, state, planned, error));
  state.backlog.postpone(planned, !postponed);
  markSeen(state, planned.changes);
  if (postponed) state.refusals += 1;
  const fault = { workspace: planned.workspace, unit: planned.unit, error, postponed };
  result.faults.push(fault);
  if (isNews) report(fault);
  if (postponed && state.refusals >= MOST_REFUSALS) throw error;
}

/** Whether it was not known as unrated before. */
async function keepUnrated(store: UnratedUnits, { unrated }: RatingState, planned: PlannedUnit, error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  // Later ones take the place of earlier ones.
  const newest = planned.changes.toSorted((a, b) => (a.receivedAtNs < b.receivedAtNs ? -1 : 1));
  const byName = new Map(newest.map((change) => [nameOf(change), change]));
  const news = [...byName.keys()].filter((name) => !unrated?.has(name));
  for (const [name, { workspace, unit, receivedAtNs }] of byName) {
    await store.keepUnratedUnit({ workspace, unit, message, receivedAtNs });
    unrated?.add(name);
  }
  return news.length > 0;
}

const isUnavailable = (error: unknown): boolean => error instanceof CentspanError && error.code === "store_unavailable";

function markSeen({ seen }: RatingState, changes: readonly UsageChange[]): void {
  for (const change of changes) seen.set(keyOf(change), change.receivedAtNs);
}

/** What the feed will not list again unless it changes need not be remembered. */
function forgetOld(state: RatingState): void {
  const horizon = (state.watermarkNs ?? 0n) - OVERLAP_NS;
  for (const [key, receivedAtNs] of state.seen) if (receivedAtNs < horizon) state.seen.delete(key);
}

const nameOf = ({ workspace, unit }: Pick<PlannedUnit, "workspace" | "unit">): string =>
  unit.kind === "trace"
    ? JSON.stringify([workspace, unit.traceId])
    : JSON.stringify([workspace, unit.sessionId, unit.fromNs.toString(), unit.toNs.toString()]);

const keyOf = ({ workspace, unit, appearance }: UsageChange): string => `${nameOf({ workspace, unit })} ${appearance}`;
