/**
 * A history: what an agent left on a developer's disk. A format (a plug-in of packages/histories) says where its files
 * lie, as data, and reads their lines, one after the other, into facts in neutral words; it never opens a file. What is
 * counted once, across lines and files, is for the room's ledger, by the identities that the facts bring.
 * Invariant: no fact holds text of a conversation unless the source says that content is kept (members named `…Text`).
 * Sizes, hashes, names and verdicts leave a reader, nothing else.
 */
/** A folder that may hold histories: below the one a variable of the environment names, or below the home. */
export type HistoryPlace =
  | { variable: string; folder: string; separator?: string }
  | { variable?: undefined; folder: string };

/** What a file below a place is. Paths have forward slashes and are relative to the place. */
export type HistoryFileKind = {
  /** The same for copies of one file (compressed, archived): only the copy with the lowest `rank` is read. */
  identity: string;
  rank: number;
  compression: "none" | "zstd";
  /**
   * Files are read in this order within a format (compare as text): parents before forks, sessions before their agents.
   * Equal ones in the order in which they were begun.
   */
  order: string;
  /** A small file beside it, relative to the place, whose text goes to the reader. */
  companion?: string;
};

/** Where a fact stands: for receipts and messages. `line` counts from 1. */
export type LineProblem = {
  line: number;
  problem: "broken_json" | "not_an_object" | "unknown_shape" | "too_long";
  field: string;
};

/** Whose events these are. A thread is one context: a session, or one of its agents. */
export type HistoryThread = {
  /** The conversation as the person knows it; an agent's is that of the session that called it. */
  sessionId: string;
  /** The first session of the chain of resumes and forks that led here: what belongs together when waste is looked for. */
  rootSessionId: string;
  /** The session, or session/agent: ids of agents collide between sessions. */
  threadId: string;
  agentId: string;
  agentName: string;
  /** The thread that called or was forked; "" for none. */
  parentThreadId: string;
  isFork: boolean;
  /** The tool call of the parent that this agent answers, where known. */
  parentToolCallId: string;
};

/** What held when an event happened; "" where the history doesn't say. */
export type HistoryContext = {
  cwd: string;
  repositoryUrl: string;
  branch: string;
  commit: string;
  version: string;
  entrypoint: string;
};

/** As the provider counts: `input` includes what was read from and written to a cache, `output` includes reasoning. */
export type HistoryUsage = {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** Those of the writes that live for an hour. */
  cacheWrite1h: number;
  output: number;
  reasoning: number;
  webSearches: number;
  /** As the history adds them up, where it does: counts that don't come to it are set aside downstream. */
  total: number | null;
};

export type CallObservation = {
  kind: "call";
  /** What the same response is known by wherever it is written: the largest usage is kept. */
  key: string;
  /** A wider identity, used only by replays: a replayed call whose wide key was counted is no call of its own. */
  wideKey: string;
  isReplay: boolean;
  /** What its tools know it by: they may be told of before it. */
  localKey: string;
  /** What it answers: two answers to one input are a retry. */
  inputKey: string;
  /** As the provider named the answer and the request; "" where unknown. */
  responseId: string;
  requestId: string;
  model: string;
  provider: string;
  effort: string;
  serviceTier: string;
  region: string;
  stopReason: string;
  /** Null where the history has the answer and not what it took. */
  usage: HistoryUsage | null;
  /** The client's own figure, as a decimal; "" where it says none. */
  providedCostUsd: string;
  startedAtNs: bigint;
  endedAtNs: bigint;
  /** Of retries that the history tells of before this answer. */
  retries: number;
  answerText?: string;
};

/** What a command that ran tests came to, as its output says: derived, never measured. */
export type TestVerdict = {
  runner: string;
  status: "passed" | "failed" | "unknown";
  passed: number | null;
  failed: number | null;
  skipped: number | null;
};

export type ToolObservation = {
  kind: "tool";
  toolCallId: string;
  name: string;
  /** `localKey` of the call whose answer asked for it; "" where unknown. */
  callKey: string;
  startedAtNs: bigint;
  endedAtNs: bigint;
  inputBytes: number;
  inputHash: string;
  /** Null where no result is in the history: it was interrupted. */
  outputBytes: number | null;
  outputHash: string;
  isError: boolean;
  /** Whether it runs an agent, whose own thread then stands below it. */
  runsAgent: boolean;
  exitCode: number | null;
  readOnly: boolean | null;
  tests: TestVerdict | null;
  /** Commits that its output says it made. */
  commits: string[];
  inputText?: string;
  outputText?: string;
};

/** A person's message, which begins a run. `key` is its identity wherever it is copied to. */
export type TurnObservation = { kind: "turn"; key: string; bytes: number; atNs: bigint; messageText?: string };

export type HistoryMark = "resumed" | "forked" | "compacted";

export type HistoryObservation =
  | TurnObservation
  | CallObservation
  | ToolObservation
  | { kind: "compaction"; key: string; atNs: bigint; beforeTokens: number | null; trigger: string }
  | { kind: "mark"; mark: HistoryMark; atNs: bigint }
  | { kind: "pullRequest"; repository: string; number: number; url: string; atNs: bigint }
  | { kind: "limit"; window: string; windowMinutes: number; usedPercent: number; resetsAtNs: bigint; atNs: bigint }
  | { kind: "agent"; agentId: string; toolCallId: string; name: string; atNs: bigint }
  /** What was written before and is no spend of its own, by reason. */
  | { kind: "removed"; reason: RemovalReason; tokens: number; atNs: bigint };

export const REMOVAL_REASONS = [
  "growing_line",
  "copied_history",
  "side_chain_replay",
  "repeated_snapshot",
  "same_response",
  "synthetic",
  "copied_message",
] as const;
export type RemovalReason = (typeof REMOVAL_REASONS)[number];

export type HistoryEvent = HistoryObservation & { thread: HistoryThread; context: HistoryContext; line: number };

/** What a reader remembers of earlier lines of its file; what it says must survive JSON. Small: it is kept for each file. */
export type HistoryReader = {
  /** One line without its end. Returns what is certain by then, or what is wrong with the line. */
  readLine(line: string, number: number): readonly HistoryEvent[] | LineProblem;
  /** Responses that were held back, for a file that nobody writes any more: later lines may then only add to them. */
  close(): readonly HistoryEvent[];
  save(): unknown;
};

/** What a format asks of the rest: who the parent of a fork is, and what it had. Filled by its own readers. */
export type HistoryMemory = {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  has(key: string): boolean;
};

export type HistorySource = {
  /** Relative to its place. */
  path: string;
  companion: string | null;
  /** Of `save()` of a reader of the same file, after the lines before. */
  saved: unknown;
  memory: HistoryMemory;
  /** Whether somebody asked for text of the conversation, too. */
  keepsContent: boolean;
};

export type HistoryFormat = {
  id: string;
  describe: string;
  /** The agent as people call it. */
  agent: string;
  places: readonly HistoryPlace[];
  /** After how many days the agent deletes its files by default; null where it keeps them. */
  keptForDays: number | null;
  /** Where a person sets another number of days: a file relative to the place, and its member. */
  keptForSetting?: { file: string; member: string };
  /** Null for a file that is no history. */
  describeFile(path: string): HistoryFileKind | null;
  openReader(source: HistorySource): HistoryReader;
};

export const defineHistory = (format: HistoryFormat): HistoryFormat => format;
