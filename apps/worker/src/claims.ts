/**
 * What was said about each response, by who says it: a trace, or a session for records that stand in none. A client and
 * a gateway may report one response in two traces, at different times. Claims are merged as if they had come together;
 * the store then gets one call, whichever report came last. What this process does not remember is taken from the
 * store, where the call stands as it was last settled. Calls without a response id have one claim and pass through.
 */
import { fillUnknown, mergeByResponse } from "@centspan/attribution";
import type { Call } from "@centspan/model";

export type Claims = {
  /** Those of the calls' ids that this process has no claims on: the store may have. */
  listUnheard(workspace: string, calls: readonly Call[]): string[];
  /**
   * Replaces what the calls' traces said of them before, and gives each call once, as all claims together tell it,
   * among them those in the store on calls that were unheard of.
   */
  settle(workspace: string, calls: readonly Call[], stored: readonly Call[]): Call[];
};

/** `stored` is the call as it stood when this process first heard of it. */
type Known = { byOrigin: Map<string, Call>; stored: Call | null };

/** Forgets the responses that were longest untouched beyond `capacity`. */
export function createClaims(capacity: number): Claims {
  const byCall = new Map<string, Known>();

  const settleOne = (workspace: string, call: Call, stored: Call | null): Call => {
    if (call.responseId === "") return call;
    const key = keyOf(workspace, call);
    const known = byCall.get(key) ?? { byOrigin: new Map(), stored };
    known.byOrigin.set(originOf(call), call);
    // Deleting first moves the key to the end of the map's order: the oldest stays in front.
    byCall.delete(key);
    byCall.set(key, known);
    return mergeKnown(known) ?? call;
  };

  return {
    listUnheard: (workspace, calls) =>
      calls.filter((call) => call.responseId !== "" && !byCall.has(keyOf(workspace, call))).map(({ callId }) => callId),
    settle(workspace, calls, stored) {
      const storedById = new Map(stored.map((call) => [call.callId, call]));
      // Of a call that several of these traces report the last settling knows them all.
      const settled = new Map<string, Call>();
      for (const call of calls)
        settled.set(call.callId, settleOne(workspace, call, storedById.get(call.callId) ?? null));
      for (const oldest of byCall.keys()) {
        if (byCall.size <= capacity) break;
        byCall.delete(oldest);
      }
      return [...settled.values()];
    },
  };
}

/** No space is in the id of a call. */
const keyOf = (workspace: string, { callId }: Call): string => `${callId} ${workspace}`;

const originOf = ({ traceId, sessionId }: Call): string => traceId || `session ${sessionId}`;

/** What its own trace says anew takes the place of the stored call, which still knows what other traces had told. */
function mergeKnown({ byOrigin, stored }: Known): Call | undefined {
  if (!stored) return mergeByResponse([...byOrigin.values()])[0]?.call;
  const others = byOrigin.has(originOf(stored)) ? [] : [stored];
  const [merged] = mergeByResponse([...byOrigin.values(), ...others]);
  return merged && fillUnknown(merged.call, [stored]);
}
