/** Calls, with their charge lines, between the model and the columns of `calls`. */
import { assert, type Decimal, formatDecimal, parseDecimal, quantiseLine } from "@centspan/base";
import {
  BUCKET_OF_METER,
  type Buckets,
  type CallSource,
  type ChargeLine,
  type CostStatus,
  costProvenance,
  METERS,
  type Meter,
  type Provenance,
  type RatedCall,
} from "@centspan/model";
import { readCount } from "../counts.ts";
import { nanoseconds, writeInstant } from "../instants.ts";

/** What tells a version of a call from another, and when it is billed. */
export type CallVersion = { contentHash: string; revision: string; postedAtNs: bigint };

export function toCallRow(workspace: string, call: RatedCall, { contentHash, revision, postedAtNs }: CallVersion) {
  const { buckets } = call;
  const [first] = call.lines;
  const pricedBy = { price_entry_id: first?.priceEntryId ?? "", rating_run_id: first?.ratingRunId ?? "" };
  assert(
    call.lines.every((line) => line.priceEntryId === first?.priceEntryId && line.ratingRunId === first.ratingRunId),
    `one price for all lines of ${call.callId}`,
  );
  return {
    workspace,
    call_id: call.callId,
    trace_id: call.traceId,
    span_id: call.spanId,
    at: writeInstant(call.atNs, "atNs"),
    posted_at: writeInstant(postedAtNs, "postedAtNs"),
    duration_ns: call.durationNs.toString(),
    ttft_ms: call.ttftMs,
    key_id: call.keyId,
    key: call.key,
    team: call.team,
    task: call.task,
    task_type: call.taskType,
    run_id: call.runId,
    session_id: call.sessionId,
    role: call.role,
    repository: call.repository,
    harness_version: call.harnessVersion,
    provider: call.provider,
    model: call.model,
    effort: call.effort,
    service_tier: call.serviceTier,
    region: call.region,
    response_id: call.responseId,
    source: call.source,
    dialect: call.dialect,
    input_semantics: call.inputSemantics,
    requests: call.requests,
    input: buckets.input,
    cache_read: buckets.cacheRead,
    cache_write_5m: buckets.cacheWrite5m,
    cache_write_1h: buckets.cacheWrite1h,
    output_text: buckets.outputText,
    output_reasoning: buckets.outputReasoning,
    web_searches: buckets.webSearches,
    cost_status: call.costStatus,
    ...pricedBy,
    lines: call.lines.map(toLine),
    cost_usd: call.costUsd === null ? null : writeAmount(call.costUsd),
    // The provider's figure may carry the noise of its own arithmetic; ours never does.
    provided_cost_usd: call.providedCostUsd === null ? null : writeAmount(quantiseLine(call.providedCostUsd)),
    provenance: costProvenance(call),
    usage_provenance: call.provenance,
    quarantine_reason: call.quarantineReason,
    content_hash: contentHash,
    revision,
    deleted: 0,
  };
}

const toLine = (line: ChargeLine) => ({
  meter: line.meter,
  quantity: line.quantity,
  unit_price_usd: writeAmount(line.unitPriceUsd),
  list_unit_price_usd: line.listUnitPriceUsd === null ? null : writeAmount(line.listUnitPriceUsd),
  cost_usd: writeAmount(line.costUsd),
});

export function writeAmount(amount: Decimal): string {
  assert(quantiseLine(amount).eq(amount), `an amount of at most 12 decimals, not ${formatDecimal(amount)}`);
  return formatDecimal(amount);
}

export const BUCKET_COLUMNS = {
  input: "input",
  cacheRead: "cache_read",
  cacheWrite5m: "cache_write_5m",
  cacheWrite1h: "cache_write_1h",
  outputText: "output_text",
  outputReasoning: "output_reasoning",
  webSearches: "web_searches",
} as const satisfies Record<keyof Buckets, string>;

export const columnOf = (meter: Meter): keyof BucketColumns => BUCKET_COLUMNS[BUCKET_OF_METER[meter]];

type BucketColumns = Record<(typeof BUCKET_COLUMNS)[keyof Buckets], string>;

export const readBuckets = (row: BucketColumns): Buckets => ({
  input: readCount(row.input),
  cacheRead: readCount(row.cache_read),
  cacheWrite5m: readCount(row.cache_write_5m),
  cacheWrite1h: readCount(row.cache_write_1h),
  outputText: readCount(row.output_text),
  outputReasoning: readCount(row.output_reasoning),
  webSearches: readCount(row.web_searches),
});

/** What `CallRow` consists of. */
export const CALL_COLUMNS = `call_id, trace_id, span_id, ${nanoseconds("at")} AS at_ns, duration_ns, ttft_ms,
  key_id, key, team, task, task_type, run_id, session_id, role, repository, harness_version,
  provider, model, effort, service_tier, region, response_id, source, dialect, input_semantics, requests,
  ${Object.values(BUCKET_COLUMNS).join(", ")},
  cost_status, cost_usd, provided_cost_usd, provenance, usage_provenance, quarantine_reason, price_entry_id, rating_run_id, lines`;

export type CallRow = BucketColumns & {
  call_id: string;
  trace_id: string;
  span_id: string;
  at_ns: string;
  duration_ns: string;
  ttft_ms: number | null;
  key_id: string;
  key: string;
  team: string;
  task: string;
  task_type: string;
  run_id: string;
  session_id: string;
  role: string;
  repository: string;
  harness_version: string;
  provider: string;
  model: string;
  effort: string;
  service_tier: string;
  region: string;
  response_id: string;
  source: CallSource;
  dialect: string;
  input_semantics: RatedCall["inputSemantics"];
  requests: string;
  cost_status: CostStatus;
  cost_usd: string | null;
  provided_cost_usd: string | null;
  provenance: Provenance;
  usage_provenance: Provenance;
  quarantine_reason: string;
  price_entry_id: string;
  rating_run_id: string;
  lines: {
    meter: Meter;
    quantity: string;
    unit_price_usd: string;
    list_unit_price_usd: string | null;
    cost_usd: string;
  }[];
};

export function fromCallRow(row: CallRow): RatedCall {
  return {
    callId: row.call_id,
    traceId: row.trace_id,
    spanId: row.span_id,
    atNs: BigInt(row.at_ns),
    durationNs: BigInt(row.duration_ns),
    ttftMs: row.ttft_ms,
    keyId: row.key_id,
    key: row.key,
    team: row.team,
    task: row.task,
    taskType: row.task_type,
    runId: row.run_id,
    sessionId: row.session_id,
    role: row.role,
    repository: row.repository,
    harnessVersion: row.harness_version,
    provider: row.provider,
    model: row.model,
    effort: row.effort,
    serviceTier: row.service_tier,
    region: row.region,
    responseId: row.response_id,
    source: row.source,
    dialect: row.dialect,
    inputSemantics: row.input_semantics,
    requests: readCount(row.requests),
    buckets: readBuckets(row),
    providedCostUsd: row.provided_cost_usd === null ? null : parseDecimal(row.provided_cost_usd),
    provenance: row.usage_provenance,
    ...(row.provenance !== row.usage_provenance && { priceProvenance: "simulated" }),
    quarantineReason: row.quarantine_reason,
    costStatus: row.cost_status,
    costUsd: row.cost_usd === null ? null : parseDecimal(row.cost_usd),
    lines: row.lines.map((line) => fromLine(line, row)).sort(byMeter),
  };
}

const fromLine = (
  line: CallRow["lines"][number],
  { price_entry_id: priceEntryId, rating_run_id: ratingRunId }: CallRow,
): ChargeLine => ({
  meter: line.meter,
  quantity: readCount(line.quantity),
  unitPriceUsd: parseDecimal(line.unit_price_usd),
  listUnitPriceUsd: line.list_unit_price_usd === null ? null : parseDecimal(line.list_unit_price_usd),
  costUsd: parseDecimal(line.cost_usd),
  priceEntryId,
  ratingRunId,
});

export const byMeter = (a: Pick<ChargeLine, "meter">, b: Pick<ChargeLine, "meter">): number =>
  METERS.indexOf(a.meter) - METERS.indexOf(b.meter);
