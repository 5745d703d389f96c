/**
 * Opens the warehouse: one connection behind the ports of the model. Nothing is contacted until the first question.
 * A store that is away is `store_unavailable` each time it is asked, and answers again as soon as it is back.
 */
import type { Clock } from "@centspan/base";
import type {
  BillingReader,
  BlockStore,
  Books,
  CallShapeReader,
  DailyCosts,
  EngineTimeReader,
  FinishedRunStore,
  Ledger,
  OutcomeLinkStore,
  RatingStore,
  RetentionStore,
  SignalStore,
  SpanStore,
  TraceSummaries,
  UsageFeed,
  WasteStore,
  WorkCostStore,
  WorkspaceRows,
} from "@centspan/model";
import { openConnection } from "./connection.ts";
import { deleteBefore } from "./loaders/delete-before.ts";
import { deleteWorkspaceRows } from "./loaders/delete-workspace.ts";
import { createBlockStore } from "./loaders/insert-block.ts";
import { insertCalls } from "./loaders/insert-calls.ts";
import { insertOutcomeLinks, insertWorkMarks, listLinkNews, replaceWorkStretches } from "./loaders/insert-links.ts";
import { insertOutcomes } from "./loaders/insert-outcomes.ts";
import { insertSpans } from "./loaders/insert-spans.ts";
import { rateCalls } from "./loaders/rate-calls.ts";
import { refreshDailyCosts } from "./loaders/refresh-daily-costs.ts";
import { refreshTraceSummaries } from "./loaders/refresh-trace-summaries.ts";
import { replaceWaste } from "./loaders/replace-waste.ts";
import { createRevisions } from "./loaders/revisions.ts";
import { withdrawCalls } from "./loaders/withdraw-calls.ts";
import { migrateWarehouse } from "./migrate.ts";
import {
  countUnknownCosts,
  listCharges,
  listMinuteTokens,
  readFirstPostedNs,
  readNextPostedNs,
  sumTeams,
} from "./readers/billed-lines.ts";
import { exportRows } from "./readers/export-rows.ts";
import { waitForWriters } from "./readers/is-written.ts";
import { listAskedRequests } from "./readers/list-asked-requests.ts";
import { listCallClasses } from "./readers/list-call-classes.ts";
import { listCallIds } from "./readers/list-call-ids.ts";
import { listCallShapes } from "./readers/list-call-shapes.ts";
import { listCalls } from "./readers/list-calls.ts";
import { listChangedRuns } from "./readers/list-changed-runs.ts";
import { listChangedUsage } from "./readers/list-changed-usage.ts";
import { listDailySpend } from "./readers/list-daily-spend.ts";
import { listEngineRequests } from "./readers/list-engine-requests.ts";
import { listEngineSpells } from "./readers/list-engine-spells.ts";
import { listEngineFacts, listEngineSteps } from "./readers/list-engine-steps.ts";
import { listFinishedRuns } from "./readers/list-finished-runs.ts";
import { listFixes } from "./readers/list-fixes.ts";
import { listLogs } from "./readers/list-logs.ts";
import { listMeterSpend } from "./readers/list-meter-spend.ts";
import { listMetricPoints } from "./readers/list-metric-points.ts";
import { listOpenSpend } from "./readers/list-open-spend.ts";
import { listOutcomes } from "./readers/list-outcomes.ts";
import { listServedRequests } from "./readers/list-served-requests.ts";
import { listSessionsWithCalls } from "./readers/list-sessions-with-calls.ts";
import { listSightings } from "./readers/list-sightings.ts";
import { listSources } from "./readers/list-sources.ts";
import { listTaskSpend } from "./readers/list-task-spend.ts";
import { listTraces } from "./readers/list-traces.ts";
import { listMarks, listUnlinked } from "./readers/list-unlinked.ts";
import { listWaste } from "./readers/list-waste.ts";
import { previewCosts } from "./readers/preview-costs.ts";
import { readCalls } from "./readers/read-calls.ts";
import { readLinkFacts } from "./readers/read-link-facts.ts";
import { readRuns } from "./readers/read-runs.ts";
import { readSkeleton } from "./readers/read-skeleton.ts";
import { readSpan } from "./readers/read-span.ts";
import { readSpanRows, readTrace } from "./readers/read-trace.ts";
import { readTraceFacts } from "./readers/read-trace-facts.ts";
import { readTraceHead } from "./readers/read-trace-head.ts";
import { readUsage } from "./readers/read-usage.ts";
import { listWorkSeconds, readWorkFacts } from "./readers/read-work-facts.ts";
import { sliceTasks } from "./readers/slice-tasks.ts";
import { sumCosts } from "./readers/sum-costs.ts";
import { sumEngineTime } from "./readers/sum-engine-time.ts";
import { sumTraceCalls } from "./readers/sum-trace-calls.ts";
import { countQuarantined, sumUsage } from "./readers/sum-usage.ts";
import { sumSpanWaste, sumTraceWaste, sumWaste, sumWasteTotals } from "./readers/sum-waste.ts";
import { readWorkOfTraces } from "./readers/work-places.ts";

export type Warehouse = SpanStore &
  EngineTimeReader &
  CallShapeReader &
  BlockStore &
  SignalStore &
  TraceSummaries &
  RetentionStore &
  UsageFeed &
  Ledger &
  DailyCosts &
  RatingStore &
  WasteStore &
  WorkCostStore &
  OutcomeLinkStore &
  FinishedRunStore &
  WorkspaceRows &
  BillingReader & {
    /** Makes the database and its tables, or brings them up to date. Safe from several processes at once. */
    migrate(): Promise<void>;
    /** Resolves when the store answers; `store_unavailable` otherwise. */
    ping(): Promise<void>;
    close(): Promise<void>;
  };

type WarehouseOptions = {
  /** http://user:password@host:port/database */
  url: string;
  /** A folder that a store on this machine reads too, as the embedded one does: blocks go by way of it. */
  blockFolder?: string;
  /** Which months are closed. Whoever writes calls gives the control plane; without it none are. */
  books?: Books;
  /** When what comes after its month was closed is posted. The wall clock, but for tests of a month that was. */
  clock?: Clock;
};

const NOTHING_CLOSED: Books = { whileAlone: (_workspace, work) => work(0n) };

export function openWarehouse({ url, blockFolder, books = NOTHING_CLOSED, clock }: WarehouseOptions): Warehouse {
  const connection = openConnection(url);
  const revisions = createRevisions(clock?.nowNs);
  return {
    insertSpans: (workspace, spans) => insertSpans(connection, workspace, spans),
    ...createBlockStore(connection, blockFolder),
    listTraces: (workspace, filter, page) => listTraces(connection, workspace, filter, page),
    readTraceHead: (workspace, traceId) => readTraceHead(connection, workspace, traceId),
    readTrace: (workspace, traceId) => readTrace(connection, workspace, traceId),
    readSkeleton: (workspace, traceId) => readSkeleton(connection, workspace, traceId),
    readSpanRows: (workspace, traceId, of) => readSpanRows(connection, workspace, traceId, of),
    readSpan: (workspace, traceId, spanId) => readSpan(connection, workspace, traceId, spanId),
    deleteBefore: (workspace, signal, beforeNs) => deleteBefore(connection, workspace, signal, beforeNs),
    deleteWorkspaceRows: (workspace) => deleteWorkspaceRows(connection, workspace),
    exportRows: (workspace, table) => exportRows(connection, workspace, table),
    refreshTraceSummaries: (sinceNs) => refreshTraceSummaries(connection, sinceNs),
    listLogs: (workspace, filter, page) => listLogs(connection, workspace, filter, page),
    listMetricPoints: (workspace, filter, page) => listMetricPoints(connection, workspace, filter, page),
    sumEngineTime: (workspace, range) => sumEngineTime(connection, workspace, range),
    listEngineSteps: (workspace, range, most) => listEngineSteps(connection, workspace, range, most),
    listAskedRequests: (workspace, filter, most) => listAskedRequests(connection, workspace, filter, most),
    listServedRequests: (workspace, service, range, most) =>
      listServedRequests(connection, { workspace, service }, range, most),
    listEngineRequests: (workspace, service, range, most) =>
      listEngineRequests(connection, { workspace, service }, range, most),
    listCallShapes: (workspace, range) => listCallShapes(connection, workspace, range),
    listEngineSpells: (workspace, range) => listEngineSpells(connection, workspace, range),
    listEngineFacts: (workspace, range) => listEngineFacts(connection, workspace, range),
    listSources: (workspace) => listSources(connection, workspace),
    listChangedUsage: (sinceNs) => listChangedUsage(connection, sinceNs),
    readUsage: (workspace, units, attributeNames) => readUsage(connection, workspace, units, attributeNames),
    insertCalls: (workspace, calls) => insertCalls(connection, { revisions, books }, workspace, calls),
    withdrawCalls: (workspace, callIds) => withdrawCalls(connection, { revisions, books }, workspace, callIds),
    listCallClasses: (workspace, of) => listCallClasses(connection, workspace, of),
    rateCalls: (workspace, run) => rateCalls(connection, { revisions, books }, workspace, run),
    refreshDailyCosts: (nowNs, readTimeZone) =>
      refreshDailyCosts(connection, { revisions, books }, nowNs, readTimeZone),
    previewCosts: (workspace, of) => previewCosts(connection, workspace, of),
    insertOutcomes: (workspace, outcomes) => insertOutcomes(connection, revisions, workspace, outcomes),
    readCalls: (workspace, callIds) => readCalls(connection, workspace, callIds),
    listSessionsWithCalls: (workspace, sessionIds) => listSessionsWithCalls(connection, workspace, sessionIds),
    listCallIds: (workspace, traceIds, fromNs) => listCallIds(connection, workspace, traceIds, fromNs),
    listCalls: (workspace, filter, page) => listCalls(connection, workspace, filter, page),
    sumTraceCalls: (workspace, traceId) => sumTraceCalls(connection, workspace, traceId),
    sumCosts: (workspace, query) => sumCosts(connection, workspace, query),
    sumTeams: (workspace, range) => sumTeams(connection, workspace, range),
    countUnknownCosts: (workspace, range) => countUnknownCosts(connection, workspace, range),
    waitForWriters: (workspace) => waitForWriters(connection, workspace),
    readFirstPostedNs: (workspace) => readFirstPostedNs(connection, workspace),
    readNextPostedNs: (workspace, fromNs) => readNextPostedNs(connection, workspace, fromNs),
    listCharges: (workspace, range, timeZone) => listCharges(connection, workspace, range, timeZone),
    listMinuteTokens: (workspace, range, timeZone, filter) =>
      listMinuteTokens(connection, workspace, range, timeZone, filter),
    sumUsage: (workspace, question) => sumUsage(connection, workspace, question),
    countQuarantined: (workspace, question) => countQuarantined(connection, workspace, question),
    listMeterSpend: (workspace, filter) => listMeterSpend(connection, workspace, filter),
    listDailySpend: (workspace, query) => listDailySpend(connection, workspace, query),
    listTaskSpend: (workspace, query) => listTaskSpend(connection, workspace, query),
    sliceTasks: (workspace, query) => sliceTasks(connection, workspace, query),
    listOpenSpend: (workspace, query) => listOpenSpend(connection, workspace, query),
    listOutcomes: (workspace, filter) => listOutcomes(connection, workspace, filter),
    listFinishedRuns: (workspace, sinceNs) => listFinishedRuns(connection, workspace, sinceNs),
    listSightings: (sinceNs, names) => listSightings(connection, sinceNs, names),
    insertWorkMarks: (workspace, marks) => insertWorkMarks(connection, workspace, marks),
    listLinkNews: (sinceNs) => listLinkNews(connection, sinceNs),
    readLinkFacts: (workspace, sinceNs) => readLinkFacts(connection, workspace, sinceNs),
    listUnlinked: (workspace, of) => listUnlinked(connection, workspace, of),
    listMarks: (workspace, of) => listMarks(connection, workspace, of),
    insertOutcomeLinks: (workspace, links) => insertOutcomeLinks(connection, revisions, workspace, links),
    replaceWorkStretches: (workspace, stretches, tasks) =>
      replaceWorkStretches(connection, revisions, workspace, stretches, tasks),
    listChangedRuns: (sinceNs) => listChangedRuns(connection, sinceNs),
    readWorkOfTraces: (workspace, traceIds) => readWorkOfTraces(connection, workspace, traceIds),
    readWorkFacts: (workspace, range) => readWorkFacts(connection, workspace, range),
    listWorkSeconds: (workspace, range, traceIds) => listWorkSeconds(connection, workspace, range, traceIds),
    readRuns: (workspace, runs, attributeNames) => readRuns(connection, workspace, runs, attributeNames),
    readTraceFacts: (workspace, traceId, names) => readTraceFacts(connection, workspace, traceId, names),
    replaceWaste: (workspace, items) => replaceWaste(connection, revisions, workspace, items),
    sumWaste: (workspace, query) => sumWaste(connection, workspace, query),
    sumWasteTotals: (workspace, filter) => sumWasteTotals(connection, workspace, filter),
    sumTraceWaste: (workspace, traceIds) => sumTraceWaste(connection, workspace, traceIds),
    sumSpanWaste: (workspace, traceId) => sumSpanWaste(connection, workspace, traceId),
    listWaste: (workspace, filter, limit) => listWaste(connection, workspace, filter, limit),
    listFixes: (workspace, filter, limit) => listFixes(connection, workspace, filter, limit),
    migrate: () => migrateWarehouse(connection),
    ping: async () => {
      await connection.query("SELECT 1");
    },
    close: () => connection.close(),
  };
}
