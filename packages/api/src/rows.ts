/** Domain values as rows of the wire: decimals and 64-bit integers to strings, instants to ISO 8601. */
import type { OutcomeCost } from "@centspan/attribution";
import { type Decimal, formatDecimal, formatInstant } from "@centspan/base";
import {
  type CallRow,
  type CostRow,
  type CostSum,
  costProvenance,
  type Key,
  type KeyRow,
  type Outcome,
  type OutcomeCostRow,
  type OutcomeRow,
  type RatedCall,
  resolveProvenance,
  type SpanDetail,
  type SpanRecord,
  type TraceRow,
  type TraceSummary,
  type WorkOfTrace,
} from "@centspan/model";

const money = (amount: Decimal | null): string | null => (amount === null ? null : formatDecimal(amount));

export function toCallRow(call: RatedCall): CallRow {
  const {
    atNs,
    durationNs,
    costUsd,
    providedCostUsd,
    lines,
    dialect: _dialect,
    inputSemantics: _semantics,
    priceProvenance: _price,
    ...same
  } = call;
  return {
    ...same,
    provenance: costProvenance(call),
    at: formatInstant(atNs),
    durationNs: durationNs.toString(),
    costUsd: money(costUsd),
    providedCostUsd: money(providedCostUsd),
    lines: lines.map((line) => ({
      ...line,
      unitPriceUsd: formatDecimal(line.unitPriceUsd),
      listUnitPriceUsd: money(line.listUnitPriceUsd),
      costUsd: formatDecimal(line.costUsd),
    })),
  };
}

export function toCostRow(sum: CostSum): CostRow {
  const byProvenance: CostRow["byProvenance"] = {};
  for (const [kind, amount] of entriesOf(sum.byProvenance)) byProvenance[kind] = formatDecimal(amount);
  return { ...sum, costUsd: formatDecimal(sum.costUsd), byProvenance, provenance: resolveProvenance(sum.byProvenance) };
}

export function toOutcomeCostRow(row: OutcomeCost): OutcomeCostRow {
  return {
    ...row,
    spendUsd: formatDecimal(row.spendUsd),
    reviewUsd: formatDecimal(row.reviewUsd),
    unpricedReviewMinutes: formatDecimal(row.unpricedReviewMinutes),
    allSpendUsd: formatDecimal(row.allSpendUsd),
    failedSpendUsd: formatDecimal(row.failedSpendUsd),
    costPerPassUsd: money(row.costPerPassUsd),
    interval: row.interval && {
      ...row.interval,
      lowUsd: money(row.interval.lowUsd),
      highUsd: money(row.interval.highUsd),
    },
    pendingBounds: row.pendingBounds && {
      allPassUsd: money(row.pendingBounds.allPassUsd),
      allFailUsd: money(row.pendingBounds.allFailUsd),
    },
    coverage: money(row.coverage),
    simulatedShare: money(row.simulatedShare),
  };
}

type BesideTrace = {
  anomalies: string[];
  wasteUsd: Decimal | null;
  work: WorkOfTrace | undefined;
  showsContent: boolean;
};

/** A run that nobody gave a title is called by what was asked, or else by where it worked: a session's id tells nobody anything. */
export function toTraceRow(trace: TraceSummary, { anomalies, wasteUsd, work, showsContent }: BesideTrace): TraceRow {
  const { startedAtNs, durationNs, costUsd, prompt, ...same } = trace;
  return {
    ...same,
    title: trace.title || (showsContent && prompt) || (work === undefined ? "" : nameWork(work)),
    startedAt: formatInstant(startedAtNs),
    durationNs: durationNs.toString(),
    costUsd: money(costUsd),
    wasteUsd: money(wasteUsd),
    anomalies,
  };
}

const nameWork = ({ repository, branch, pullRequest }: WorkOfTrace): string =>
  [pullRequest || repository, branch].filter((name) => name !== "").join(" · ");

export function toSpanDetail(span: SpanRecord): SpanDetail {
  const { startedAtNs, endedAtNs, events, links, ...same } = span;
  return {
    ...same,
    startedAt: formatInstant(startedAtNs),
    endedAt: formatInstant(endedAtNs),
    durationNs: (endedAtNs - startedAtNs).toString(),
    events: events.map((event) => ({ at: formatInstant(event.atNs), name: event.name, attributes: event.attributes })),
    links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    hidden: [],
  };
}

export function toOutcomeRow(outcome: Outcome): OutcomeRow {
  const { atNs, subject, ...same } = outcome;
  const named = Object.entries(subject).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...same, subject: Object.fromEntries(named), at: formatInstant(atNs) };
}

export function toKeyRow(key: Key & { secret?: string }): KeyRow {
  const { workspace: _workspace, createdAt, revokedAt, ...same } = key;
  return { ...same, createdAt: createdAt.toISOString(), revokedAt: revokedAt?.toISOString() ?? null };
}

/** Object.entries that keeps the key type of a partial record. */
function entriesOf<K extends string, V>(record: Partial<Record<K, V>>): [K, V][] {
  return Object.entries(record) as [K, V][];
}
