/**
 * Results of tools that stand in the prompts of a recorded conversation: which call read each first, and which carry it on,
 * until a compaction takes it away. Sizes are bytes; a token is taken as four of them.
 */
import type { SpanRecord, WatchedCall, WatchedRun } from "@centspan/model";
import { groupBy } from "../group-by.ts";
import { readText } from "./attributes.ts";
import { isOfHistory, listMarks } from "./recorded-misses.ts";

const BYTES_PER_TOKEN = 4;

export type StandingResults = {
  at: WatchedCall;
  /** Tokens that this call read first, at the end of its prompt, and those that stood before, in its cached part. */
  freshTokens: number;
  standingTokens: number;
  /** The largest first. */
  tools: readonly SpanRecord[];
};

/** `judge` gives the bytes that need not have been there, of each result in order of time within its conversation. */
export function* findStandingResults(
  run: WatchedRun,
  openJudge: () => (tool: SpanRecord) => number,
): Generator<StandingResults> {
  const tools = groupBy(run.tools, ({ attributes }) => readText(attributes, "centspan.thread.id") ?? "");
  for (const [thread, calls] of groupBy(run.calls.filter(isOfHistory), (call) => call.thread)) {
    const waiting = (tools.get(thread) ?? []).toSorted((a, b) => (a.startedAtNs < b.startedAtNs ? -1 : 1));
    yield* walkThread(calls, waiting, openJudge);
  }
}

function* walkThread(
  calls: readonly WatchedCall[],
  waiting: readonly SpanRecord[],
  openJudge: () => (tool: SpanRecord) => number,
): Generator<StandingResults> {
  let judge = openJudge();
  let standing: { tool: SpanRecord; bytes: number }[] = [];
  let next = 0;
  for (const at of calls) {
    const known = sumBytes(standing);
    for (let tool = waiting[next]; tool !== undefined && tool.endedAtNs <= at.call.atNs; tool = waiting[++next]) {
      const bytes = judge(tool);
      if (bytes > 0) standing.push({ tool, bytes });
    }
    // What ran before it is summed up with the rest.
    if (listMarks(at).includes("compacted")) {
      judge = openJudge();
      standing = [];
      continue;
    }
    const fresh = sumBytes(standing) - known;
    if (standing.length === 0) continue;
    yield {
      at,
      freshTokens: Math.floor(fresh / BYTES_PER_TOKEN),
      standingTokens: Math.floor(known / BYTES_PER_TOKEN),
      tools: standing.toSorted((a, b) => b.bytes - a.bytes).map(({ tool }) => tool),
    };
  }
}

const sumBytes = (results: readonly { bytes: number }[]): number => results.reduce((sum, { bytes }) => sum + bytes, 0);
