/**
 * The plug-in of a cause of waste: one file that finds it in what is known of a run.
 * What it is worth is not its to say: it tells what the call would have used instead, and prices do the rest.
 */
import type { Buckets, RatedCall } from "./call.ts";
import type { OutcomeStatus } from "./outcome.ts";
import type { SpanRecord } from "./span.ts";
import type { WasteConfidence, WasteEvidence, WasteKind, WasteLayer } from "./waste.ts";

/** A call with the spans that tell of it. */
export type WatchedCall = {
  call: RatedCall;
  /** Conversation within the run: a session, or one of its agents. */
  thread: string;
  promptTokens: number;
  /** Of the call's span; none where nothing but the call is known. */
  attributes: Readonly<Record<string, string>>;
  failed: boolean;
  /** Number of the agent loop's turn that it is of; null where spans don't say. */
  turn: number | null;
  /** Of the work that it was for; null while there is none. */
  outcome: OutcomeStatus | null;
  /** Spans beside the call's: stages of its request, and other attempts at it. */
  siblings: readonly SpanRecord[];
  /** Of its request and of inference for it, by name, in order of their start. */
  stages(name: string): readonly SpanRecord[];
  /** The call whose prompt it goes on from, as far as that is known; null for the first. */
  before: WatchedCall | null;
};

/** One turn of an agent loop. */
export type WatchedTurn = {
  span: SpanRecord;
  tools: readonly SpanRecord[];
  /** Those that asked the model. */
  calls: readonly WatchedCall[];
};

export type WatchedRun = {
  /** In order of time. */
  calls: readonly WatchedCall[];
  turns: readonly WatchedTurn[];
  /** Spans of tool calls, whosever they are. */
  tools: readonly SpanRecord[];
  /** Calls that had what was said summed up, for the conversation to go on from. */
  compactions: ReadonlySet<WatchedCall>;
};

export type WasteNeed = { at: WatchedCall; repair(buckets: Buckets): Buckets };

export type WasteFinding = {
  at: WatchedCall;
  /** The counts that the call would have had, given those that earlier causes leave it; absent where only time is lost. */
  repair?(left: Buckets): Buckets;
  /** What earlier calls would have had to use for it: their counts as they would be. What that costs more is taken off. */
  needs?: readonly WasteNeed[];
  seconds: number;
  confidence: WasteConfidence;
  evidence: WasteEvidence;
};

export type WasteCause = {
  id: string;
  /** As a heading. */
  title: string;
  describe: string;
  /** What ends it. */
  remedy: string;
  layer: WasteLayer;
  kind: WasteKind;
  /** Causes take from a call in this order, the lowest first. */
  rank: number;
  find(run: WatchedRun): Iterable<WasteFinding>;
};

export const defineWasteCause = (cause: WasteCause): WasteCause => cause;
