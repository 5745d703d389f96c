/** What the collector says of itself, put together from its parts. */
import type { CollectorStatus } from "@centspan/model";
import type { Loader } from "./loader/create-loader.ts";
import type { Spool } from "./spool/open-spool.ts";
import type { Stats } from "./stats.ts";

export type StatusParts = {
  spool: Pick<Spool, "state">;
  loader: Pick<Loader, "state">;
  stats: Stats;
  version: string;
  startedAtMs: number;
  /** Milliseconds since the epoch. */
  nowMs(): number;
};

export function describeStatus({ spool, loader, stats, version, startedAtMs, nowMs }: StatusParts): CollectorStatus {
  const waiting = spool.state();
  const loaded = loader.state();
  const now = nowMs();
  const since = (atMs: number): number => toSeconds(now - atMs);
  return {
    version,
    uptimeS: since(startedAtMs),
    spool: {
      bytes: waiting.bytes,
      maxBytes: waiting.maxBytes,
      frames: waiting.frames - loaded.frames,
      segments: waiting.segments,
      oldestAgeS: loaded.oldestAtMs === null ? null : since(loaded.oldestAtMs),
      refusal: waiting.refusal && { ageS: since(waiting.refusal.atMs), message: waiting.refusal.error.message },
    },
    loader: {
      lagS: loaded.lagMs === null ? null : toSeconds(loaded.lagMs),
      insertedRows: loaded.rows,
      refusedFrames: loaded.refusedFrames,
      warehouseAway: loaded.isAway,
      lastError: loaded.lastError && { ageS: since(loaded.lastError.atMs), message: loaded.lastError.message },
    },
    requests: stats.requests,
    accepted: stats.accepted,
    rejected: stats.rejected,
  };
}

/** A clock that was set back makes no age negative. */
const toSeconds = (ms: number): number => Math.max(0, Math.round(ms) / 1000);
