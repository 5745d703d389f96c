/** What a reader of Codex's lines remembers of earlier ones: plain values, small, kept between imports. */
import type { HistoryContext, HistoryEvent, HistoryObservation, HistoryThread } from "@centspan/model";
import { isObject } from "../json-values.ts";
import type { CommandKind } from "../local/recognise-tests.ts";
import type { Counts } from "./usage.ts";

/** One answer of the model, from its first item until its usage is told. Instants are in milliseconds. */
export type OpenResponse = {
  localKey: string;
  inputAtMs: number;
  inputKey: string;
  endedAtMs: number;
  isAnswered: boolean;
  answerText?: string;
};

export type PendingCall = {
  key: string;
  wideKey: string;
  localKey: string;
  inputKey: string;
  responseId: string;
  counts: Counts;
  model: string;
  effort: string;
  startedAtMs: number;
  endedAtMs: number;
  line: number;
  answerText?: string;
};

export type OpenTool = {
  name: string;
  startedAtMs: number;
  inputBytes: number;
  inputHash: string;
  callKey: string;
  command: CommandKind;
  line: number;
  exitCode: number | null;
  endedAtMs: number;
  inputText?: string;
};

export type CodexState = {
  thread: HistoryThread | null;
  context: HistoryContext;
  provider: string;
  model: string;
  effort: string;
  turnId: string;
  /** The turn that was last told of as one of a person. */
  toldTurn: string;
  isTurnActive: boolean;
  /** Lines numbered below are a copy of the parent's. */
  boundary: number;
  /** Whether everything so far may be the parent's, word for word. */
  isInPrefix: boolean;
  sharesIds: boolean;
  /** Tools since the last usage. */
  toolIds: string[];
  copied: number;
  epoch: number;
  total: Counts | null;
  /** Of records that no snapshot was seen of yet. */
  unseen: Counts[];
  calls: number;
  lastUserMessage: string;
  lastAtMs: number;
  inputAtMs: number;
  inputKey: string;
  response: OpenResponse | null;
  pending: PendingCall | null;
  tools: Record<string, OpenTool>;
  limits: Record<string, string>;
  /** Whether text may be told of. */
  keepsContent: boolean;
};

export const createState = (): CodexState => ({
  thread: null,
  context: { cwd: "", repositoryUrl: "", branch: "", commit: "", version: "", entrypoint: "" },
  provider: "",
  model: "",
  effort: "",
  turnId: "",
  toldTurn: "",
  isTurnActive: false,
  boundary: 0,
  isInPrefix: false,
  sharesIds: false,
  toolIds: [],
  copied: 0,
  epoch: 0,
  total: null,
  unseen: [],
  calls: 0,
  lastUserMessage: "",
  lastAtMs: 0,
  inputAtMs: 0,
  inputKey: "",
  response: null,
  pending: null,
  tools: {},
  limits: {},
  keepsContent: false,
});

/** Of an earlier reader. It was written by this room, so that its outline suffices; anything else begins anew. */
export const restoreState = (saved: unknown): CodexState => (isState(saved) ? structuredClone(saved) : createState());

const isState = (saved: unknown): saved is CodexState =>
  isObject(saved) && isObject(saved.context) && isObject(saved.tools) && Array.isArray(saved.unseen);

export const threadOf = (state: CodexState): HistoryThread => state.thread ?? NO_THREAD;

const NO_THREAD: HistoryThread = {
  sessionId: "",
  rootSessionId: "",
  threadId: "",
  agentId: "",
  agentName: "",
  parentThreadId: "",
  isFork: false,
  parentToolCallId: "",
};

export const toEvent = (state: CodexState, observation: HistoryObservation, line: number): HistoryEvent => ({
  ...observation,
  thread: threadOf(state),
  context: state.context,
  line,
});
