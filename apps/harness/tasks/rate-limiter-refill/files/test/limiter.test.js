import assert from "node:assert/strict";
import test from "node:test";
import { Limiter, TokenBucket } from "../src/index.js";

function makeClock() {
  let ms = 1_000_000;
  return { nowMs: () => ms, advance: (by) => { ms += by; } };
}

function drain(limiter, key, count) {
  for (let i = 0; i < count; i += 1) limiter.check(key);
}

test("a burst passes and the next request does not", () => {
  const limiter = new Limiter({ ratePerSecond: 10, burst: 5, clock: makeClock() });
  const answers = Array.from({ length: 6 }, () => limiter.check("k").allowed);
  assert.deepEqual(answers, [true, true, true, true, true, false]);
});

test("after a pause the tokens are back", () => {
  const clock = makeClock();
  const limiter = new Limiter({ ratePerSecond: 10, burst: 5, clock });
  drain(limiter, "k", 6);
  clock.advance(1000);
  assert.equal(limiter.check("k").headers["x-ratelimit-remaining"], "4");
});

test("polling faster than the refill interval still earns tokens", () => {
  const clock = makeClock();
  const limiter = new Limiter({ ratePerSecond: 10, burst: 5, clock });
  drain(limiter, "k", 5);
  let allowed = 0;
  for (let i = 0; i < 50; i += 1) {
    clock.advance(40);
    if (limiter.check("k").allowed) allowed += 1;
  }
  assert.equal(allowed, 20);
});

test("never more than burst + rate × time, whatever the rhythm", () => {
  for (const stepMs of [1, 7, 55, 60, 99, 101, 130, 333]) {
    const clock = makeClock();
    const limiter = new Limiter({ ratePerSecond: 10, burst: 3, clock });
    let allowed = 0;
    let elapsedMs = 0;
    while (elapsedMs < 3000) {
      if (limiter.check("k").allowed) allowed += 1;
      clock.advance(stepMs);
      elapsedMs += stepMs;
    }
    assert.ok(allowed <= 3 + elapsedMs / 100, `${allowed} at ${stepMs} ms`);
  }
});

test("retry-after is exactly the time to the next token", () => {
  const clock = makeClock();
  const limiter = new Limiter({ ratePerSecond: 10, burst: 1, clock });
  limiter.check("k");
  clock.advance(40);
  assert.equal(limiter.check("k").headers["retry-after-ms"], "60");
  clock.advance(30);
  const answer = limiter.check("k");
  assert.equal(answer.allowed, false);
  assert.equal(answer.headers["retry-after-ms"], "30");
  clock.advance(30);
  assert.equal(limiter.check("k").allowed, true);
});

test("a full bucket does not save up time", () => {
  const clock = makeClock();
  const limiter = new Limiter({ ratePerSecond: 10, burst: 2, clock });
  limiter.check("k");
  clock.advance(10_090);
  drain(limiter, "k", 2);
  clock.advance(20);
  assert.equal(limiter.check("k").allowed, false);
});

test("keys are limited separately", () => {
  const limiter = new Limiter({ ratePerSecond: 1, burst: 1, clock: makeClock() });
  assert.equal(limiter.check("a").allowed, true);
  assert.equal(limiter.check("b").allowed, true);
  assert.equal(limiter.check("a").allowed, false);
});

test("sweep forgets the keys whose bucket is full", () => {
  const clock = makeClock();
  const limiter = new Limiter({ ratePerSecond: 10, burst: 2, clock });
  limiter.check("a");
  clock.advance(5_000);
  limiter.check("b");
  assert.equal(limiter.sweep(), 1);
});

test("a rate of zero is refused", () => {
  assert.throws(() => new TokenBucket({ ratePerSecond: 0, burst: 1, nowMs: 0 }), RangeError);
});
