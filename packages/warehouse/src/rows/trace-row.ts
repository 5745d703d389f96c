/** Runs between the two questions that find them and the model: what their calls say, and what their spans say. */
import { type Decimal, parseDecimal } from "@centspan/base";
import { PROVENANCES, type Provenance, resolveProvenance, type TraceSummary } from "@centspan/model";
import { readCount } from "../counts.ts";

/** A trace with its calls and its outcome. Empty text means that nothing said so. */
export type TraceSpendRow = {
  trace_id: string;
  face_id: string;
  started_ns: string;
  run_id: string;
  task: string;
  task_type: string;
  key: string;
  team: string;
  model: string;
  calls: string;
  cost_usd: string | null;
  outcome: NonNullable<TraceSummary["outcome"]> | "";
} & Record<Provenance, string | null>;

/** The span that stands for a trace: its root, or the earliest while there is none. */
export type TraceFaceRow = {
  trace_id: string;
  span_id: string;
  name: string;
  is_root: 0 | 1;
  duration_ns: string;
  title: string;
  task_type: string;
  key: string;
  team: string;
  model: string;
};

export type TraceExtentRow = { trace_id: string; spans: string; errors: string; duration_ns: string };

export function toTraceSummary(row: TraceSpendRow, face: TraceFaceRow, extent: TraceExtentRow): TraceSummary {
  return {
    traceId: row.trace_id,
    runId: row.run_id,
    name: face.name,
    task: row.task,
    taskType: row.task_type || face.task_type,
    title: face.title,
    key: row.key || face.key,
    team: row.team || face.team,
    model: row.model || face.model,
    startedAtNs: BigInt(row.started_ns),
    durationNs: BigInt(face.is_root ? face.duration_ns : extent.duration_ns),
    spans: readCount(extent.spans),
    calls: readCount(row.calls),
    errors: readCount(extent.errors),
    costUsd: row.cost_usd === null ? null : parseDecimal(row.cost_usd),
    provenance: resolveProvenance(readCosts(row)),
    outcome: row.outcome === "" ? null : row.outcome,
  };
}

/** What the trace cost by provenance; kinds that cost nothing are absent. */
function readCosts(row: Record<Provenance, string | null>): Partial<Record<Provenance, Decimal>> {
  const costs: Partial<Record<Provenance, Decimal>> = {};
  for (const kind of PROVENANCES) {
    const cost = row[kind];
    if (cost !== null) costs[kind] = parseDecimal(cost);
  }
  return costs;
}
