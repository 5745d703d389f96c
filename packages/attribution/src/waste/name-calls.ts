/** Which two calls a finding is about, by the names that a reader can look up: their spans, and what the provider calls them. */
import type { WasteEvidence, WatchedCall } from "@centspan/model";
import { readText } from "./attributes.ts";

export function nameCalls(at: WatchedCall, previous: WatchedCall | null = at.before): WasteEvidence {
  const [requestId, previousRequestId] = [nameRequest(at), previous && nameRequest(previous)];
  return {
    ...(previous && { previousSpanId: previous.call.spanId }),
    ...(requestId && { requestId }),
    ...(previousRequestId && { previousRequestId }),
    ...(at.turn !== null && { turn: at.turn }),
  };
}

const nameRequest = ({ attributes, call }: WatchedCall): string =>
  readText(attributes, "centspan.provider.request_id") || call.responseId;
