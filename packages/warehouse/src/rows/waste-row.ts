/** Items of waste between the model and the columns of `waste_items`. */
import { type Decimal, parseDecimal } from "@centspan/base";
import { PROVENANCES, type Provenance, type WasteItem } from "@centspan/model";
import { nanoseconds, writeInstant } from "../instants.ts";
import { writeAmount } from "./call-row.ts";

export const toWasteRow = (workspace: string, run: string, item: WasteItem) => ({
  workspace,
  run,
  item_id: item.itemId,
  cause: item.cause,
  layer: item.layer,
  kind: item.kind,
  at: writeInstant(item.atNs, "atNs"),
  call_id: item.callId,
  run_id: item.runId,
  trace_id: item.traceId,
  span_id: item.spanId,
  key_id: item.keyId,
  key: item.key,
  team: item.team,
  task: item.task,
  task_type: item.taskType,
  repository: item.repository,
  provider: item.provider,
  model: item.model,
  cost_usd: writeAmount(item.costUsd),
  seconds: item.seconds,
  confidence: item.confidence,
  provenance: item.provenance,
  // JSON text: it is shown whole.
  evidence: JSON.stringify(item.evidence),
});

export const WASTE_COLUMNS = `item_id, cause, layer, kind, ${nanoseconds("at")} AS at_ns, call_id, run_id, trace_id, span_id,
  key_id, key, team, task, task_type, repository, provider, model, cost_usd, seconds, confidence, provenance, evidence`;

export type WasteItemRow = Omit<ReturnType<typeof toWasteRow>, "workspace" | "run" | "at"> & { at_ns: string };

export const fromWasteRow = (row: WasteItemRow): WasteItem => ({
  itemId: row.item_id,
  cause: row.cause,
  layer: row.layer,
  kind: row.kind,
  atNs: BigInt(row.at_ns),
  callId: row.call_id,
  runId: row.run_id,
  traceId: row.trace_id,
  spanId: row.span_id,
  keyId: row.key_id,
  key: row.key,
  team: row.team,
  task: row.task,
  taskType: row.task_type,
  repository: row.repository,
  provider: row.provider,
  model: row.model,
  costUsd: parseDecimal(row.cost_usd),
  seconds: row.seconds,
  confidence: row.confidence,
  provenance: row.provenance,
  evidence: JSON.parse(row.evidence),
});

/** Columns of the cost by provenance, over rows with `cost_usd`. */
export const COST_BY_PROVENANCE = PROVENANCES.map((kind) => `sumIf(cost_usd, provenance = '${kind}') AS ${kind}`).join(
  ", ",
);

/** Kinds that cost nothing are absent. */
export function readByProvenance(row: Record<Provenance, string>): Partial<Record<Provenance, Decimal>> {
  const costs = PROVENANCES.map((kind) => [kind, parseDecimal(row[kind])] as const);
  return Object.fromEntries(costs.filter(([, costUsd]) => costUsd.gt("0")));
}
