/**
 * Which claims tell of one call: a log record belongs to the span whose response or request it names, else to the span
 * in whose context it stands, else to one with the same counts that ended at about its time. Of two records of
 * different events with the same counts in one context, the plainer repeats the richer. Joining only gives claims a
 * common call id; what the call then is, `mergeByResponse` decides.
 */
import type { SpanRecord } from "@centspan/model";
import { type Claim, callIdOfResponse, callIdOfSpan, outputTokens, promptTokens } from "./claim.ts";
import type { RecordClaim } from "./claim-records.ts";
import { groupBy, groupByTime } from "./group-by.ts";
import { type Sliced, visitSliced } from "./slices.ts";
import type { SpanForest } from "./span-forest.ts";

type SpanClaim = Claim & { span: SpanRecord };

const SECOND_NS = 1_000_000_000n;
/** Farther apart than any two instants. */
const LONGEST_NS = 2n ** 64n;
/** Where the context shows that a record is of a call in the same branch of the trace, or two records of one call. */
const NEAR_NS = 5n * SECOND_NS;

export function* joinRecords(
  forest: SpanForest,
  spanClaims: readonly Claim[],
  recordClaims: readonly RecordClaim[],
): Sliced<Claim[]> {
  if (recordClaims.length === 0) return [...spanClaims];
  const spans = spanClaims.filter((claim): claim is SpanClaim => claim.span !== null);
  const leaderOf = yield* findRepeats(recordClaims);
  const leaders = recordClaims.filter((claim) => !leaderOf.has(claim));
  const spanOf = new Map<Claim, Claim>();
  yield* joinByName(spans, recordClaims, spanOf);
  for (const [repeat, leader] of leaderOf) {
    const found = spanOf.get(repeat);
    if (found && !spanOf.has(leader)) spanOf.set(leader, found);
  }
  yield* joinByCounts(forest, spans, leaders, spanOf);
  const headOf = (claim: Claim): Claim => {
    const leader = leaderOf.get(claim) ?? claim;
    return spanOf.get(claim) ?? spanOf.get(leader) ?? leader;
  };
  const joined: Claim[] = [];
  yield* visitSliced(groupBy([...spanClaims, ...recordClaims], headOf), ([head, group]) => {
    joined.push(...shareId(head, group));
  });
  return joined;
}

/**
 * The response's id, where any of the claims knows it; a record is where its span is. A trusted span's response is what that
 * span says, and a call that is known by another span stays that one.
 */
function shareId(head: Claim, group: readonly Claim[]): Claim[] {
  const naming = head.span?.trusted ? [head] : group;
  const responseId = naming.map(({ call }) => call.responseId).find((id) => id !== "") ?? "";
  const isOpen = head.span === null || head.call.callId === callIdOfSpan(head.span);
  const shared = {
    responseId,
    callId: isOpen && responseId !== "" ? callIdOfResponse(responseId) : head.call.callId,
    ...(head.span && { traceId: head.call.traceId, spanId: head.call.spanId }),
  };
  return group.map((claim) => ({ ...claim, call: { ...claim.call, ...shared } }));
}

/** By the ids they share, else by the context that the record names, unless both have ids and they differ. */
function* joinByName(
  spans: readonly SpanClaim[],
  records: readonly RecordClaim[],
  spanOf: Map<Claim, Claim>,
): Sliced<void> {
  const byId = new Map<string, Claim>();
  const byContext = new Map<string, Claim>();
  for (const claim of spans) {
    for (const id of claim.ids) if (!byId.has(id)) byId.set(id, claim);
    byContext.set(contextOf(claim), claim);
  }
  yield* visitSliced(records, (record) => {
    const named = record.ids.map((id) => byId.get(id)).find((claim) => claim !== undefined);
    const around = byContext.get(contextOf(record));
    const found = named ?? (around && areCompatible(around, record) ? around : undefined);
    if (found) spanOf.set(record, found);
  });
}

const contextOf = ({ call: { traceId, spanId } }: Claim): string => `${traceId}/${spanId}`;

const areCompatible = (a: Claim, b: Claim): boolean =>
  a.ids.length === 0 || b.ids.length === 0 || a.ids.some((id) => b.ids.includes(id));

/** One to one, nearest in time first, so that calls with equal counts in quick succession find each its own record. */
function* joinByCounts(
  forest: SpanForest,
  spans: readonly SpanClaim[],
  leaders: readonly RecordClaim[],
  spanOf: Map<Claim, Claim>,
): Sliced<void> {
  const taken = new Set(spanOf.values());
  const free = groupByTime(
    spans.filter((claim) => !taken.has(claim) && claim.call.quarantineReason === ""),
    countsOf,
    ({ span }) => span.endedAtNs,
  );
  const pairs: { record: RecordClaim; claim: SpanClaim; distanceNs: bigint }[] = [];
  yield* visitSliced(leaders, (record) => {
    if (spanOf.has(record)) return;
    const atNs = record.record.atNs;
    for (const claim of free.listWithin(countsOf(record), atNs, farthestOf(record))) {
      const distanceNs = distance(atNs, claim.span.endedAtNs);
      if (distanceNs <= limitFor(forest, record, claim)) pairs.push({ record, claim, distanceNs });
    }
  });
  pairs.sort((a, b) => compare(a.distanceNs, b.distanceNs));
  for (const { record, claim } of pairs) {
    if (spanOf.has(record) || taken.has(claim)) continue;
    spanOf.set(record, claim);
    taken.add(claim);
  }
}

/** No span lies farther from a record that is of its call. */
function farthestOf({ spoken: { layout } }: RecordClaim): bigint {
  const joinsWithinNs = BigInt(layout.joinsWithinS ?? 0) * SECOND_NS;
  return joinsWithinNs > NEAR_NS ? joinsWithinNs : NEAR_NS;
}

const countsOf = ({ call: { buckets } }: Claim): string => `${promptTokens(buckets)} ${outputTokens(buckets)}`;

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);
const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** How far apart a record and a span of one call may be; negative where nothing suggests that they are of one. */
function limitFor(forest: SpanForest, record: RecordClaim, claim: SpanClaim): bigint {
  if (!areCompatible(record, claim)) return -1n;
  const { joinsWithinS } = record.spoken.layout;
  const { sessionId } = record.call;
  if (joinsWithinS !== undefined && sessionId !== "" && sessionId === claim.call.sessionId)
    return BigInt(joinsWithinS) * SECOND_NS;
  const around = forest.find(record.call.traceId, record.call.spanId);
  return around && isInLine(forest, around, claim.span) ? NEAR_NS : -1n;
}

function isInLine(forest: SpanForest, a: SpanRecord, b: SpanRecord): boolean {
  for (const ancestor of forest.ancestors(a)) if (ancestor === b) return true;
  for (const ancestor of forest.ancestors(b)) if (ancestor === a) return true;
  return false;
}

/** For each record that repeats another one: that other one. Of one kind only one can repeat it. */
function* findRepeats(records: readonly RecordClaim[]): Sliced<Map<Claim, RecordClaim>> {
  const leaderOf = new Map<Claim, RecordClaim>();
  const repeated = new Set<string>();
  const precedences = [...new Set(records.map(precedenceOf))].sort((a, b) => b - a);
  const keyOf = (record: RecordClaim, precedence: number, input: number): string =>
    `${precedence} ${placeOf(record)} ${input}`;
  const ownKey = (record: RecordClaim, input: number): string => keyOf(record, precedenceOf(record), input);
  const timeOf = ({ record }: RecordClaim): bigint => record.atNs;
  const byPrompt = groupByTime(records, (record) => ownKey(record, promptTokens(record.call.buckets)), timeOf);
  const byFresh = groupByTime(records, (record) => ownKey(record, record.call.buckets.input), timeOf);
  const findLeader = (record: RecordClaim): RecordClaim | undefined => {
    const farthestNs = record.call.spanId === "" ? NEAR_NS : LONGEST_NS;
    const richer = precedences.filter((precedence) => precedence > precedenceOf(record));
    const candidates = [byPrompt, byFresh].flatMap((groups) =>
      richer.flatMap((precedence) =>
        groups.listWithin(keyOf(record, precedence, promptTokens(record.call.buckets)), timeOf(record), farthestNs),
      ),
    );
    return candidates
      .filter((other) => repeats(record, other) && !leaderOf.has(other))
      .filter((other) => !repeated.has(`${other.call.callId} ${record.call.dialect}`))
      .sort((a, b) => compare(distanceTo(record, a), distanceTo(record, b)))[0];
  };
  yield* visitSliced(
    records.toSorted((a, b) => precedenceOf(b) - precedenceOf(a)),
    (record) => {
      const leader = findLeader(record);
      if (!leader) return;
      leaderOf.set(record, leader);
      repeated.add(`${leader.call.callId} ${record.call.dialect}`);
    },
  );
  return leaderOf;
}

const precedenceOf = ({ spoken }: RecordClaim): number => spoken.dialect.precedence ?? 0;

const distanceTo = (a: RecordClaim, b: RecordClaim): bigint => distance(a.record.atNs, b.record.atNs);

/** The context of a record; without one, its session. */
const placeOf = (claim: RecordClaim): string =>
  claim.call.spanId === "" ? `${claim.record.service} ${claim.call.sessionId}` : contextOf(claim);

/** Of a less particular event, with the same counts as far as they go: it may leave out cache and reasoning. */
function repeats(plain: RecordClaim, rich: RecordClaim): boolean {
  const [a, b] = [plain.call.buckets, rich.call.buckets];
  return (
    precedenceOf(plain) < precedenceOf(rich) &&
    areCompatible(plain, rich) &&
    [promptTokens(b), b.input].includes(promptTokens(a)) &&
    [outputTokens(b), b.outputText].includes(outputTokens(a))
  );
}
