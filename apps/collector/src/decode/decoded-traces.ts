/**
 * What a body decodes to, whichever encoding it had: the good spans, and how many were refused and why.
 * Both readers fill the same raw span and go through `finishSpan`, so a rule about spans is written once.
 * Invariant: what comes out of here no store refuses; a bad span refuses itself, never its neighbours.
 */
import { normaliseHexId } from "@centspan/base";
import { SPAN_KINDS, SPAN_STATUSES, type SpanEvent, type SpanLink, type SpanRecord } from "@centspan/model";

/** A value that can't be read; `path` names it relative to what was being read. */
export class BadValue extends Error {
  readonly path: string;
  constructor(path: string, problem: string) {
    super(problem);
    this.path = path;
  }
}

/** Runs a reader of a member, putting that member's name before the path of what it complains about. */
export function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof BadValue) throw new BadValue(joinPath(path, thrown.path), thrown.message);
    throw thrown;
  }
}

const joinPath = (head: string, tail: string): string =>
  tail === "" ? head : tail.startsWith("[") ? `${head}${tail}` : `${head}.${tail}`;

/** A span as read, ids in hex of whatever length they had. */
export type RawSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startNs: bigint;
  endNs: bigint;
  statusCode: number;
  statusMessage: string;
  attributes: Record<string, string>;
  events: SpanEvent[];
  links: SpanLink[];
};

export const createRawSpan = (): RawSpan => ({
  traceId: "",
  spanId: "",
  parentSpanId: "",
  name: "",
  kind: 0,
  startNs: 0n,
  endNs: 0n,
  statusCode: 0,
  statusMessage: "",
  attributes: {},
  events: [],
  links: [],
});

/** Latest instant that fits 64 signed bits of nanoseconds: the year 2262. */
const MAX_INSTANT_NS = 2n ** 63n - 1n;

function checkId(id: string, path: string, bytes: 8 | 16): string {
  const hex = normaliseHexId(id, bytes);
  if (hex === null) throw new BadValue(path, `must be ${bytes} bytes, not all zero`);
  return hex;
}

/** Absent and all-zero ids mean "none". */
const checkOptionalId = (id: string, path: string, bytes: 8 | 16): string =>
  /^0*$/.test(id) && (id.length === 0 || id.length === bytes * 2) ? "" : checkId(id, path, bytes);

function checkInstant(ns: bigint, path: string): bigint {
  if (ns < 0n || ns > MAX_INSTANT_NS) throw new BadValue(path, "must be nanoseconds between 1970 and 2262");
  return ns;
}

/** Numbers that this version of the protocol doesn't define read as "not specified": enums are open. */
const kindOf = (kind: number): SpanRecord["kind"] => SPAN_KINDS[kind] ?? "unspecified";
const statusOf = (code: number): SpanRecord["status"] => SPAN_STATUSES[code] ?? "unset";

export function finishSpan(raw: RawSpan, resourceAttributes: Record<string, string>, scopeName: string): SpanRecord {
  return {
    traceId: checkId(raw.traceId, "traceId", 16),
    spanId: checkId(raw.spanId, "spanId", 8),
    parentSpanId: checkOptionalId(raw.parentSpanId, "parentSpanId", 8),
    name: raw.name,
    kind: kindOf(raw.kind),
    service: resourceAttributes["service.name"] ?? "",
    startedAtNs: checkInstant(raw.startNs, "startTimeUnixNano"),
    endedAtNs: checkInstant(raw.endNs, "endTimeUnixNano"),
    status: statusOf(raw.statusCode),
    statusMessage: raw.statusMessage,
    attributes: raw.attributes,
    resourceAttributes,
    scopeName,
    events: raw.events.map((event, i) => ({ ...event, atNs: checkInstant(event.atNs, `events[${i}].timeUnixNano`) })),
    links: raw.links.map((link, i) => ({
      traceId: checkOptionalId(link.traceId, `links[${i}].traceId`, 16),
      spanId: checkOptionalId(link.spanId, `links[${i}].spanId`, 8),
      attributes: link.attributes,
    })),
  };
}

export type DecodedTraces = {
  spans: SpanRecord[];
  rejected: number;
  /** The first few reasons, each naming the span and the field. */
  reasons: string[];
};

const MAX_REASONS = 5;

export type Collection = DecodedTraces & {
  /** Adds the span that `read` returns; a BadValue of it, or `problem`, refuses that one span. */
  add(path: string, problem: BadValue | null, read: () => SpanRecord): void;
};

export function createCollection(): Collection {
  const collection: Collection = {
    spans: [],
    rejected: 0,
    reasons: [],
    add(path, problem, read) {
      try {
        if (problem) throw problem;
        collection.spans.push(within(path, read));
      } catch (thrown) {
        if (!(thrown instanceof BadValue)) throw thrown;
        collection.rejected += 1;
        if (collection.reasons.length < MAX_REASONS) collection.reasons.push(describeBadValue(thrown));
      }
    },
  };
  return collection;
}

export const describeBadValue = ({ path, message }: BadValue): string =>
  path === "" ? message : `${path}: ${message}`;

/** What the spans of a resource or scope share; `problem` is set when it can't be read, and then refuses each of them. */
export type Shared<T> = { value: T; problem: BadValue | null };

export function readShared<T>(path: string, fallback: T, read: () => T): Shared<T> {
  try {
    return { value: within(path, read), problem: null };
  } catch (thrown) {
    if (thrown instanceof BadValue) return { value: fallback, problem: thrown };
    throw thrown;
  }
}

/** The sentence a sender reads when some of its spans were refused. */
export function describeRejections(traces: DecodedTraces): string {
  if (traces.rejected === 0) return "";
  const more = traces.rejected - traces.reasons.length;
  return [...traces.reasons, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
