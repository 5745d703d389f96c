/**
 * One pass of rating: units with news → calls → ledger → watermark. Repeating any of it changes nothing, so a pass
 * that fails half-way is simply run again. A unit that can't be rated is reported and does not hold up the others;
 * a store that is away ends the pass.
 */
import { type DeriveOptions, deriveReports } from "@centspan/attribution";
import { CentspanError } from "@centspan/base";
import type {
  Call,
  JobStore,
  Ledger,
  RateCard,
  RetentionPolicies,
  Usage,
  UsageChange,
  UsageFeed,
  UsageUnit,
} from "@centspan/model";
import { rateCall } from "@centspan/pricing";
import { type Claims, createClaims } from "./claims.ts";
import { type PlannedUnit, planUnits } from "./plan-units.ts";
import { findUsageHorizons } from "./retention.ts";

export const RATING_JOB = "rating";

/**
 * The feed says how far all there is can be seen. Now and then a pass looks back nevertheless: a store of several
 * machines has several clocks.
 */
const OVERLAP_NS = 120_000_000_000n;
const LOOK_BACK_EVERY_NS = 60_000_000_000n;
/** What is read and written at once: enough that the questions cost little beside their answers. */
const BATCH = { units: 100, records: 50_000 };
const CLAIMED_RESPONSES = 50_000;

type RatingStores = {
  feed: UsageFeed;
  ledger: Ledger;
  jobs: JobStore;
  policies: Pick<RetentionPolicies, "listRetention">;
};
type RatingRules = { cards: readonly RateCard[]; ratingRunId: string } & DeriveOptions;

/** What a process remembers between passes. Losing it costs work, never correctness. */
type RatingState = {
  /** Everything received before this instant is rated; null until the store was asked. */
  watermarkNs: bigint | null;
  lookedBackAtNs: bigint | null;
  /** What was rated since the overlap began, as it looked, by when it was received. */
  rated: Map<string, bigint>;
  claims: Claims;
};

export const createRatingState = (): RatingState => ({
  watermarkNs: null,
  lookedBackAtNs: null,
  rated: new Map(),
  claims: createClaims(CLAIMED_RESPONSES),
});

export type RatingFault = { workspace: string; unit: UsageUnit; error: unknown };
type RatingResult = { units: number; calls: number; faults: RatingFault[] };

export async function runRatingPass(
  stores: RatingStores,
  state: RatingState,
  rules: RatingRules,
): Promise<RatingResult> {
  const startNs = state.watermarkNs ?? (await stores.jobs.readJob(RATING_JOB))?.watermarkNs ?? 0n;
  state.watermarkNs = startNs;
  const looksBack = state.lookedBackAtNs === null || startNs - state.lookedBackAtNs >= LOOK_BACK_EVERY_NS;
  const sinceNs = looksBack ? startNs - OVERLAP_NS : startNs;
  const { asOfNs, changes } = await stores.feed.listChangedUsage(sinceNs > 0n ? sinceNs : 0n);
  const plan = planUnits(changes.filter((change) => !state.rated.has(keyOf(change))));

  const result: RatingResult = { units: 0, calls: 0, faults: [] };
  const horizons =
    plan.length > 0 ? findUsageHorizons(await stores.policies.listRetention(), asOfNs) : new Map<string, bigint>();
  const covered = new Set<string>();
  for (const batch of splitIntoBatches(plan)) {
    const open = batch.filter((planned) => !covered.has(nameOf(planned)));
    for (const [workspace, units] of byWorkspace(open)) {
      const usages = await stores.feed.readUsage(workspace, units);
      const read = units.flatMap((unit, index) => ({ unit, usage: usages[index] ?? NO_USAGE }));
      const context = { ledger: stores.ledger, claims: state.claims, rules, workspace };
      const keptFromNs = horizons.get(workspace) ?? 0n;
      result.calls += await rateUnits({ ...context, keptFromNs }, read, result.faults);
      result.units += units.length;
      for (const traceId of usages.flatMap(({ traceIds }) => traceIds))
        covered.add(nameOf({ workspace, unit: { kind: "trace", traceId } }));
    }
    for (const change of batch.flatMap(({ changes: ofUnit }) => ofUnit))
      state.rated.set(keyOf(change), change.receivedAtNs);
    // Not past what can be seen whole, whatever can be seen already.
    const doneNs = batch.at(-1)?.receivedAtNs ?? startNs;
    await advance(stores.jobs, state, doneNs < asOfNs ? doneNs : asOfNs);
  }
  await advance(stores.jobs, state, asOfNs);
  if (looksBack) state.lookedBackAtNs = state.watermarkNs;
  forgetOld(state);
  return result;
}

function splitIntoBatches(plan: readonly PlannedUnit[]): PlannedUnit[][] {
  const batches: PlannedUnit[][] = [];
  let room = { units: 0, records: 0 };
  for (const planned of plan) {
    const records = planned.changes.reduce((sum, change) => sum + change.records, 0);
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

function byWorkspace(batch: readonly PlannedUnit[]): Map<string, UsageUnit[]> {
  const groups = new Map<string, UsageUnit[]>();
  for (const { workspace, unit } of batch) groups.set(workspace, [...(groups.get(workspace) ?? []), unit]);
  return groups;
}

async function advance(jobs: JobStore, state: RatingState, toNs: bigint): Promise<void> {
  if (state.watermarkNs !== null && toNs <= state.watermarkNs) return;
  await jobs.writeJob(RATING_JOB, toNs);
  state.watermarkNs = toNs;
}

type ReadUnit = { unit: UsageUnit; usage: Usage };
type RatingContext = {
  ledger: Ledger;
  claims: Claims;
  rules: RatingRules;
  workspace: string;
  /** Calls before that are not questioned: the spans that they were derived from may be deleted. */
  keptFromNs: bigint;
};

const NO_USAGE: Usage = { traceIds: [], spans: [], logs: [], wholeWithin: null };

/**
 * Resolves with the number of calls. Where a batch can't be rated, its units are one by one, so that the fault is found
 * and the others are not held up by it.
 */
async function rateUnits(context: RatingContext, units: readonly ReadUnit[], faults: RatingFault[]): Promise<number> {
  try {
    return await rateTogether(context, units);
  } catch (error) {
    if (error instanceof CentspanError && error.code === "store_unavailable") throw error;
    const [first, ...others] = units;
    if (!first) throw error;
    if (others.length === 0) {
      faults.push({ workspace: context.workspace, unit: first.unit, error });
      return 0;
    }
  }
  let calls = 0;
  for (const unit of units) calls += await rateUnits(context, [unit], faults);
  return calls;
}

/**
 * Calls that a trace had before and no longer has were a parent's sum, whose children have come since, or a record's
 * that turned out to be about a span: they are taken back.
 */
async function rateTogether(
  { ledger, claims, rules, workspace, keptFromNs }: RatingContext,
  units: readonly ReadUnit[],
): Promise<number> {
  const derived = units.map(({ usage }) => {
    const { calls, replaced } = deriveReports(usage, rules);
    return { calls: calls.filter((call) => call.traceId !== "" || isWhole(usage, call)), replaced };
  });
  const reported = derived.flatMap(({ calls }) => calls);
  const stored = await ledger.readCalls(workspace, claims.listUnheard(workspace, reported));
  const calls = claims
    .settle(workspace, reported, stored)
    .map((call) => rateCall(call, rules.cards, rules.ratingRunId));
  const traceIds = new Set(units.flatMap(({ usage }) => usage.traceIds));
  const before = await ledger.listCallIds(workspace, [...traceIds], keptFromNs);
  const gone = new Set([...before, ...derived.flatMap(({ replaced }) => replaced)]);
  for (const { callId } of calls) gone.delete(callId);
  if (calls.length > 0) await ledger.insertCalls(workspace, calls);
  if (gone.size > 0) await ledger.withdrawCalls(workspace, [...gone]);
  return calls.length;
}

/** Whether all is here that a record outside of traces could belong to: if it belongs to nothing, it is a call. */
const isWhole = ({ wholeWithin }: Usage, { atNs }: Call): boolean =>
  wholeWithin !== null && atNs >= wholeWithin.fromNs && atNs <= wholeWithin.toNs;

/** What the feed will not list again unless it changes need not be remembered. */
function forgetOld(state: RatingState): void {
  const horizon = (state.watermarkNs ?? 0n) - OVERLAP_NS;
  for (const [key, receivedAtNs] of state.rated) if (receivedAtNs < horizon) state.rated.delete(key);
}

const nameOf = ({ workspace, unit }: Pick<PlannedUnit, "workspace" | "unit">): string =>
  unit.kind === "trace"
    ? JSON.stringify([workspace, unit.traceId])
    : JSON.stringify([workspace, unit.sessionId, unit.fromNs.toString(), unit.toNs.toString()]);

const keyOf = ({ workspace, unit, appearance }: UsageChange): string => `${nameOf({ workspace, unit })} ${appearance}`;
