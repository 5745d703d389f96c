/**
 * Where the time of a run went. At each moment the deepest of what is at work counts: the engine under the API, the API under
 * a tool that is an agent itself, a tool under the loop. So the kinds add up to the time in which anything was at work.
 */
import { WORK_KINDS, type WorkKind } from "@centspan/model";
import { isTool, type TraceFacts } from "./list-turns.ts";

export function sumWorkTime({ calls, spans }: TraceFacts): Map<WorkKind, number> {
  const ofCalls = new Set(calls.map(({ spanId }) => spanId));
  const events = spans.flatMap((span) => {
    if (span.endedAtNs <= span.startedAtNs) return [];
    const kind = isTool(span) ? "tools" : readLayer(span.attributes["centspan.layer"], ofCalls.has(span.spanId));
    return [
      { atNs: span.startedAtNs, kind, by: 1 },
      { atNs: span.endedAtNs, kind, by: -1 },
    ];
  });
  events.sort((a, b) => (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0));
  const open = new Map<WorkKind, number>(WORK_KINDS.map((kind) => [kind, 0]));
  const spentNs = new Map<WorkKind, bigint>();
  let sinceNs = events[0]?.atNs ?? 0n;
  for (const { atNs, kind, by } of events) {
    // In the order of the list the deepest comes first.
    const deepest = WORK_KINDS.find((one) => (open.get(one) ?? 0) > 0);
    if (deepest !== undefined) spentNs.set(deepest, (spentNs.get(deepest) ?? 0n) + atNs - sinceNs);
    open.set(kind, (open.get(kind) ?? 0) + by);
    sinceNs = atNs;
  }
  return new Map([...spentNs].map(([kind, ns]) => [kind, Number(ns) / 1e9]));
}

function readLayer(layer: string | undefined, isCall: boolean): WorkKind {
  if (layer === "inference" || layer === "harness" || layer === "api") return layer;
  return isCall ? "api" : "other";
}
