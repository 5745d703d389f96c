/**
 * Token and cost counters → totals by model and session. Totals are no calls: they are compared with the calls of
 * their session where there are any. Sent twice, a point counts once; a cumulative series counts by the latest point
 * of each of its starts. Where one emitter counts the same tokens under its own and the standard name, its own counts.
 */
import { type Decimal, sumDecimals } from "@centspan/base";
import {
  type Counts,
  createReader,
  parseAmount,
  parseCount,
  type Recognised,
  readModelFacts,
  recogniseMetric,
  splitCounts,
} from "@centspan/dialects";
import type { Buckets, CountField, MetricLayout, MetricPoint } from "@centspan/model";
import { groupBy } from "./group-by.ts";

export type MetricTotal = {
  model: string;
  provider: string;
  sessionId: string;
  buckets: Buckets;
  /** Null where the points do not tell. */
  callCount: number | null;
  providedCostUsd: Decimal | null;
  flags: string[];
  /** Calls of the same session are known: this only checks them. */
  reconcileOnly: boolean;
};

type Context = { callsBySession: { has(sessionId: string): boolean } };
type Spoken = { point: MetricPoint; recognised: Recognised<MetricLayout> };
type Subject = { service: string; model: string; provider: string; sessionId: string };

export function sumMetricTotals(points: readonly MetricPoint[], { callsBySession }: Context): MetricTotal[] {
  const spoken = selectPoints(points).flatMap((point): Spoken[] => {
    const recognised = recogniseMetric(point);
    return recognised ? [{ point, recognised }] : [];
  });
  const bySubject = groupBy(spoken, (each) => JSON.stringify(Object.values(readSubject(each))));
  const parts = [...bySubject.values()].flatMap((group) => {
    const best = Math.max(...group.map(precedenceOf));
    const own = group.filter((each) => precedenceOf(each) === best);
    return own[0] ? [sumPart(own[0], own)] : [];
  });
  const totals = groupBy(parts, ({ model, provider, sessionId }) => JSON.stringify([sessionId, provider, model]));
  return [...totals.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group;
      if (!first) return [];
      const { model, provider, sessionId } = first;
      return [
        {
          model,
          provider,
          sessionId,
          buckets: sumBuckets(group),
          callCount: sumKnown(group.map(({ callCount }) => callCount)),
          providedCostUsd: sumAmounts(group.flatMap(({ providedCostUsd }) => providedCostUsd ?? [])),
          flags: [...new Set(group.flatMap(({ flags }) => flags))],
          reconcileOnly: sessionId !== "" && callsBySession.has(sessionId),
        },
      ];
    });
}

const precedenceOf = ({ recognised }: Spoken): number => recognised.dialect.precedence ?? 0;

function readSubject({ point, recognised }: Spoken): Subject {
  const facts = readModelFacts(createReader(point.attributes, point.resourceAttributes), recognised);
  return { service: point.service, model: facts.model, provider: facts.provider, sessionId: facts.sessionId };
}

/** The points that together are the totals: each once, and of a cumulative series the last of each start. */
function selectPoints(points: readonly MetricPoint[]): MetricPoint[] {
  const chosen = new Map<string, MetricPoint>();
  for (const point of points) {
    if (point.type === "gauge" || point.type === "summary") continue;
    const at = point.temporality === "delta" ? point.atNs.toString() : "";
    const key = JSON.stringify([...seriesOf(point), point.startedAtNs.toString(), at]);
    const before = chosen.get(key);
    if (!before || point.atNs > before.atNs) chosen.set(key, point);
  }
  return [...chosen.values()];
}

function seriesOf(point: MetricPoint): unknown[] {
  const sorted = (attributes: Record<string, string>) =>
    Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const { service, scopeName, name, temporality } = point;
  return [service, scopeName, name, temporality, sorted(point.attributes), sorted(point.resourceAttributes)];
}

/** The total of one emitter for one model and session. */
function sumPart(first: Spoken, group: readonly Spoken[]): Omit<MetricTotal, "reconcileOnly"> {
  const { layout } = first.recognised;
  const counts: Counts = {};
  const callCounts = new Map<CountField, number>();
  const costs: Decimal[] = [];
  for (const { point } of group) {
    if (layout.costUsd?.includes(point.name)) {
      const cost = parseAmount(writtenValue(point));
      if (cost) costs.push(cost);
      continue;
    }
    const field = layout.tokens.counts[point.attributes[layout.tokens.type] ?? ""];
    if (field === undefined) continue;
    counts[field] = (counts[field] ?? 0) + parseCount(writtenValue(point));
    if (layout.oneValuePerCall && point.count !== null)
      callCounts.set(field, (callCounts.get(field) ?? 0) + Number(point.count));
  }
  const reading = splitCounts(counts, layout);
  const { model, provider, sessionId } = readSubject(first);
  const knowsCache = Object.values(layout.tokens.counts).some((field) => field === "cacheRead");
  const flags: string[] = [...reading.flags];
  if (reading.quarantineReason !== "") flags.push(reading.quarantineReason);
  if (layout.inputIncludesCached && !knowsCache && reading.buckets.input > 0) flags.push("cache_split_unknown");
  return {
    model,
    provider,
    sessionId,
    buckets: reading.buckets,
    callCount: callCounts.size === 0 ? null : Math.max(...callCounts.values()),
    providedCostUsd: sumAmounts(costs),
    flags,
  };
}

const writtenValue = ({ value, sum }: MetricPoint): string => value ?? (sum === null ? "" : String(sum));

function sumBuckets(parts: readonly { buckets: Buckets }[]): Buckets {
  const sum = (name: keyof Buckets): number => parts.reduce((total, { buckets }) => total + buckets[name], 0);
  return {
    input: sum("input"),
    cacheRead: sum("cacheRead"),
    cacheWrite5m: sum("cacheWrite5m"),
    cacheWrite1h: sum("cacheWrite1h"),
    outputText: sum("outputText"),
    outputReasoning: sum("outputReasoning"),
    webSearches: sum("webSearches"),
  };
}

function sumKnown(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}

const sumAmounts = (amounts: readonly Decimal[]): Decimal | null =>
  amounts.length === 0 ? null : sumDecimals(amounts);
