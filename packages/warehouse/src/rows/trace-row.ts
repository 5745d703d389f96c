/** Runs between the two questions that find them and the model: what their calls say, and what their spans say. */
import { type Decimal, parseDecimal } from "@centspan/base";
import { PROVENANCES, type Provenance, resolveProvenance, type TraceSummary } from "@centspan/model";
import { readCount } from "../counts.ts";

/** The summary of a trace with its calls and its outcome. Empty text means that nothing said so. */
export type TraceSpendRow = {
  trace_id: string;
  face_id: string;
  name: string;
  started_ns: string;
  duration_ns: string;
  spans: string;
  errors: string;
  run: string;
  own_task: string;
  task_type: string;
  key: string;
  own_team: string;
  own_model: string;
  calls: string;
  cost_usd: string | null;
  outcome: NonNullable<TraceSummary["outcome"]> | "";
} & Record<Provenance, string | null>;

/** A key's name is a gateway's to say. */
export const KEY_OF_FACE = "if(trusted, attributes['centspan.key.name'], '')";

/** What the span says that stands for a trace. */
export type TraceFaceRow = Record<"trace_id" | "span_id" | "title" | "prompt" | "task_type" | "key", string>;

export const TITLES_OF_FACE =
  "attributes['centspan.task.title'] AS title, attributes['centspan.prompt.title'] AS prompt";

/** Retention may have taken the face since the row was read. */
export function toTraceSummary(row: TraceSpendRow, face: TraceFaceRow | undefined): TraceSummary {
  return {
    traceId: row.trace_id,
    runId: row.run,
    name: row.name,
    task: row.own_task,
    taskType: row.task_type || (face?.task_type ?? ""),
    title: face?.title ?? "",
    prompt: face?.prompt ?? "",
    key: row.key || (face?.key ?? ""),
    team: row.own_team,
    model: row.own_model,
    startedAtNs: BigInt(row.started_ns),
    durationNs: BigInt(row.duration_ns),
    spans: readCount(row.spans),
    calls: readCount(row.calls),
    errors: readCount(row.errors),
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
