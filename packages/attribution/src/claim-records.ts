/**
 * Log records → claims. A record without a response id is known by what it says and when: the same record sent again,
 * in whatever batch, is the same call. It has no length, since it is written when its call is over.
 */
import { deriveId } from "@centspan/base";
import {
  createReader,
  type Recognised,
  readFirstTokenMs,
  readModelFacts,
  readUsage,
  recogniseRecord,
} from "@centspan/dialects";
import type { LogLayout, LogRecord } from "@centspan/model";
import { type Claim, callIdOfResponse, createCall, knownIds } from "./claim.ts";
import { createIdentityReader, type IdentityReader } from "./read-identity.ts";
import { type Sliced, visitSliced } from "./slices.ts";
import type { SpanForest } from "./span-forest.ts";

export type RecordClaim = Claim & { record: LogRecord; spoken: Recognised<LogLayout> };

/** The id of the call that a record alone would be. */
export function callIdOfRecord(record: LogRecord): string {
  const attributes = Object.entries(record.attributes).sort(([a], [b]) => (a < b ? -1 : 1));
  const context = [record.traceId, record.spanId].map((id) => id.toLowerCase());
  return deriveId("call", "record", record.atNs.toString(), ...context, record.service, JSON.stringify(attributes));
}

/** In order of time, then of id: independent of the order of arrival. */
export function* claimRecords(forest: SpanForest, records: readonly LogRecord[]): Sliced<RecordClaim[]> {
  const claims = new Map<string, RecordClaim>();
  const readIdentity = createIdentityReader();
  yield* visitSliced(records, (record) => {
    const claim = claimRecord(forest, readIdentity, record);
    if (claim) claims.set(callIdOfRecord(record), claim);
  });
  return [...claims]
    .sort(([idA, a], [idB, b]) => compare(a.call.atNs, b.call.atNs) || compare(idA, idB))
    .map(([, claim]) => claim);
}

function claimRecord(forest: SpanForest, readIdentity: IdentityReader, record: LogRecord): RecordClaim | null {
  const spoken = recogniseRecord(record);
  const read = createReader(record.attributes);
  const reading = spoken && readUsage(read, spoken.layout);
  if (!spoken || !reading) return null;
  const facts = { ...readModelFacts(read, spoken), ttftMs: readFirstTokenMs(read, spoken, null) };
  const around = forest.find(record.traceId, record.spanId);
  const above = around ? [around, ...forest.ancestors(around)] : [];
  const resource = { attributes: record.resourceAttributes, trusted: false };
  return {
    call: createCall(
      {
        callId: facts.responseId === "" ? callIdOfRecord(record) : callIdOfResponse(facts.responseId),
        traceId: record.traceId.toLowerCase(),
        spanId: record.spanId.toLowerCase(),
        atNs: record.atNs,
        durationNs: 0n,
        source: "client",
      },
      readIdentity({ attributes: record.attributes, trusted: false }, [...above, resource], facts),
      facts,
      spoken,
      reading,
    ),
    ids: knownIds(facts),
    flags: reading.flags,
    alternative: reading.alternativeBuckets,
    span: null,
    record,
    spoken,
  };
}

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
