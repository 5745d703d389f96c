import { expect, it } from "vitest";
import { createRateLimit } from "./rate-limit.ts";

it("allows a minute's requests at once, then evenly, each key for itself", () => {
  let now = 0;
  const limit = createRateLimit({ perMinute: 3, nowMs: () => now });
  expect([1, 2, 3, 4].map(() => limit.take("a"))).toEqual([0, 0, 0, 20]);
  expect(limit.take("b")).toBe(0);
  now = 19_000;
  expect(limit.take("a")).toBe(1);
  now = 20_000;
  expect([limit.take("a"), limit.take("a")]).toEqual([0, 20]);
  now = 600_000;
  expect([1, 2, 3, 4].map(() => limit.take("a"))).toEqual([0, 0, 0, 20]);
});
