/**
 * Why no cache served what a recorded conversation had said before. Histories hold no prompts: they say who answered, when,
 * and what happened in between. So each reason is the likeliest one, and the first that holds is taken.
 */
import type { WasteEvidence, WatchedCall, WatchedRun } from "@centspan/model";
import { cacheLifetimeMs } from "@centspan/pricing";
import { readCount, readList } from "./attributes.ts";
import type { MissReason } from "./miss-reason.ts";

const HOUR_MS = 3_600_000;

type RecordedReason = Extract<MissReason, "compaction" | "resumed" | "settings" | "expired" | "changed">;

export const isOfHistory = ({ call }: WatchedCall): boolean => call.source === "import";

export function readRecordedReason(at: WatchedCall): RecordedReason {
  const marks = listMarks(at);
  if (marks.includes("compacted")) return "compaction";
  if (marks.includes("resumed") || marks.includes("forked")) return "resumed";
  if (listSwitched(at).length > 0) return "settings";
  return isExpired(at) ? "expired" : "changed";
}

/** What differed beside the prompt, in the words that a gateway has for it. */
export function listRecordedReasons(at: WatchedCall, reason: MissReason): WasteEvidence {
  if (!isOfHistory(at)) return {};
  const switched = reason === "settings" || reason === "resumed" ? listSwitched(at) : [];
  const late = (reason === "expired" || reason === "resumed") && isExpired(at) ? ["ttl_passed"] : [];
  const reasons = [...switched, ...late, ...(reason === "compaction" ? ["compaction"] : [])];
  return reasons.length === 0 ? {} : { reasons };
}

/**
 * Tokens that stood before in what is asked now: the whole earlier prompt. After a compaction the text is new but for what
 * the conversation began with, which its first prompt bounds.
 */
export function countStanding(at: WatchedCall, { calls }: WatchedRun): number {
  if (!listMarks(at).includes("compacted"))
    return at.before?.promptTokens ?? readCount(at.attributes, "centspan.prefix.known_tokens") ?? 0;
  return calls.find(({ thread, promptTokens }) => thread === at.thread && promptTokens > 0)?.promptTokens ?? 0;
}

export const idleBetween = (before: WatchedCall, at: WatchedCall): number =>
  Number(at.call.atNs - before.call.atNs - before.call.durationNs) / 1e9;

export const listMarks = ({ attributes }: WatchedCall): string[] =>
  readList(attributes, "centspan.history.marks") ?? [];

function listSwitched({ call, before }: WatchedCall): string[] {
  if (before === null) return [];
  const isOther = (a: string, b: string): boolean => a !== "" && b !== "" && a !== b;
  return [
    ...(isOther(before.call.model, call.model) ? ["model_changed"] : []),
    ...(isOther(before.call.effort, call.effort) ? ["reasoning_effort_changed"] : []),
    ...(isOther(before.call.serviceTier, call.serviceTier) ? ["service_tier_changed"] : []),
  ];
}

/** An hour where that was paid for in what still stood. Of a provider that says nothing of it nothing is known to expire. */
function isExpired(at: WatchedCall): boolean {
  if (at.before === null) return false;
  const isHourLong = [at.call, at.before.call].some(({ buckets }) => buckets.cacheWrite1h > 0);
  const lifetimeMs = isHourLong ? HOUR_MS : cacheLifetimeMs(at.call);
  return lifetimeMs !== null && idleBetween(at.before, at) * 1000 > lifetimeMs;
}
