/**
 * The ports of the warehouse (ClickHouse) for money: calls with their charge lines, outcomes, and what they add up to.
 * Everything is within one workspace; a workspace always comes from a credential, never from a payload.
 * Operating errors are CentspanError("store_unavailable").
 */
import { type Decimal, ZERO } from "@centspan/base";
import type { Buckets, CostStatus, Meter, Provenance, RatedCall } from "./call.ts";
import type { CallFilter, Page, PageRequest, TimeRange } from "./filters.ts";
import type { Outcome, OutcomeStatus, OutcomeSubject } from "./outcome.ts";
import type { LinkedBy } from "./outcome-link.ts";
import type { CallClass, PriceTable } from "./price-table.ts";

/** What a call can be grouped by; each is a column of the call. `day` is a day in the given zone. */
export const COST_GROUPS = [
  "key",
  "team",
  "provider",
  "model",
  "effort",
  "task",
  "taskType",
  "repository",
  "role",
  "meter",
  "day",
  "hour",
  "minute",
] as const;
export type CostGroup = (typeof COST_GROUPS)[number];
/** What a task can be grouped by: a column of its first call. */
export const OUTCOME_GROUPS = [
  "key",
  "team",
  "task",
  "taskType",
  "repository",
  "model",
  "effort",
  "role",
  "harnessVersion",
  "day",
  "hour",
  "minute",
] as const;
export type OutcomeGroup = (typeof OUTCOME_GROUPS)[number];

export type CostSum = {
  group: string;
  costUsd: Decimal;
  calls: number;
  requests: number;
  /** Those whose cost is known: what a request cost on average is of these. */
  pricedRequests: number;
  buckets: Buckets;
  unpricedCalls: number;
  quarantinedCalls: number;
  /** Cost by provenance; sums to costUsd. */
  byProvenance: Partial<Record<Provenance, Decimal>>;
};

/** What was used and charged of one meter of one model. */
export type MeterSpend = { model: string; meter: Meter; quantity: bigint; costUsd: Decimal };

export const DAILY_SPEND_GROUPS = ["team", "key", "provider", "model", "taskType", "repository"] as const;
export type DailySpendGroup = (typeof DAILY_SPEND_GROUPS)[number];
/** `day` is YYYY-MM-DD in the time zone that was asked for. */
export type DailySpend = { group: string; day: string; costUsd: Decimal };

/** One task's spend and where it stands. `task` is "" for spend that belongs to no task: one such row per group. */
export type TaskSpend = {
  task: string;
  group: string;
  costUsd: Decimal;
  simulatedUsd: Decimal;
  /** Of its first call. */
  team: string;
  calls: number;
  /** Calls whose cost is not known, whether for want of a price or of trustworthy usage. */
  unpricedCalls: number;
  /** Runs that worked on it; 1 where nothing tells runs apart. */
  attempts: number;
  firstCallAtNs: bigint;
  /** Status of the latest tests outcome; null while there is none. */
  status: OutcomeStatus | null;
  /** Failed after it had passed. */
  isReverted: boolean;
  /** Of people, as its outcomes say. */
  reviewMinutes: Decimal;
  /** When the outcome that counts was said; null while there is none. */
  decidedAtNs: bigint | null;
  /** Which that is, and who answers for the work ("" where nobody is named); null while there is none. */
  decision: { outcomeId: string; source: string; linkedBy: LinkedBy; accountable: string } | null;
};

/** A task that nothing was spent on yet, for those who fill in what they know. */
export const EMPTY_TASK_SPEND: TaskSpend = {
  task: "",
  group: "",
  costUsd: ZERO,
  simulatedUsd: ZERO,
  team: "",
  calls: 0,
  unpricedCalls: 0,
  attempts: 1,
  firstCallAtNs: 0n,
  status: null,
  isReverted: false,
  reviewMinutes: ZERO,
  decidedAtNs: null,
  decision: null,
};

export type TaskQuestion = {
  groupBy: OutcomeGroup;
  filter: CallFilter;
  timeZone: string;
  /** Only outcomes so long after a task's first call count; all, where it is not given. */
  maturityNs?: bigint | undefined;
  /** Tasks begun later are pending, and none of them is reverted: what has passed may still be. */
  matureFromNs?: bigint | undefined;
  /** Only of these. */
  groups?: readonly string[] | undefined;
};

/** Attempts of one number, such as all second ones. A pass is bought by the last attempt that had begun when its outcome was known. */
export type AttemptSum = { tasks: number; passes: number; costUsd: Decimal };
/** Later attempts are counted with it. */
export const LAST_ATTEMPT = 5;

/**
 * Tasks that are alike in all but what they cost, their amounts added up: one of its own where `task` names it. What is said of many
 * tasks is said of these.
 */
export type TaskSlice = Pick<
  TaskSpend,
  | "task"
  | "group"
  | "team"
  | "costUsd"
  | "simulatedUsd"
  | "calls"
  | "unpricedCalls"
  | "status"
  | "isReverted"
  | "reviewMinutes"
> & {
  /** 0 for spend of no task. Each has `reviewMinutes`. */
  tasks: number;
  /** The sum of what each task cost, squared. */
  squaredUsd: Decimal;
  /** By number, from the first; runs tell attempts apart. */
  attempts: AttemptSum[];
};

/** Of tasks without an outcome, and of no task; the dearest first. */
export type OpenSpend = {
  dearest: Pick<TaskSpend, "task" | "costUsd" | "calls">[];
  openTasks: number;
  openUsd: Decimal;
  /** With that of tasks that have one. */
  allUsd: Decimal;
};

/** `subject` is all that the outcome names. */
export type OutcomeFilter = Partial<{
  task: string;
  runId: string;
  outcomeIds: readonly string[];
  traceIds: readonly string[];
  source: string;
  /** Said of other work by the merge of one of these requests: `revertedBy` or `restoredBy` in the evidence. */
  saidByRequests: readonly string[];
  subject: OutcomeSubject;
}>;

/**
 * What the calls at one span come to, apart by what became of them, by model and by reason. `costUsd` is null where they
 * have no cost. A span may have several, and need not have arrived.
 */
export type SpanSpend = {
  spanId: string;
  provider: string;
  model: string;
  costStatus: CostStatus;
  quarantineReason: string;
  calls: number;
  buckets: Buckets;
  costUsd: Decimal | null;
};

export const PREVIEW_GROUPS = ["model", "provider", "team", "key"] as const;
export type PreviewGroup = (typeof PREVIEW_GROUPS)[number];
/** What calls are booked with, and what they would cost by other prices. Quarantined calls are in neither. */
export type CostPreview = {
  group: string;
  calls: number;
  bookedUsd: Decimal;
  previewedUsd: Decimal;
  unpricedBefore: number;
  unpricedAfter: number;
};

/** `correct` prices a call as it was billed: then what closed months have billed otherwise is corrected in the open one. */
export type RatingRun = {
  table: PriceTable;
  range: TimeRange;
  ratingRunId: string;
  correct?: (call: RatedCall) => RatedCall;
};
/** `closedCalls` are those that closed months have billed otherwise, which stays, what is corrected already left out. */
export type RatingResult = { changedCalls: number; closedCalls: number; correctedCalls: number };

/** Rating by sets: the same prices, chosen once for each class of calls, and multiplied in the store. */
export type RatingStore = {
  /** The distinct classes of the calls that there are in the range. */
  listCallClasses(workspace: string, of: { range: TimeRange; scopes: PriceTable["scopes"] }): Promise<CallClass[]>;
  /**
   * Prices the calls of the table's classes again and writes what changes. Repeating it changes nothing. What closed
   * months have billed stays as it is; what they could not bill for want of a price is billed in the open one.
   */
  rateCalls(workspace: string, run: RatingRun): Promise<RatingResult>;
  previewCosts(
    workspace: string,
    of: { table: PriceTable; range: TimeRange; groupBy: PreviewGroup },
  ): Promise<CostPreview[]>;
};

/** Sums of days that are over, which questions about spend read instead of the calls. */
export type DailyCosts = {
  /**
   * Sums up the days that are over and have news, by the calendar of their workspace, and leaves out those without one;
   * resolves with how many.
   */
  refreshDailyCosts(nowNs: bigint, readTimeZone: (workspace: string) => Promise<string | null>): Promise<number>;
};

export type Ledger = {
  insertCalls(workspace: string, calls: readonly RatedCall[]): Promise<void>;
  /** Takes back calls that later spans showed to be none. Unknown ids change nothing. */
  withdrawCalls(workspace: string, callIds: readonly string[]): Promise<void>;
  insertOutcomes(workspace: string, outcomes: readonly Outcome[]): Promise<void>;
  /** Ids of the calls of these traces that began at the instant or later. */
  listCallIds(workspace: string, traceIds: readonly string[], fromNs: bigint): Promise<string[]>;
  /** Those of the ids that there are, in no order. */
  readCalls(workspace: string, callIds: readonly string[]): Promise<RatedCall[]>;
  /** Those of the sessions that have calls, in no order. */
  listSessionsWithCalls(workspace: string, sessionIds: readonly string[]): Promise<string[]>;
  listCalls(workspace: string, filter: CallFilter & { spanId?: string }, page: PageRequest): Promise<Page<RatedCall>>;
  /** All calls of the trace, however many, by span. */
  sumTraceCalls(workspace: string, traceId: string): Promise<SpanSpend[]>;
  sumCosts(workspace: string, query: { groupBy: CostGroup; filter: CallFilter; timeZone: string }): Promise<CostSum[]>;
  listMeterSpend(workspace: string, filter: CallFilter): Promise<MeterSpend[]>;
  listDailySpend(
    workspace: string,
    query: { groupBy: DailySpendGroup; filter: CallFilter; timeZone: string },
  ): Promise<DailySpend[]>;
  listTaskSpend(workspace: string, query: TaskQuestion): Promise<TaskSpend[]>;
  /** Each task by itself where tasks, and groups with spend of no task, are at most so many together. */
  sliceTasks(workspace: string, query: TaskQuestion & { mostSingle: number }): Promise<TaskSlice[]>;
  /** Spend of which nothing is known that became of it; how young a task is makes no difference. */
  listOpenSpend(workspace: string, query: TaskQuestion & { limit: number }): Promise<OpenSpend>;
  listOutcomes(workspace: string, filter: OutcomeFilter): Promise<Outcome[]>;
};

/** Calls that are alike in who makes them, of what model, at which tier and for what kind of task. */
export type CallShape = {
  key: string;
  provider: string;
  model: string;
  serviceTier: string;
  taskType: string;
  /** Reasoning effort as it was asked for; "" where nobody did. */
  effort: string;
  calls: number;
  sessions: number;
  costUsd: Decimal;
  /** Of all of them together. */
  buckets: Buckets;
  /** Output tokens that all but one in twenty stay below. */
  usualOutput: number;
  /** Output tokens beyond four times that, of all of them together. */
  outputBeyond: number;
};

export type CallShapeReader = {
  /** Dearest first, of calls that began in the range; records that stand for several requests are left out. */
  listCallShapes(workspace: string, range: TimeRange): Promise<CallShape[]>;
};
