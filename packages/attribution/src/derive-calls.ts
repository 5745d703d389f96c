/**
 * Spans and log records → calls, each counted once: who reports a call (claim-spans, claim-records), which reports are
 * of one call (join-records, and equal response ids), and what it then is (merge-calls). The order of delivery does
 * not matter. The rules and their reasons: shared vectors' README, "Which spans and records are calls".
 */
import type { Buckets, Call, LogRecord, SpanRecord } from "@centspan/model";
import type { Claim } from "./claim.ts";
import { callIdOfRecord, claimRecords } from "./claim-records.ts";
import { claimSpans, hasUsage } from "./claim-spans.ts";
import { joinRecords } from "./join-records.ts";
import { mergeByResponse } from "./merge-calls.ts";
import { noteRollups, type RollupNote } from "./note-rollups.ts";
import { buildForest } from "./span-forest.ts";

/** Of one or several traces, and the records that may be about their calls. */
export type UsageSignals = { spans: readonly SpanRecord[]; logs?: readonly LogRecord[] };

export type DeriveOptions = {
  /** `service.name` of the operator's own gateways: their word on a response is stronger than a client's. */
  gatewayServices?: readonly string[];
};

/** Why a span was not billed, or what is remarkable about the call that was. */
type CallNote =
  | { kind: "not_billed"; traceId: string; spanId: string; reason: "rollup" | "duplicate_export" | "same_response" }
  | { kind: "flag"; callId: string; flag: string }
  | { kind: "alternative"; callId: string; buckets: Buckets }
  | RollupNote;

type DerivedCalls = { calls: Call[]; notes: CallNote[] };

/** In order of their start. */
export const deriveCalls = (signals: UsageSignals, options: DeriveOptions = {}): Call[] =>
  deriveCallsWithNotes(signals, options).calls;

export function deriveCallsWithNotes(
  { spans, logs = [] }: UsageSignals,
  { gatewayServices = [] }: DeriveOptions = {},
): DerivedCalls {
  const forest = buildForest(spans);
  const records = claimRecords(forest, logs);
  const recorded = new Set(records.flatMap(({ call }) => forest.find(call.traceId, call.spanId) ?? []));
  const { claims: spanClaims, rollups } = claimSpans(forest, recorded, gatewayServices);
  const claims = joinRecords(forest, spanClaims, records);
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

/**
 * Ids of calls that were derived from records alone and are none of these: more is known by now, so that they are to
 * be taken back. A call known by its response keeps its id whatever else becomes known.
 */
export function listReplacedCalls(logs: readonly LogRecord[], calls: readonly Call[]): string[] {
  const current = new Set(calls.map(({ callId }) => callId));
  return [...new Set(logs.map(callIdOfRecord))].filter((callId) => !current.has(callId));
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
