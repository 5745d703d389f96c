/**
 * Several observers of one response are one call. The strongest source is billed; among equals one that knows its
 * usage, then the one that knows more of it (a cache split), then the earliest. The winner takes from the others
 * whatever it does not know of whose spend it is.
 */
import { CALL_SOURCES, type Call, type CallIdentity, EMPTY_IDENTITY } from "@centspan/model";

/** Calls of one id, which is that of their response, become one; `losers` are the claims that were not taken. */
export function mergeByResponse(calls: readonly Call[]): { call: Call; losers: Call[] }[] {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const group = groups.get(call.callId);
    if (group) group.push(call);
    else groups.set(call.callId, [call]);
  }
  return [...groups.values()].flatMap((group) => {
    const [winner, ...losers] = group.toSorted(compareClaims);
    return winner ? [{ call: fillIdentity(winner, losers), losers }] : [];
  });
}

function compareClaims(a: Call, b: Call): number {
  return (
    CALL_SOURCES.indexOf(a.source) - CALL_SOURCES.indexOf(b.source) ||
    Number(a.quarantineReason !== "") - Number(b.quarantineReason !== "") ||
    filledBuckets(b) - filledBuckets(a) ||
    (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0) ||
    (a.spanId < b.spanId ? -1 : 1)
  );
}

const filledBuckets = (call: Call): number => Object.values(call.buckets).filter((count) => count > 0).length;

/** Key and its name move together. A task that is only the session stands for "not known" here. */
function fillIdentity(winner: Call, others: readonly Call[]): Call {
  const filled: CallIdentity = { ...EMPTY_IDENTITY };
  const all = [winner, ...others];
  for (const name of IDENTITY_NAMES) filled[name] = all.map((call) => call[name]).find((value) => value !== "") ?? "";
  const keyed = all.find((call) => call.keyId !== "" || call.key !== "");
  const tasked = all.find((call) => call.task !== "" && call.task !== call.sessionId);
  return {
    ...winner,
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
