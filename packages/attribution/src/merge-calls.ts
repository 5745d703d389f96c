/**
 * Several observers of one response are one call. One that knows its usage is billed, before one that counted it, and one
 * that does not know it; of several the strongest source; among equals the one that says more, then the one that knows more
 * of it (a cache split), then the earliest. But nobody makes less of what a stronger source said, if that only counted. The
 * winner takes from the others what it does not know: whose spend it is, the sender's own figure, and from a span of its
 * source, where a log record won, place and time. What a price depends on is for the strongest source alone.
 */
import { CALL_SOURCES, type Call, type CallIdentity, EMPTY_IDENTITY } from "@centspan/model";
import { outputTokens, promptTokens } from "./claim.ts";
import { groupBy } from "./group-by.ts";

type Merged = { call: Call; winner: Call; losers: Call[] };

/** Calls of one id, which is that of their response, become one; `losers` are the claims that were not taken. */
export function mergeByResponse(calls: readonly Call[]): Merged[] {
  return [...groupBy(calls, ({ callId }) => callId).values()].flatMap((group) => {
    const strongest = listStrongest(group);
    const weaker = strongest.length === group.length ? [] : group.filter((call) => !strongest.includes(call));
    const lesser = new Set(weaker.filter((call) => strongest.some((strong) => makesLess(call, strong))));
    const [winner, ...losers] = group.toSorted(
      (a, b) => Number(lesser.has(a)) - Number(lesser.has(b)) || compareClaims(a, b),
    );
    return winner ? [{ call: fillUnknown(winner, losers), winner, losers }] : [];
  });
}

function listStrongest(group: readonly Call[]): Call[] {
  const best = group.reduce<number>((rank, call) => Math.min(rank, rankOf(call)), CALL_SOURCES.length);
  return group.filter((call) => rankOf(call) === best);
}

/** Whether a weaker source would have the call cost less than a stronger one, in any way. */
const makesLess = (weak: Call, strong: Call): boolean =>
  freshOf(weak) < freshOf(strong) ||
  outputTokens(weak.buckets) < outputTokens(strong.buckets) ||
  tokensOf(weak) < tokensOf(strong) ||
  (weak.provenance === "simulated" && strong.provenance !== "simulated");

const freshOf = ({ buckets }: Call): number => promptTokens(buckets) - buckets.cacheRead;
const tokensOf = ({ buckets }: Call): number => promptTokens(buckets) + outputTokens(buckets);
/** From the strongest on. */
const rankOf = ({ source }: Call): number => CALL_SOURCES.indexOf(source);

function compareClaims(a: Call, b: Call): number {
  return (
    doubtOf(a) - doubtOf(b) ||
    rankOf(a) - rankOf(b) ||
    Number(a.quarantineReason !== "") - Number(b.quarantineReason !== "") ||
    tokensOf(b) - tokensOf(a) ||
    filledBuckets(b) - filledBuckets(a) ||
    Number(isTimed(b)) - Number(isTimed(a)) ||
    (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0) ||
    (a.spanId < b.spanId ? -1 : 1)
  );
}

/** Other reasons of quarantine are no want of knowledge but contradictions, which a weaker source doesn't settle. */
function doubtOf({ quarantineReason, provenance }: Call): number {
  if (quarantineReason === "usage_missing" || quarantineReason === "usage_partial") return 2;
  return provenance === "estimated" ? 1 : 0;
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
  const placed = all.find((call) => call.source === winner.source && isTimed(call)) ?? winner;
  const isText = (text: string): boolean => text !== "";
  const strongest = listStrongest(all);
  const priced = (of: (call: Call) => string): string => strongest.map(of).find(isText) ?? "";
  const named = strongest.find(({ model }) => model !== "") ?? winner;
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
    serviceTier: priced((call) => call.serviceTier),
    region: priced((call) => call.region),
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

/** The strongest source says it first. Key and its name move together. A task that is only the session stands for "not known". */
function fillIdentity(calls: readonly Call[]): CallIdentity {
  const all = calls.toSorted((a, b) => rankOf(a) - rankOf(b));
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
