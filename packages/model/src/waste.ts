/**
 * What was paid for twice: items of waste, each of one cause at one call, and the port of the warehouse that keeps them.
 * Invariant: the items of a call never add up to more than it cost, as causes take from what earlier ones have left.
 */
import type { Decimal } from "@centspan/base";
import type { Call, Provenance, RatedCall } from "./call.ts";
import type { CallFilter } from "./filters.ts";
import type { OutcomeStatus } from "./outcome.ts";
import type { SpanRecord } from "./span.ts";

export const WASTE_LAYERS = ["harness", "api", "inference"] as const;
export type WasteLayer = (typeof WASTE_LAYERS)[number];

/** `failed` is work that came to nothing; everything else was done before. */
export const WASTE_KINDS = ["repeated", "failed"] as const;
export type WasteKind = (typeof WASTE_KINDS)[number];

/** `certain` is what spans say, `likely` what follows from them where nothing else was at work. */
export const WASTE_CONFIDENCES = ["certain", "likely"] as const;
export type WasteConfidence = (typeof WASTE_CONFIDENCES)[number];

/** What a reader can check it by. Texts are only here where they are names: prompts are known as fingerprints. */
export type WasteEvidence = Partial<{
  /** Part of the prompt: system, tools, history or results. */
  section: string;
  /** JSON path of the first difference. */
  path: string;
  /** What was different there, in a word: tool_order, key_order, clock … */
  change: string;
  /** What of the request differed beside its prompt. */
  reasons: readonly string[];
  /** Of the span that it is compared with. */
  previousSpanId: string;
  /** What the provider calls this request and that one: the request's id, or else the response's. */
  requestId: string;
  previousRequestId: string;
  /** Number of the agent loop's turn. */
  turn: number;
  /** Since when it is so within its run: ISO 8601. */
  sinceAt: string;
  /** Tokens that were there before, of them those that a cache served, and those that were paid for again. */
  knownTokens: number;
  cachedTokens: number;
  repeatedTokens: number;
  /** Names of the tools it is about, the largest first. */
  tools: readonly string[];
  /** Spans that prove it, beside the item's own. */
  spanIds: readonly string[];
  /** Where the earlier request was answered, and where this one was. */
  from: string;
  to: string;
  idleSeconds: number;
}>;

/** Whose it is follows from its call. */
export type WasteItem = Pick<
  Call,
  | "callId"
  | "runId"
  | "traceId"
  | "spanId"
  | "atNs"
  | "keyId"
  | "key"
  | "team"
  | "task"
  | "taskType"
  | "repository"
  | "provider"
  | "model"
  | "provenance"
> & {
  itemId: string;
  /** Id of a cause. */
  cause: string;
  layer: WasteLayer;
  kind: WasteKind;
  costUsd: Decimal;
  seconds: number;
  confidence: WasteConfidence;
  evidence: WasteEvidence;
};

/** All that was done under one run id or, where none is named, session or trace: its calls in order of time. */
export type RunFacts = {
  calls: readonly RatedCall[];
  /** Of the harness, the API layer and inference, without a replica's own. */
  spans: readonly SpanRecord[];
  /** By call id; of those that have one. A run may be of several tasks. */
  outcomes: ReadonlyMap<string, OutcomeStatus>;
};

/** A run by its name within its workspace. `traceIds` are those that have news, `seenNs` is the latest of it. */
export type ChangedRun = { workspace: string; run: string; traceIds: readonly string[]; seenNs: bigint };

export const WASTE_GROUPS = ["cause", "layer", "key", "team", "task", "day"] as const;
export type WasteGroup = (typeof WASTE_GROUPS)[number];

export type WasteFilter = CallFilter & Partial<{ cause: string; layer: WasteLayer; spanId: string }>;

/** Where something stands: a trace, and a span of it. */
export type SpanPlace = { traceId: string; spanId: string };

export type WasteSum = {
  group: string;
  /** Of the cause that is the group, else empty. */
  layer: WasteLayer | "";
  kind: WasteKind | "";
  costUsd: Decimal;
  seconds: number;
  calls: number;
  runs: number;
  /** The dearest item. */
  topEvidence: SpanPlace | null;
  byProvenance: Partial<Record<Provenance, Decimal>>;
};

/** What the calls of a range cost, and what is known of it. */
export type WasteTotals = {
  spendUsd: Decimal;
  repeatedUsd: Decimal;
  failedUsd: Decimal;
  /** Spend of calls that no gateway of ours saw, or that are of traces too large to read. */
  notAnalysedUsd: Decimal;
  seconds: number;
};

/** What one change would end: items of one cause that have the same thing different. */
export type WasteFix = {
  cause: string;
  layer: WasteLayer;
  change: string;
  section: string;
  path: string;
  costUsd: Decimal;
  /** By day, for how sure a forecast is. */
  dailyUsd: readonly Decimal[];
  seconds: number;
  calls: number;
  runs: number;
  firstNs: bigint;
  /** The first call of the range that it could have been found at. */
  watchedFromNs: bigint;
  keys: readonly string[];
  teams: readonly string[];
  byProvenance: Partial<Record<Provenance, Decimal>>;
  /** Of the runs that lost most by it. */
  proof: readonly (SpanPlace & { task: string; costUsd: Decimal })[];
};

/** `limit`: so many groups at most, the dearest first. */
export type WasteQuestion = { groupBy: WasteGroup; filter: WasteFilter; timeZone: string; limit?: number | undefined };

export type WasteStore = {
  /** Runs of which something has come since: calls, spans, outcomes or decisions on them. `asOfNs` is the store's time. */
  listChangedRuns(sinceNs: bigint): Promise<{ asOfNs: bigint; runs: ChangedRun[] }>;
  /** Facts of each of the runs, by its name. One whose calls are gone has none. */
  readRuns(
    workspace: string,
    runs: readonly Omit<ChangedRun, "workspace">[],
    attributeNames: readonly string[],
  ): Promise<Map<string, RunFacts>>;
  /** Of one trace, whoever saw its calls, and without outcomes. */
  readTraceFacts(
    workspace: string,
    traceId: string,
    attributeNames: readonly string[],
  ): Promise<Pick<RunFacts, "calls" | "spans">>;
  /** In place of the items that each run had. Repeating it changes nothing. */
  replaceWaste(workspace: string, items: ReadonlyMap<string, readonly WasteItem[]>): Promise<void>;
  sumWaste(workspace: string, question: WasteQuestion): Promise<WasteSum[]>;
  sumWasteTotals(workspace: string, filter: CallFilter): Promise<WasteTotals>;
  /** Of repeated work, by trace; none for traces of which nothing but their cost is known. */
  sumTraceWaste(workspace: string, traceIds: readonly string[]): Promise<Map<string, Decimal>>;
  /** Of one trace, by span. */
  sumSpanWaste(workspace: string, traceId: string): Promise<Map<string, Decimal>>;
  /** The dearest first, then those that took longest. */
  listWaste(workspace: string, filter: WasteFilter, limit: number): Promise<WasteItem[]>;
  /** Those that were seen in the last week that had calls. */
  listFixes(workspace: string, filter: CallFilter, limit: number): Promise<WasteFix[]>;
};
