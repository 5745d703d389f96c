/**
 * The ports of the warehouse (ClickHouse) for what emitters send: spans, log records and metrics.
 * Everything is within one workspace; a workspace always comes from a credential, never from a payload.
 * Operating errors are CentspanError("store_unavailable").
 */
import type { Decimal } from "@centspan/base";
import type { Provenance } from "./call.ts";
import type { AttributeFilter, CallFilter, Page, PageRequest, TimeRange } from "./filters.ts";
import type { LogRecord } from "./log.ts";
import type { MetricPoint } from "./metric.ts";
import type { OutcomeStatus } from "./outcome.ts";
import type { Block, Signal, SignalTable } from "./signal.ts";
import type { SpanRecord } from "./span.ts";
import type { SpanColumns } from "./trace-skeleton.ts";

export type TraceFilter = CallFilter &
  Partial<{
    status: OutcomeStatus | "pending";
    minCostUsd: Decimal;
    /** Only traces in which a model was called or an agent ran: clients also trace their own housekeeping. */
    onlyRuns: boolean;
    sessionId: string;
    /** Of any of these. */
    tasks: readonly string[];
    /** Of any span of the trace. */
    attribute: AttributeFilter;
  }>;

export type TraceSummary = {
  traceId: string;
  runId: string;
  name: string;
  task: string;
  taskType: string;
  title: string;
  /** First line of the message that it answers, where content was kept: for who may read content. */
  prompt: string;
  key: string;
  team: string;
  model: string;
  startedAtNs: bigint;
  durationNs: bigint;
  spans: number;
  calls: number;
  errors: number;
  /** Null when no call of the trace could be priced. */
  costUsd: Decimal | null;
  provenance: Provenance | null;
  outcome: OutcomeStatus | "pending" | null;
};

/** A span without its attributes, plus the few facts a waterfall row shows. */
export type SpanSkeleton = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  service: string;
  startedAtNs: bigint;
  endedAtNs: bigint;
  status: SpanRecord["status"];
  layer: string;
  /** Short facts for the row, from a fixed list of attributes. */
  facts: Record<string, string>;
  links: { traceId: string; spanId: string }[];
  /** True for a span of another trace (an engine step) that a span of this one links to. */
  linked: boolean;
};

/** A span whose content differs between two deliveries is flagged; the first one counts. */
export type StoredTrace = { spans: SpanSkeleton[]; conflictingSpanIds: string[] };

/** The same of a trace of any size by column, in the order of a skeleton; `links` and `turns` of the spans that have them. */
export type StoredSkeleton = {
  columns: SpanColumns;
  links: ReadonlyMap<string, number>;
  turns: ReadonlyMap<string, string>;
  conflictingSpanIds: string[];
};

export type SpanStore = {
  insertSpans(workspace: string, spans: readonly SpanRecord[]): Promise<void>;
  listTraces(workspace: string, filter: TraceFilter, page: PageRequest): Promise<Page<TraceSummary>>;
  /** What a list says of that run. Null where there is none. */
  readTraceHead(workspace: string, traceId: string): Promise<TraceSummary | null>;
  readTrace(workspace: string, traceId: string): Promise<StoredTrace>;
  readSkeleton(workspace: string, traceId: string): Promise<StoredSkeleton>;
  /** Some spans of a trace with the facts of their rows, and with `linked` what they link to elsewhere. */
  readSpanRows(
    workspace: string,
    traceId: string,
    of: { spanIds: readonly string[]; linked: boolean } | { name: string; limit: number },
  ): Promise<SpanSkeleton[]>;
  readSpan(workspace: string, traceId: string, spanId: string): Promise<SpanRecord | null>;
};

/** Lists of traces read a summary of each, which is worked out again when something of the trace has come. */
export type TraceSummaries = {
  /**
   * Brings the summaries of all traces up to date of which anything was received since the instant. `asOfNs` is what to
   * ask from the next time: everything received before it was seen. 0 works all of them out.
   */
  refreshTraceSummaries(sinceNs: bigint): Promise<{ asOfNs: bigint }>;
};

/** Where the collector's blocks go. */
export type BlockStore = {
  /**
   * Resolves when the rows are durable. `token` names the block: the same block under the same token is stored once.
   * Rejects with `store_unavailable` where trying again later may help, and with anything else where it will not.
   */
  insertBlock(table: SignalTable, block: Block, token: string): Promise<void>;
};

export type LogFilter = Partial<{
  range: TimeRange;
  traceId: string;
  sessionId: string;
  service: string;
  eventName: string;
  attribute: AttributeFilter;
}>;
export type MetricFilter = Partial<{ range: TimeRange; name: string; service: string; sessionId: string }>;

/** Logs and metrics, newest first. Retries of an export show once. */
export type SignalStore = {
  listLogs(workspace: string, filter: LogFilter, page: PageRequest): Promise<Page<LogRecord>>;
  listMetricPoints(workspace: string, filter: MetricFilter, page: PageRequest): Promise<Page<MetricPoint>>;
  /** One row for each service and signal that sent something in the last thirty days. */
  listSources(workspace: string): Promise<Source[]>;
};

/** `records` are spans, log records or data points of the last 24 hours, retries included. */
export type Source = { signal: Signal; service: string; lastReceivedAtNs: bigint; records: number };

/** In the warehouse. Calls, charge lines and outcomes stay: money is not forgotten with the spans that spent it. */
export type RetentionStore = {
  /** Deletes what happened before the instant; resolves with the number of rows that were there. */
  deleteBefore(workspace: string, signal: Signal, beforeNs: bigint): Promise<number>;
};

/**
 * What is rated together: a trace, or a stretch of a session whose log records stand in no trace. Of such a session the
 * traces around that time belong to it too, since its records may be about their calls.
 */
export type UsageUnit =
  | { kind: "trace"; traceId: string }
  | { kind: "session"; sessionId: string; fromNs: bigint; toNs: bigint };

/**
 * A piece of news of a unit, which may have several. `appearance` tells them apart, and stays the same as long as this
 * one can be seen; `records` is how much came with it.
 */
export type UsageChange = {
  workspace: string;
  unit: UsageUnit;
  appearance: string;
  receivedAtNs: bigint;
  records: number;
};

export type Usage = {
  /** The traces that are here as far as they matter: what may be calls, and every span on the way up from there. */
  traceIds: string[];
  spans: SpanRecord[];
  /** Records that may be calls, in the context of these traces, of their sessions, or of the unit's. */
  logs: LogRecord[];
  /**
   * Where all that a record outside of traces could belong to is here: only there one that belongs to no span is a
   * call of its own. Null where there is no such time.
   */
  wholeWithin: { fromNs: bigint; toNs: bigint } | null;
};

/** What the rating worker needs of spans and log records: where there is news, and what belongs to it. */
export type UsageFeed = {
  /** All that was received before `asOfNs`, a time of the store's clock, is there; of what came later some may be missing. */
  listChangedUsage(sinceNs: bigint): Promise<{ asOfNs: bigint; changes: UsageChange[] }>;
  /**
   * One answer for each unit, in their order. Spans come without events and links and, where names are given, with the
   * attributes of these names alone, their resource's too: what was said to a model is large, and no matter of what it cost.
   */
  readUsage(workspace: string, units: readonly UsageUnit[], attributeNames?: readonly string[]): Promise<Usage[]>;
};
