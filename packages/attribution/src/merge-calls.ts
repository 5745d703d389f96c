/**
 * Several observers of one response are one call. The strongest source is billed; among equals one that knows its
 * usage, then the one that knows more of it (a cache split), then the earliest. The winner takes from the others
 * whatever it does not know: whose spend it is, the sender's own figure, and from a span of its source, where a log
 * record won, place and time.
 */
import { CALL_SOURCES, type Call, type CallIdentity, EMPTY_IDENTITY } from "@centspan/model";
import { groupBy } from "./group-by.ts";

type Merged = { call: Call; winner: Call; losers: Call[] };

/** Calls of one id, which is that of their response, become one; `losers` are the claims that were not taken. */
export function mergeByResponse(calls: readonly Call[]): Merged[] {
  return [...groupBy(calls, ({ callId }) => callId).values()].flatMap((group) => {
    const [winner, ...losers] = group.toSorted(compareClaims);
    return winner ? [{ call: fillUnknown(winner, losers), winner, losers }] : [];
  });
}

function compareClaims(a: Call, b: Call): number {
  return (
    CALL_SOURCES.indexOf(a.source) - CALL_SOURCES.indexOf(b.source) ||
    Number(a.quarantineReason !== "") - Number(b.quarantineReason !== "") ||
    filledBuckets(b) - filledBuckets(a) ||
    Number(isTimed(b)) - Number(isTimed(a)) ||
    (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0) ||
    (a.spanId < b.spanId ? -1 : 1)
  );
}

const filledBuckets = (call: Call): number => Object.values(call.buckets).filter((count) => count > 0).length;

/** Only a span knows how long its call took. */
const isTimed = ({ durationNs }: Call): boolean => durationNs > 0n;

/** The call with what only the others know of it. */
export function fillUnknown(winner: Call, others: readonly Call[]): Call {
  if (others.length === 0) return winner.task === "" ? { ...winner, task: winner.sessionId } : winner;
  const all = [winner, ...others];
  const first = <Value>(of: (call: Call) => Value, isKnown: (value: Value) => boolean): Value =>
    all.map(of).find(isKnown) ?? of(winner);
  const isText = (text: string): boolean => text !== "";
  const placed = all.find((call) => call.source === winner.source && isTimed(call)) ?? winner;
  const named = all.find(({ model }) => model !== "") ?? winner;
  return {
    ...winner,
    ...fillIdentity(all),
    traceId: placed.traceId,
    spanId: placed.spanId,
    atNs: placed.atNs,
    durationNs: placed.durationNs,
    model: named.model,
    provider: named.provider,
    responseId: first((call) => call.responseId, isText),
    effort: first((call) => call.effort, isText),
    serviceTier: first((call) => call.serviceTier, isText),
    region: first((call) => call.region, isText),
    providedCostUsd: first(
      (call) => call.providedCostUsd,
      (amount) => amount !== null,
    ),
    ttftMs: first(
      (call) => call.ttftMs,
      (ms) => ms !== null,
    ),
  };
}

/** Key and its name move together. A task that is only the session stands for "not known" here. */
function fillIdentity(all: readonly Call[]): CallIdentity {
  const filled: CallIdentity = { ...EMPTY_IDENTITY };
  for (const name of IDENTITY_NAMES) filled[name] = all.map((call) => call[name]).find((value) => value !== "") ?? "";
  const keyed = all.find((call) => call.keyId !== "" || call.key !== "");
  const tasked = all.find((call) => call.task !== "" && call.task !== call.sessionId);
  return {
    ...filled,
    keyId: keyed?.keyId ?? "",
    key: keyed?.key ?? "",
    task: tasked?.task ?? filled.sessionId,
  };
}

const IDENTITY_NAMES = [
  "team",
  "taskType",
  "runId",
  "sessionId",
  "role",
  "repository",
  "harnessVersion",
] as const satisfies readonly (keyof CallIdentity)[];
