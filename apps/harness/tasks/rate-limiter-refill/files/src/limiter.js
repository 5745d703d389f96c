import { limitHeaders } from "./headers.js";
import { TokenBucket } from "./token-bucket.js";

/** Rate limits per API key. Idle keys are forgotten once their bucket would be full again. */
export class Limiter {
  constructor({ ratePerSecond, burst, clock }) {
    this.options = { ratePerSecond, burst };
    this.clock = clock;
    this.buckets = new Map();
  }

  /** `{ allowed, headers }` for one request of a key. */
  check(key) {
    const nowMs = this.clock.nowMs();
    const bucket = this.bucketOf(key, nowMs);
    const allowed = bucket.take(nowMs);
    return { allowed, headers: limitHeaders(bucket, allowed, nowMs) };
  }

  /** Drops the buckets that are full: a new one would behave the same. */
  sweep() {
    const nowMs = this.clock.nowMs();
    for (const [key, bucket] of this.buckets) {
      bucket.refill(nowMs);
      if (bucket.tokens >= bucket.burst) this.buckets.delete(key);
    }
    return this.buckets.size;
  }

  bucketOf(key, nowMs) {
    let bucket = this.buckets.get(key);
    if (!bucket) {
      bucket = new TokenBucket({ ...this.options, nowMs });
      this.buckets.set(key, bucket);
    }
    return bucket;
  }
}
