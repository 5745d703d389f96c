/**
 * Spend and cost per pass over time. The bucket follows the data: minutes for a demo of some minutes, days for months.
 * Invariant: buckets between the first and the last are all there, empty ones with zero spend and no cost per pass.
 */
import type { CostRow, OutcomeCostRow } from "@centspan/model";
import { toGeometry } from "../format/decimal-text.ts";
import { formatDate, formatDay, formatMinute, type Language, yearOf } from "../format/format-instant.ts";
import { columnDecimals, formatInterval, formatMoney } from "../format/format-money.ts";

export type Bucket = "minute" | "hour" | "day";

const SECOND_NS = 1_000_000_000n;
const BUCKET_NS: Record<Bucket, bigint> = {
  minute: 60n * SECOND_NS,
  hour: 3_600n * SECOND_NS,
  day: 86_400n * SECOND_NS,
};
/** Beyond so many empty buckets in a row the gap is left out: the axis labels then show the jump. */
const MAX_BUCKETS = 400;

export type TrendPoint = {
  startNs: bigint;
  label: string;
  spend: number;
  perPass: number | null;
  /** Both ends of the interval; null where a side has none. */
  band: [number, number] | null;
  /** How far the interval reaches below and above the point; an end that is not known reaches nowhere. */
  reach: [number, number] | null;
  spendText: string;
  perPassText: string | null;
  intervalText: string | null;
  passed: number;
  tasks: number;
};

/** Start of the bucket a group names: "2026-11-29" (a day, UTC) or "2026-11-29T18:06:00+00:00". */
export function parseBucket(group: string): bigint | null {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:00)?(Z|[+-]\d{2}:\d{2}))?$/.test(group)) return null;
  const ms = Date.parse(group);
  return Number.isNaN(ms) ? null : BigInt(ms) * 1_000_000n;
}

const compareStarts = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** The finer bucket when everything lies within a few of the coarse one: at least about eight buckets where possible. */
export function chooseFiner(rows: readonly { group: string }[], bucket: Bucket): Bucket | null {
  const starts = rows.flatMap((row) => parseBucket(row.group) ?? []).sort(compareStarts);
  const low = starts[0];
  const high = starts.at(-1);
  if (low === undefined || high === undefined || bucket === "minute") return null;
  return (high - low) / BUCKET_NS[bucket] < 3n ? (bucket === "day" ? "hour" : "minute") : null;
}

function listStarts(known: ReadonlySet<bigint>, bucket: Bucket): bigint[] {
  const starts = [...known].sort(compareStarts);
  const [first] = starts;
  const last = starts.at(-1);
  if (first === undefined || last === undefined) return [];
  const step = BUCKET_NS[bucket];
  if ((last - first) / step >= BigInt(MAX_BUCKETS)) return starts;
  return Array.from({ length: Number((last - first) / step) + 1 }, (_, i) => first + BigInt(i) * step);
}

function byStart<T extends { group: string }>(rows: readonly T[]): Map<bigint, T> {
  return new Map(
    rows.flatMap((row): [bigint, T][] => {
      const start = parseBucket(row.group);
      return start === null ? [] : [[start, row]];
    }),
  );
}

/** Unique within a chart: hours carry their day, since they may span several, and days their year where those differ. */
function chooseLabel(starts: readonly bigint[], bucket: Bucket, language: Language): (startNs: bigint) => string {
  if (bucket === "minute") return formatMinute;
  if (bucket === "hour") return (startNs) => `${formatDay(startNs, language)} ${formatMinute(startNs)}`;
  const years = new Set(starts.map((startNs) => yearOf(startNs)));
  return (startNs) => (years.size > 1 ? formatDate : formatDay)(startNs, language);
}

function measureReach(pointUsd: string, lowUsd: string | null, highUsd: string | null): [number, number] {
  const point = toGeometry(pointUsd);
  return [point - toGeometry(lowUsd ?? pointUsd), toGeometry(highUsd ?? pointUsd) - point];
}

export function prepareTrend(
  costs: readonly CostRow[],
  outcomes: readonly OutcomeCostRow[],
  bucket: Bucket,
  language: Language,
): TrendPoint[] {
  const costOf = byStart(costs);
  const outcomeOf = byStart(outcomes);
  const decimals = columnDecimals(outcomes.map((row) => row.costPerPassUsd));
  const spendDecimals = columnDecimals(costs.map((row) => row.costUsd));
  const starts = listStarts(new Set([...costOf.keys(), ...outcomeOf.keys()]), bucket);
  const label = chooseLabel(starts, bucket, language);
  return starts.map((startNs) => {
    const spendUsd = costOf.get(startNs)?.costUsd ?? "0";
    const outcome = outcomeOf.get(startNs);
    const perPassUsd = outcome?.costPerPassUsd ?? null;
    const { lowUsd = null, highUsd = null } = outcome?.interval ?? {};
    const bounded = perPassUsd !== null && lowUsd !== null && highUsd !== null;
    return {
      startNs,
      label: label(startNs),
      spend: toGeometry(spendUsd),
      perPass: perPassUsd === null ? null : toGeometry(perPassUsd),
      reach: perPassUsd === null ? null : measureReach(perPassUsd, lowUsd, highUsd),
      band: bounded ? [toGeometry(lowUsd), toGeometry(highUsd)] : null,
      spendText: formatMoney(spendUsd, spendDecimals),
      perPassText: perPassUsd === null ? null : formatMoney(perPassUsd, decimals),
      intervalText: perPassUsd === null ? null : formatInterval(lowUsd, highUsd, decimals),
      passed: outcome?.passed ?? 0,
      tasks: outcome?.tasks ?? 0,
    };
  });
}
