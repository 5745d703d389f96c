/** A token bucket per key, in memory: each key may spend a minute's requests at once and regains them evenly. */
export type RateLimit = {
  /** Takes one request of the key's; returns 0, or the whole seconds to wait when there is none left. */
  take(keyId: string): number;
};

export type RateLimitOptions = {
  perMinute: number;
  maxKeys?: number;
  /** Monotonic milliseconds. */
  nowMs?(): number;
};

export function createRateLimit({ perMinute, maxKeys = 10_000, ...options }: RateLimitOptions): RateLimit {
  const nowMs = options.nowMs ?? (() => performance.now());
  const buckets = new Map<string, { left: number; atMs: number }>();
  const perMs = perMinute / 60_000;
  return {
    take(keyId) {
      const atMs = nowMs();
      const before = buckets.get(keyId) ?? { left: perMinute, atMs };
      const left = Math.min(perMinute, before.left + (atMs - before.atMs) * perMs);
      buckets.delete(keyId);
      buckets.set(keyId, { left: left >= 1 ? left - 1 : left, atMs });
      const [oldest] = buckets.keys();
      if (buckets.size > maxKeys && oldest !== undefined) buckets.delete(oldest);
      return left >= 1 ? 0 : Math.ceil((1 - left) / perMs / 1000);
    },
  };
}
