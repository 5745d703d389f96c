import { CentspanError, createRandom } from "@centspan/base";
import { expect, it } from "vitest";
import { nextDelayMs, readRetryAfterS } from "./retry.ts";

it("waits longer from try to try, as long as asked for, and not beyond the limit", () => {
  const policy = { maxTries: 10, baseDelayMs: 100, maxDelayMs: 1_000, random: createRandom(1) };
  const failed = (retryAfterS?: number) =>
    new CentspanError("store_unavailable", "", retryAfterS === undefined ? {} : { retryAfterS });
  for (const [ordinal, most] of [100, 200, 400, 800, 1000, 1000].entries()) {
    const delayMs = nextDelayMs(policy, ordinal, failed()) ?? Number.NaN;
    expect(delayMs).toBeGreaterThanOrEqual(most / 2);
    expect(delayMs).toBeLessThanOrEqual(most);
  }
  expect(nextDelayMs(policy, 0, failed(0.9))).toBe(900);
  expect(nextDelayMs(policy, 0, failed(1.1))).toBeNull();
  expect(nextDelayMs(policy, 9, failed())).toBeNull();
  expect(nextDelayMs(policy, 0, new Error("a bug"))).toBeNull();
});

it("reads Retry-After as seconds or as a date", () => {
  const nowMs = Date.parse("2026-11-29T12:00:00Z");
  expect(readRetryAfterS("3", nowMs)).toBe(3);
  expect(readRetryAfterS("Sun, 29 Nov 2026 12:00:05 GMT", nowMs)).toBe(5);
  expect(readRetryAfterS("Sun, 29 Nov 2026 11:00:00 GMT", nowMs)).toBe(0);
  expect(readRetryAfterS("soon", nowMs)).toBeUndefined();
  expect(readRetryAfterS(undefined, nowMs)).toBeUndefined();
});
