/**
 * Units of rating, read as far as their calls may depend on it. Records that stand in no trace are joined to spans by
 * time, so that of a session only what lies around the news is read: the cost of a record does not grow with the age
 * of its session.
 */
import type { Usage, UsageUnit } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { instantParam } from "../instants.ts";
import { readLogsOfSessions, readLogsOfTraces } from "./read-usage-logs.ts";
import { readUsageSpans } from "./read-usage-spans.ts";
import { boundOf, extentOf, isWithin, type Stretch, widen } from "./stretches.ts";

/** How far a record may lie from the end of its span; no dialect allows more. */
const REACH_NS = 5_000_000_000n;

type ReadSpans = (traceIds: readonly string[]) => ReturnType<typeof readUsageSpans>;

export async function readUsage(
  connection: Connection,
  workspace: string,
  units: readonly UsageUnit[],
  attributeNames?: readonly string[],
): Promise<Usage[]> {
  const readSpans: ReadSpans = (ids) => readUsageSpans(connection, workspace, ids, attributeNames);
  const traceIds = new Set(units.flatMap((unit) => (unit.kind === "trace" ? [unit.traceId] : [])));
  const ofTrace = await readTraces(connection, workspace, [...traceIds], readSpans);
  const answers: Usage[] = [];
  for (const unit of units) {
    const usage =
      unit.kind === "trace" ? ofTrace.get(unit.traceId) : await readSession(connection, workspace, unit, readSpans);
    answers.push(usage ?? { traceIds: [], spans: [], logs: [], wholeWithin: null });
  }
  return answers;
}

/** Traces, each with the records in its context and those of its sessions while it lasted. */
async function readTraces(
  connection: Connection,
  workspace: string,
  traceIds: readonly string[],
  readSpans: ReadSpans,
): Promise<Map<string, Usage>> {
  const spansOf = await readSpans(traceIds);
  const inContext = await readLogsOfTraces(connection, workspace, traceIds);
  const traces = [...spansOf].map(([traceId, { spans, sessionIds }]) => {
    const extent = extentOf(spans);
    return { traceId, spans, sessionIds, around: extent && sessionIds.size > 0 ? widen(extent, REACH_NS) : null };
  });
  const around = boundOf(traces.flatMap((trace) => trace.around ?? []));
  const sessionIds = [...new Set(traces.flatMap((trace) => [...trace.sessionIds]))];
  const beside = around ? await readLogsOfSessions(connection, workspace, sessionIds, around) : [];
  return new Map(
    traces.map((trace) => [
      trace.traceId,
      {
        traceIds: [trace.traceId],
        spans: trace.spans,
        logs: [
          ...inContext.filter(({ traceId }) => traceId === trace.traceId),
          ...beside
            .filter(
              ({ sessionId, log }) =>
                trace.sessionIds.has(sessionId) && trace.around && isWithin(trace.around, log.atNs),
            )
            .map(({ log }) => log),
        ],
        wholeWithin: null,
      },
    ]),
  );
}

/**
 * The records around the news, since a new one may take the span that another one had; all traces that ended where one
 * of these may belong; and the records of all of these traces.
 */
async function readSession(
  connection: Connection,
  workspace: string,
  { sessionId, fromNs, toNs }: Extract<UsageUnit, { kind: "session" }>,
  readSpans: ReadSpans,
): Promise<Usage> {
  const whole = widen({ fromNs, toNs }, 3n * REACH_NS);
  const traceIds = await listTracesOfSession(connection, workspace, sessionId, widen(whole, REACH_NS));
  const spansOf = await readSpans(traceIds);
  const spans = [...spansOf.values()].flatMap((trace) => trace.spans);
  const extent = extentOf(spans);
  const all = boundOf([whole, ...(extent ? [widen(extent, REACH_NS)] : [])]) ?? whole;
  const [inContext, beside] = await Promise.all([
    readLogsOfTraces(connection, workspace, traceIds),
    readLogsOfSessions(connection, workspace, [sessionId], all),
  ]);
  return { traceIds, spans, logs: [...inContext, ...beside.map(({ log }) => log)], wholeWithin: whole };
}

async function listTracesOfSession(
  connection: Connection,
  workspace: string,
  sessionId: string,
  { fromNs, toNs }: Stretch,
): Promise<string[]> {
  if (sessionId === "") return [];
  const rows = await connection.query<{ trace_id: string }>(
    `SELECT DISTINCT trace_id FROM spans
     WHERE workspace = {workspace:String} AND session_id = {sessionId:String}
       AND started_at <= ${instantParam("toNs")} AND ended_at >= ${instantParam("fromNs")}
     ORDER BY trace_id`,
    { workspace, sessionId, fromNs: fromNs.toString(), toNs: toNs.toString() },
  );
  return rows.map(({ trace_id }) => trace_id);
}
