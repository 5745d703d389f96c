import assert from "node:assert/strict";
import test from "node:test";
import { formatWeek, isoWeek, parseWeek, settleByWeek, weekRange } from "../src/index.js";

const labelOf = (text) => formatWeek(isoWeek(new Date(text)));

test("ordinary weeks", () => {
  assert.equal(labelOf("2026-02-09T00:00:00Z"), "2026-W07");
  assert.equal(labelOf("2026-02-15T23:59:59Z"), "2026-W07");
  assert.equal(labelOf("2026-02-16T00:00:00Z"), "2026-W08");
});

test("the last days of December can belong to week 1 of the next year", () => {
  assert.equal(labelOf("2024-12-29T12:00:00Z"), "2024-W52");
  assert.equal(labelOf("2024-12-30T00:00:00Z"), "2025-W01");
  assert.equal(labelOf("2024-12-31T23:00:00Z"), "2025-W01");
});

test("the first days of January can belong to week 53 of the year before", () => {
  assert.equal(labelOf("2021-01-01T08:00:00Z"), "2020-W53");
  assert.equal(labelOf("2021-01-03T08:00:00Z"), "2020-W53");
  assert.equal(labelOf("2021-01-04T08:00:00Z"), "2021-W01");
});

test("the first days of January can belong to week 52 of the year before", () => {
  assert.equal(labelOf("2023-01-01T08:00:00Z"), "2022-W52");
  assert.equal(labelOf("2023-01-02T08:00:00Z"), "2023-W01");
});

test("a year with 53 weeks keeps its last week", () => {
  assert.equal(labelOf("2020-12-28T00:00:00Z"), "2020-W53");
  assert.equal(labelOf("2020-12-31T00:00:00Z"), "2020-W53");
  assert.equal(labelOf("2015-12-31T00:00:00Z"), "2015-W53");
});

test("every day lies inside the range of its own label", () => {
  for (let ms = Date.UTC(2014, 11, 20); ms < Date.UTC(2027, 0, 12); ms += 86_400_000) {
    const { from, to } = weekRange(formatWeek(isoWeek(new Date(ms))));
    assert.ok(from.getTime() <= ms && ms < to.getTime(), new Date(ms).toISOString());
  }
});

test("payouts of one week stay together across New Year", () => {
  const weeks = settleByWeek([
    { id: "p2", paidAt: "2025-01-02T10:00:00Z", amountCents: 250n },
    { id: "p1", paidAt: "2024-12-31T10:00:00Z", amountCents: 100n },
    { id: "p0", paidAt: "2024-12-27T10:00:00Z", amountCents: 40n },
  ]);
  assert.deepEqual(weeks, [
    { label: "2024-W52", count: 1, totalCents: 40n },
    { label: "2025-W01", count: 2, totalCents: 350n },
  ]);
});

test("labels round-trip and reject nonsense", () => {
  assert.deepEqual(parseWeek("2020-W53"), { year: 2020, week: 53 });
  assert.throws(() => parseWeek("2020-53"), RangeError);
});
