/**
 * Spans and log records → calls, each counted once: who reports a call (claim-spans, claim-records), which reports are
 * of one call (join-records, and equal response ids), and what it then is (merge-calls). The order of delivery does
 * not matter. The rules and their reasons: shared vectors' README, "Which spans and records are calls".
 */
import type { Buckets, Call, LogRecord, SpanRecord } from "@centspan/model";
import type { Claim } from "./claim.ts";
import { claimRecords } from "./claim-records.ts";
import { claimSpans, hasUsage } from "./claim-spans.ts";
import { groupBy } from "./group-by.ts";
import { joinRecords } from "./join-records.ts";
import { mergeByResponse } from "./merge-calls.ts";
import { noteRollups, type RollupNote } from "./note-rollups.ts";
import { runAtOnce, type Sliced, visitSliced } from "./slices.ts";
import { buildForest } from "./span-forest.ts";

/** Of one or several traces, and the records that may be about their calls. */
export type UsageSignals = { spans: readonly SpanRecord[]; logs?: readonly LogRecord[] };

/** Why a span was not billed, or what is remarkable about the call that was. */
type CallNote =
  | { kind: "not_billed"; traceId: string; spanId: string; reason: "rollup" | "duplicate_export" | "same_response" }
  | { kind: "flag"; callId: string; flag: string }
  | { kind: "alternative"; callId: string; buckets: Buckets }
  | RollupNote;

type DerivedCalls = { calls: Call[]; notes: CallNote[] };

/** In order of their start. */
export const deriveCalls = (signals: UsageSignals): Call[] => deriveCallsWithNotes(signals).calls;

/**
 * In slices, for whoever reads signals in parts, and may read many: what each trace says of each call, to be merged with what others say of it; a
 * record that stands in no trace and belongs to no span speaks for itself, with an empty trace id. `replaced` are ids
 * under which records would have been calls, had nothing else been known.
 */
export function* deriveReports(signals: UsageSignals): Sliced<{ calls: Call[]; replaced: string[] }> {
  const { claims, records } = yield* collectClaims(signals);
  const byTrace = groupBy(claims, ({ call }) => call.traceId);
  const calls: Call[] = [];
  for (const ofTrace of byTrace.values()) {
    const byId = groupBy(ofTrace, ({ call }) => call.callId);
    yield* visitSliced(byId.values(), (group) => {
      for (const { call } of mergeByResponse(group.map((claim) => claim.call))) calls.push(call);
    });
  }
  const replaced = new Set(records.map(({ call }) => call.callId));
  for (const { callId } of calls) replaced.delete(callId);
  return { calls: calls.sort(compareCalls), replaced: [...replaced] };
}

function* collectClaims({ spans, logs = [] }: UsageSignals) {
  const forest = yield* buildForest(spans);
  const records = yield* claimRecords(forest, logs);
  const recorded = new Set(records.flatMap(({ call }) => forest.find(call.traceId, call.spanId) ?? []));
  const { claims, rollups } = yield* claimSpans(forest, recorded);
  return { forest, records, rollups, claims: yield* joinRecords(forest, claims, records) };
}

export function deriveCallsWithNotes(signals: UsageSignals): DerivedCalls {
  const { forest, rollups, claims } = runAtOnce(collectClaims(signals));
  const claimOf = new Map(claims.map((claim) => [claim.call, claim]));
  const merged = mergeByResponse(claims.map(({ call }) => call).sort(compareCalls));
  const calls = merged.map(({ call }) => call).sort(compareCalls);
  const notes: CallNote[] = [
    ...rollups.map(({ span }) => notBilled(span, "rollup")),
    ...forest.duplicates.filter(hasUsage).map((span) => notBilled(span, "duplicate_export")),
    ...merged.flatMap(({ call, winner, losers }) => [
      ...losers
        .flatMap((loser) => claimOf.get(loser)?.span ?? [])
        .filter(({ traceId, spanId }) => traceId !== call.traceId || spanId !== call.spanId)
        .map((span) => notBilled(span, "same_response")),
      ...noteReading(call.callId, claimOf.get(winner)),
    ]),
    ...noteRollups(forest, rollups, calls),
  ];
  return { calls, notes };
}

const compareCalls = (a: Call, b: Call): number =>
  a.atNs !== b.atNs ? (a.atNs < b.atNs ? -1 : 1) : a.callId < b.callId ? -1 : 1;

const notBilled = (
  { traceId, spanId }: Pick<SpanRecord, "traceId" | "spanId">,
  reason: "rollup" | "duplicate_export" | "same_response",
): CallNote => ({ kind: "not_billed", traceId, spanId, reason });

function noteReading(callId: string, claim: Claim | undefined): CallNote[] {
  if (!claim) return [];
  const notes = claim.flags.map((flag): CallNote => ({ kind: "flag", callId, flag }));
  if (claim.alternative) notes.push({ kind: "alternative", callId, buckets: claim.alternative });
  return notes;
}
