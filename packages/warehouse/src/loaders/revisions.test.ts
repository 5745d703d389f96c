import { expect, it } from "vitest";
import { createRevisions } from "./revisions.ts";

it("rises with the clock, past what is stored, and never stands still", () => {
  let now = 100n;
  const revisions = createRevisions(() => now);
  expect(revisions.next([])).toBe(100n);
  expect(revisions.next([])).toBe(101n);
  expect(revisions.next([500n, 300n])).toBe(501n);
  now = 50n;
  expect(revisions.next([1n])).toBe(502n);
  now = 900n;
  expect(revisions.next([])).toBe(900n);
});
