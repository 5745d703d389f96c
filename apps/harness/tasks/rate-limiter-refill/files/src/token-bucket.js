/** One token bucket. Whole tokens only; time comes from the caller. */
export class TokenBucket {
  constructor({ ratePerSecond, burst, nowMs }) {
    if (!(ratePerSecond > 0) || !(burst >= 1)) throw new RangeError("rate and burst must be positive");
    this.intervalMs = 1000 / ratePerSecond;
    this.burst = burst;
    this.tokens = burst;
    this.updatedMs = nowMs;
  }

  /** Adds the tokens earned since the last call. */
  refill(nowMs) {
    const elapsedMs = nowMs - this.updatedMs;
    if (elapsedMs <= 0) return;
    const earned = Math.floor(elapsedMs / this.intervalMs);
    this.tokens = Math.min(this.burst, this.tokens + earned);
    this.updatedMs = nowMs;
  }

  /** Takes one token if there is one. */
  take(nowMs) {
    this.refill(nowMs);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Milliseconds until the next token; 0 when one is there. */
  waitMs(nowMs) {
    this.refill(nowMs);
    if (this.tokens >= 1) return 0;
    return this.updatedMs + this.intervalMs - nowMs;
  }
}
