/** What to do about each reason for which a record, a request or a call was not taken. Codes without an entry show as they are. */
import { ERRORS } from "@centspan/base";
import type { RejectionCode } from "@centspan/ingest";

const OF_RECORDS: Record<RejectionCode, string> = {
  invalid_id: "trace ids must be 16 bytes and span ids 8, not all zero; hex text in JSON",
  invalid_time: "times must be nanoseconds since 1970 that a signed 64-bit integer holds",
  invalid_text: "text must be valid UTF-8; something was cut in the middle of a character or is binary",
  invalid_value: "a field has a value of another type or out of range; the sender's log has its name",
  too_deep: "attribute values are nested too deeply; send them flat, or as JSON text",
  malformed: "the protobuf breaks off or is another message; look for a proxy that alters bodies, or a wrong path",
};

const OF_CALLS: Record<string, string> = {
  usage_partial:
    "the answer was cut off, and only the beginning of its usage was reported; the provider bills what it had generated",
  usage_missing:
    "the model answered but no usage was reported; streamed chat completions need stream_options.include_usage",
  invalid_count: "a token count is no whole number; look at the attributes of the span",
  negative_count: "a token count is below zero; look at the attributes of the span",
  reasoning_exceeds_output:
    "more reasoning than output was reported; the emitter may leave reasoning out of its output",
  hour_writes_exceed_writes: "more cache writes for an hour than cache writes; look at the attributes of the span",
  audio_tokens_unmetered: "audio tokens have no price here yet, so the call is not priced as if they were text",
  clock_wrong: "the call says that it was made before 2020; set the clock of the machine that sent it",
  total_mismatch: "the total differs from the sum of the parts; look at the attributes of the span",
};

/** What the collector answers a request with for itself, without HTTP being asked for anything better. */
const OF_REQUESTS: Record<string, string> = {
  invalid_request: "the body is no OTLP export request; check protocol (protobuf, JSON, gRPC) and path of the sender",
  unauthenticated: "send `Authorization: Bearer cs_ingest_…`; `npx centspan keys create NAME --kind ingest` makes one",
  forbidden: "use a key of kind ingest",
  payload_too_large: "make the sender's batches smaller",
  unsupported_media_type: "set the exporter to http/protobuf, http/json or grpc",
};

const lookUp = (table: Record<string, string>, code: string): string | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined;

export const remedyOfRecord = (code: string): string => lookUp(OF_RECORDS, code) ?? "see the log of the sender";
export const remedyOfCall = (reason: string): string =>
  lookUp(OF_CALLS, reason) ?? "look at the attributes of the span";

const remedies = Object.fromEntries(Object.entries(ERRORS).map(([code, { remedy }]) => [code, remedy]));
export const remedyOfRequest = (code: string): string =>
  lookUp(OF_REQUESTS, code) ?? lookUp(remedies, code) ?? "see the log of the sender";
