/**
 * Token buckets, in memory: whoever has an allowance of so much a minute may spend a minute's worth at once and regains it
 * evenly. Spending more than is left is a debt that is waited for.
 */
import { LRUCache } from "lru-cache";

export type Allowances = {
  /** Whole seconds until something may be spent; 0 when it may be now. */
  wait(id: string, perMinute: number): number;
  spend(id: string, perMinute: number, amount: number): void;
};

export type AllowancesOptions = {
  maxIds?: number;
  /** Monotonic milliseconds. */
  nowMs?(): number;
};

export function createAllowances({ maxIds = 10_000, ...options }: AllowancesOptions = {}): Allowances {
  const nowMs = options.nowMs ?? (() => performance.now());
  const buckets = new LRUCache<string, { left: number; atMs: number }>({ max: maxIds });
  const read = (id: string, perMinute: number): number => {
    const bucket = buckets.get(id);
    if (bucket === undefined) return perMinute;
    return Math.min(perMinute, bucket.left + ((nowMs() - bucket.atMs) * perMinute) / 60_000);
  };
  return {
    wait(id, perMinute) {
      const missing = 1 - read(id, perMinute);
      const ms = Math.round((missing * 60_000) / perMinute);
      return ms <= 0 ? 0 : Math.ceil(ms / 1000);
    },
    spend(id, perMinute, amount) {
      buckets.set(id, { left: read(id, perMinute) - amount, atMs: nowMs() });
    },
  };
}
