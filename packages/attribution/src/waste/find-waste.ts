/**
 * What a run paid for twice. Causes come in order of rank, and each is worth what it changes: the price of what earlier
 * causes leave of a call, less the price of what this one would leave. So items of a call never add up to more than it cost,
 * and what all of them take of a run's time is no more than it took.
 */
import { type Decimal, deriveId, sumDecimals, ZERO } from "@centspan/base";
import type {
  Buckets,
  Call,
  RatedCall,
  RunFacts,
  WasteCause,
  WasteFinding,
  WasteItem,
  WasteNeed,
  WatchedCall,
} from "@centspan/model";
import { wasteCauses } from "../registry.gen.ts";
import { secondsOf } from "./attributes.ts";
import { watchRun } from "./watch-run.ts";

/** What a call costs; null where nothing prices it. */
export type PriceOf = (call: Call) => Decimal | null;

const IN_ORDER: readonly WasteCause[] = [...wasteCauses].sort((a, b) => a.rank - b.rank);

export function findWaste(facts: RunFacts, priceOf: PriceOf): WasteItem[] {
  const run = watchRun(facts);
  const left = new Map<WatchedCall, Left>();
  let secondsLeft = secondsOf(spanOf(facts));
  const items: WasteItem[] = [];
  for (const cause of IN_ORDER) {
    for (const finding of cause.find(run)) {
      const costUsd = takeCost(left, finding, priceOf);
      const seconds = Math.min(finding.seconds, secondsLeft);
      if (costUsd.eq(ZERO) && seconds <= 0) continue;
      secondsLeft -= seconds;
      items.push(toItem(cause, finding, costUsd, seconds));
    }
  }
  return items;
}

/** Of a call: the counts that are not taken yet, what repairs of it need, and what both cost. */
type Left = { buckets: Buckets; needsUsd: Decimal; costUsd: Decimal | null };

function takeCost(left: Map<WatchedCall, Left>, { at, repair, needs }: WasteFinding, priceOf: PriceOf): Decimal {
  if (repair === undefined) return ZERO;
  const before = left.get(at) ?? {
    buckets: at.call.buckets,
    needsUsd: ZERO,
    costUsd: priceAtMost(at.call, priceOf),
  };
  const buckets = repair(before.buckets);
  const repaired = priceOf({ ...at.call, buckets });
  if (before.costUsd === null || repaired === null) return ZERO;
  // A call that is not made needs nothing.
  const needsUsd = repaired.eq(ZERO)
    ? ZERO
    : sumDecimals([before.needsUsd, ...(needs ?? []).map((need) => priceNeed(need, priceOf))]);
  const costUsd = repaired.plus(needsUsd);
  if (costUsd.gt(before.costUsd)) return ZERO;
  left.set(at, { buckets, needsUsd, costUsd });
  return before.costUsd.minus(costUsd);
}

/** What the other call would have cost more; nothing where nobody says. */
function priceNeed({ at: { call }, repair }: WasteNeed, priceOf: PriceOf): Decimal {
  const [asIs, asNeeded] = [priceOf(call), priceOf({ ...call, buckets: repair(call.buckets) })];
  return asIs === null || asNeeded === null || asNeeded.lt(asIs) ? ZERO : asNeeded.minus(asIs);
}

/** No more than the ledger says, whatever it was priced by. */
function priceAtMost(call: RatedCall, priceOf: PriceOf): Decimal | null {
  const costUsd = priceOf(call);
  return costUsd !== null && call.costUsd !== null && costUsd.gt(call.costUsd) ? call.costUsd : costUsd;
}

const toItem = (
  cause: WasteCause,
  { at, confidence, evidence }: WasteFinding,
  costUsd: Decimal,
  seconds: number,
): WasteItem => ({
  ...whoseOf(at.call),
  itemId: deriveId("waste", cause.id, at.call.callId),
  cause: cause.id,
  layer: cause.layer,
  kind: cause.kind,
  costUsd,
  seconds,
  confidence,
  evidence,
  provenance: at.call.provenance === "measured" ? "derived" : at.call.provenance,
});

const whoseOf = (call: RatedCall) => ({
  callId: call.callId,
  runId: call.runId,
  traceId: call.traceId,
  spanId: call.spanId,
  atNs: call.atNs,
  keyId: call.keyId,
  key: call.key,
  team: call.team,
  task: call.task,
  taskType: call.taskType,
  repository: call.repository,
  provider: call.provider,
  model: call.model,
});

/** From its first call or span to the end of its last. */
function spanOf({ calls, spans }: RunFacts): { startedAtNs: bigint; endedAtNs: bigint } {
  const times = calls.map(({ atNs, durationNs }) => ({ startedAtNs: atNs, endedAtNs: atNs + durationNs }));
  const [first = { startedAtNs: 0n, endedAtNs: 0n }, ...others] = [...times, ...spans];
  let { startedAtNs, endedAtNs } = first;
  for (const other of others) {
    if (other.startedAtNs < startedAtNs) startedAtNs = other.startedAtNs;
    if (other.endedAtNs > endedAtNs) endedAtNs = other.endedAtNs;
  }
  return { startedAtNs, endedAtNs };
}
