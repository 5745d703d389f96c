import { expect, it } from "vitest";
import { createAllowances } from "./allowances.ts";

it("a minute's worth may be spent at once, then it comes back evenly, to each for itself", () => {
  let now = 0;
  const { wait, spend } = createAllowances({ nowMs: () => now });
  const take = (id: string): number => {
    const seconds = wait(id, 3);
    if (seconds === 0) spend(id, 3, 1);
    return seconds;
  };
  expect([1, 2, 3, 4].map(() => take("a"))).toEqual([0, 0, 0, 20]);
  expect(take("b")).toBe(0);
  now = 19_000;
  expect(take("a")).toBe(1);
  now = 20_000;
  expect([take("a"), take("a")]).toEqual([0, 20]);
  now = 600_000;
  expect([1, 2, 3, 4].map(() => take("a"))).toEqual([0, 0, 0, 20]);
});

it("a debt is waited for; a change of the allowance counts at once", () => {
  let now = 0;
  const { wait, spend } = createAllowances({ nowMs: () => now });
  spend("a", 600, 1200);
  expect(wait("a", 600)).toBe(61);
  now = 61_000;
  expect(wait("a", 600)).toBe(0);
  spend("b", 10, 10);
  expect([wait("b", 10), wait("b", 60)]).toEqual([6, 1]);
});

it("forgets those that spent least recently", () => {
  const { wait, spend } = createAllowances({ maxIds: 1, nowMs: () => 0 });
  spend("a", 1, 1);
  spend("b", 1, 1);
  expect([wait("a", 1), wait("b", 1)]).toEqual([0, 60]);
});
