/**
 * What was said about each response, by trace: a client and a gateway may report one response in two traces, at
 * different times. Claims are merged as if they had come together; the store then gets one call, whichever report came
 * last. What this process does not remember is taken from the store, where the call stands as it was last settled.
 * Calls without a response id have one claim and pass through.
 */
import { mergeByResponse } from "@centspan/attribution";
import type { Call } from "@centspan/model";

export type Claims = {
  /** Those of the calls' ids that this process has no claims on: the store may have. */
  listUnheard(workspace: string, calls: readonly Call[]): string[];
  /**
   * Replaces what this trace said before, and gives each of its calls as all claims together tell it, among them those
   * in the store on calls that were unheard of.
   */
  settle(workspace: string, traceId: string, calls: readonly Call[], stored: readonly Call[]): Call[];
};

/** Forgets the responses that were longest untouched beyond `capacity`. */
export function createClaims(capacity: number): Claims {
  const byCall = new Map<string, Map<string, Call>>();

  const settleOne = (workspace: string, traceId: string, call: Call, stored: Call | undefined): Call => {
    if (call.responseId === "") return call;
    const key = keyOf(workspace, call);
    const claims = byCall.get(key) ?? new Map(stored && [[stored.traceId, stored]]);
    claims.set(traceId, call);
    // Deleting first moves the key to the end of the map's order: the oldest stays in front.
    byCall.delete(key);
    byCall.set(key, claims);
    const [merged] = mergeByResponse([...claims.values()]);
    return merged?.call ?? call;
  };

  return {
    listUnheard: (workspace, calls) =>
      calls.filter((call) => call.responseId !== "" && !byCall.has(keyOf(workspace, call))).map(({ callId }) => callId),
    settle(workspace, traceId, calls, stored) {
      const storedById = new Map(stored.map((call) => [call.callId, call]));
      const settled = calls.map((call) => settleOne(workspace, traceId, call, storedById.get(call.callId)));
      for (const oldest of byCall.keys()) {
        if (byCall.size <= capacity) break;
        byCall.delete(oldest);
      }
      return settled;
    },
  };
}

const keyOf = (workspace: string, { callId }: Call): string => JSON.stringify([workspace, callId]);
