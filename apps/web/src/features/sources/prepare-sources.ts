/** What arrived and how the collector is, as texts to draw. Pure. */
import { COLLECTOR_SERVICE, type CollectorStatus, SIGNALS, type Signal, type SourceRow } from "@centspan/model";
import {
  formatAge,
  formatBytes,
  formatCount,
  formatDateMinute,
  formatDuration,
  type Language,
  parseInstantNs,
} from "@centspan/ui";

export type Arrival = {
  key: string;
  service: string;
  /** Of several signals of one service only the first row names it. */
  isFirst: boolean;
  signal: Signal;
  /** How long ago; null where that was more than a day, and `lastAt` says when. */
  lastAgo: string | null;
  lastAt: string;
  records: string;
};

const DAY_NS = 86_400n * 1_000_000_000n;

/** Whether nobody but the collector itself has sent anything. */
export const isSilent = (sources: readonly SourceRow[]): boolean =>
  sources.every(({ service }) => service === COLLECTOR_SERVICE);

export function prepareArrivals(sources: readonly SourceRow[], nowNs: bigint, language: Language): Arrival[] {
  return sources.map(({ service, signal, lastReceivedAt, records24h }, i) => {
    const lastNs = parseInstantNs(lastReceivedAt);
    const agoNs = nowNs - lastNs;
    return {
      key: `${service} ${signal}`,
      service,
      isFirst: sources[i - 1]?.service !== service,
      signal,
      lastAgo: agoNs < DAY_NS ? formatAge(agoNs) : null,
      lastAt: formatDateMinute(lastNs, language),
      records: formatCount(records24h),
    };
  });
}

export type CodeCount = { code: string; count: string };

export type CollectorView = {
  uptime: string;
  waiting: string;
  bound: string;
  batches: string;
  oldest: string | null;
  lag: string | null;
  refusedBatches: string | null;
  /** Why new data is refused at the moment. */
  refusal: string | null;
  warehouseAway: boolean;
  signals: { signal: Signal; taken: string; refusedRecords: CodeCount[]; refusedRequests: CodeCount[] }[];
};

export function prepareCollector({
  uptimeS,
  spool,
  loader,
  accepted,
  rejected,
  requests,
}: CollectorStatus): CollectorView {
  return {
    uptime: formatAge(BigInt(Math.round(uptimeS)) * 1_000_000_000n),
    waiting: formatBytes(spool.bytes),
    bound: formatBytes(spool.maxBytes),
    batches: formatCount(spool.frames),
    oldest: spool.oldestAgeS === null ? null : formatSeconds(spool.oldestAgeS),
    lag: loader.lagS === null ? null : formatSeconds(loader.lagS),
    refusedBatches: loader.refusedFrames === 0 ? null : formatCount(loader.refusedFrames),
    refusal: spool.refusal?.message ?? null,
    warehouseAway: loader.warehouseAway,
    signals: SIGNALS.map((signal) => {
      const { ok: _taken, ...refused } = requests[signal];
      return {
        signal,
        taken: formatCount(accepted[signal]),
        refusedRecords: listCounts(rejected[signal]),
        refusedRequests: listCounts(refused),
      };
    }),
  };
}

const formatSeconds = (seconds: number): string => formatDuration(BigInt(Math.round(seconds * 1000)) * 1_000_000n);

const listCounts = (counts: Readonly<Record<string, number>>): CodeCount[] =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => ({ code, count: formatCount(count) }));
