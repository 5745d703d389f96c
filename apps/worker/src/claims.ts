/**
 * What was said about each response, by trace: a client and a gateway may report one response in two traces, at
 * different times. Within the memory of this process the claims are merged as if they had come together; the store
 * then gets one call, whichever report came last. Calls without a response id have one claim and pass through.
 */
import { mergeByResponse } from "@centspan/attribution";
import type { Call } from "@centspan/model";

export type Claims = {
  /** Replaces what this trace said before, and gives each of its calls as all claims together tell it. */
  settle(workspace: string, traceId: string, calls: readonly Call[]): Call[];
};

/** Forgets the responses that were longest untouched beyond `capacity`. */
export function createClaims(capacity: number): Claims {
  const byCall = new Map<string, Map<string, Call>>();

  const settleOne = (workspace: string, traceId: string, call: Call): Call => {
    if (call.responseId === "") return call;
    const key = JSON.stringify([workspace, call.callId]);
    const claims = byCall.get(key) ?? new Map<string, Call>();
    claims.set(traceId, call);
    // Deleting first moves the key to the end of the map's order: the oldest stays in front.
    byCall.delete(key);
    byCall.set(key, claims);
    const [merged] = mergeByResponse([...claims.values()]);
    return merged?.call ?? call;
  };

  return {
    settle(workspace, traceId, calls) {
      const settled = calls.map((call) => settleOne(workspace, traceId, call));
      for (const oldest of byCall.keys()) {
        if (byCall.size <= capacity) break;
        byCall.delete(oldest);
      }
      return settled;
    },
  };
}
