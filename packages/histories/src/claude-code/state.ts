/** What a reader of Claude Code's lines remembers of earlier ones: plain values, small, kept between imports. */
import type {
  CallObservation,
  HistoryContext,
  HistoryEvent,
  HistoryObservation,
  HistoryThread,
  HistoryUsage,
} from "@centspan/model";
import { isObject } from "../json-values.ts";
import type { CommandKind } from "../local/recognise-tests.ts";

/** Instants are in milliseconds, as the lines have them; a `bigint` would not survive JSON. */
export type PendingCall = Omit<CallObservation, "kind" | "startedAtNs" | "endedAtNs"> & {
  startedAtMs: number;
  endedAtMs: number;
  line: number;
  /** What other models took within its request. */
  advice: { model: string; usage: HistoryUsage }[];
  /** Copies of it among the lines so far, that is one less than its lines. */
  lines: number;
};

export type OpenTool = {
  name: string;
  startedAtMs: number;
  inputBytes: number;
  inputHash: string;
  callKey: string;
  command: CommandKind;
  line: number;
  inputText?: string;
};

/** One conversation among those of a file: old releases write those of agents between the lines of the session. */
export type Lane = {
  thread: HistoryThread;
  context: HistoryContext;
  pending: PendingCall | null;
  tools: Record<string, OpenTool>;
  lastAtMs: number;
  /** When what the next response answers was there. */
  inputAtMs: number;
  inputKey: string;
  retries: number;
  /** Whether text may be told of. */
  keepsContent: boolean;
};

export type ClaudeState = {
  lanes: Record<string, Lane>;
  pullRequests: string[];
  wasCopying: boolean;
  /** Whether the client was ended since: it then writes what the last prompt was. */
  wasLeft: boolean;
};

export const EMPTY_STATE: ClaudeState = { lanes: {}, pullRequests: [], wasCopying: false, wasLeft: false };

/** Of an earlier reader. It was written by this room, so that its outline suffices; anything else begins anew. */
export function restoreState(saved: unknown): ClaudeState {
  if (!isState(saved)) return structuredClone(EMPTY_STATE);
  return structuredClone(saved);
}

const isState = (saved: unknown): saved is ClaudeState =>
  isObject(saved) && isObject(saved.lanes) && Array.isArray(saved.pullRequests);

export const toEvent = (observation: HistoryObservation, { thread, context }: Lane, line: number): HistoryEvent => ({
  ...observation,
  thread,
  context,
  line,
});
