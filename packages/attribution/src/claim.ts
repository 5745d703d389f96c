/** One observer's report of a call, from a span or from a log record. Claims with one call id are one call. */
import { deriveId } from "@centspan/base";
import type { Recognised, UsageReading } from "@centspan/dialects";
import {
  type Buckets,
  type Call,
  type CallIdentity,
  type CallLayout,
  EMPTY_BUCKETS,
  type SpanRecord,
} from "@centspan/model";
import type { CallFacts } from "./read-call-facts.ts";

export type Claim = {
  call: Call;
  /** What it is known by besides its place: the ids of its response and of its request. */
  ids: readonly string[];
  flags: readonly string[];
  /** The other reading of ambiguous counts. */
  alternative: Buckets | null;
  /** Null for a log record. */
  span: SpanRecord | null;
};

/** The same response has the same id whoever reports it, so that a later and better report replaces an earlier one. */
export const callIdOfResponse = (responseId: string): string => deriveId("call", "response", responseId);
export const callIdOfSpan = ({ traceId, spanId }: Pick<SpanRecord, "traceId" | "spanId">): string =>
  deriveId("call", "span", traceId, spanId);

export const callIdOf = (span: SpanRecord, { responseId }: CallFacts): string =>
  responseId === "" ? callIdOfSpan(span) : callIdOfResponse(responseId);

export const knownIds = ({ responseId, requestId }: CallFacts): string[] => [
  ...new Set([responseId, requestId].filter((id) => id !== "")),
];

type Place = Pick<Call, "callId" | "traceId" | "spanId" | "atNs" | "durationNs" | "source">;

/**
 * A call as one claim tells of it. Member by member: objects put together by spreading this many are dictionaries to the
 * engine, which take twice the memory and ten times as long.
 */
export const createCall = (
  place: Place,
  identity: CallIdentity & Pick<Call, "provenance">,
  facts: CallFacts,
  { dialect, layout }: Recognised<CallLayout>,
  reading: UsageReading | null,
): Call => ({
  callId: place.callId,
  traceId: place.traceId,
  spanId: place.spanId,
  atNs: place.atNs,
  durationNs: place.durationNs,
  source: place.source,
  keyId: identity.keyId,
  key: identity.key,
  team: identity.team,
  task: identity.task,
  taskType: identity.taskType,
  runId: identity.runId,
  sessionId: identity.sessionId,
  role: identity.role,
  repository: identity.repository,
  harnessVersion: identity.harnessVersion,
  provenance: identity.provenance,
  provider: facts.provider,
  model: facts.model,
  effort: facts.effort,
  serviceTier: facts.serviceTier,
  region: facts.region,
  responseId: facts.responseId,
  ttftMs: facts.ttftMs,
  providedCostUsd: facts.providedCostUsd,
  dialect: dialect.id,
  inputSemantics: reading?.inputSemantics ?? (layout.inputIncludesCached ? "inclusive" : "exclusive"),
  requests: 1,
  buckets: reading?.buckets ?? EMPTY_BUCKETS,
  quarantineReason: findReason(place.atNs, reading),
});

/** 2020-01-01. Nobody sold tokens before; who says so has a clock that begins at 0, and its month would never be closed. */
const FIRST_TOKEN_NS = 1_577_836_800_000_000_000n;

function findReason(atNs: bigint, reading: UsageReading | null): string {
  if (reading === null) return "usage_missing";
  if (reading.quarantineReason !== "") return reading.quarantineReason;
  return atNs < FIRST_TOKEN_NS ? "clock_wrong" : "";
}

export const promptTokens = ({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Buckets): number =>
  input + cacheRead + cacheWrite5m + cacheWrite1h;
export const outputTokens = ({ outputText, outputReasoning }: Buckets): number => outputText + outputReasoning;
