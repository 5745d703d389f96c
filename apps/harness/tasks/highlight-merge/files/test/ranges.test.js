import assert from "node:assert/strict";
import test from "node:test";
import { highlight, mergeRanges } from "../src/index.js";

/** Ranges whose bounds count how often they are read. */
function countReads(ranges) {
  const counter = { reads: 0 };
  const counted = ranges.map(({ start, end }) => ({
    get start() { counter.reads += 1; return start; },
    get end() { counter.reads += 1; return end; },
  }));
  return { counted, counter };
}

/** A fixed shuffle, so that the input is neither sorted nor reversed. */
function shuffled(count, make) {
  return Array.from({ length: count }, (_, i) => make((i * 389) % count));
}

const budget = (n) => 8 * n * Math.ceil(Math.log2(n));

test("overlapping and touching ranges are joined", () => {
  const ranges = [{ start: 5, end: 8 }, { start: 1, end: 3 }, { start: 7, end: 9 }, { start: 3, end: 4 }];
  assert.deepEqual(mergeRanges(ranges), [{ start: 1, end: 4 }, { start: 5, end: 9 }]);
});

test("a range inside another one adds nothing", () => {
  assert.deepEqual(mergeRanges([{ start: 0, end: 10 }, { start: 2, end: 3 }, { start: 9, end: 10 }]), [{ start: 0, end: 10 }]);
});

test("empty ranges are dropped", () => {
  assert.deepEqual(mergeRanges([{ start: 4, end: 4 }, { start: 6, end: 7 }]), [{ start: 6, end: 7 }]);
  assert.deepEqual(mergeRanges([]), []);
});

test("the input is left alone", () => {
  const ranges = [{ start: 5, end: 8 }, { start: 1, end: 6 }];
  const before = structuredClone(ranges);
  const merged = mergeRanges(ranges);
  assert.deepEqual(ranges, before);
  merged[0].start = 99;
  assert.deepEqual(ranges, before);
});

test("disjoint ranges: reads stay within n log n", () => {
  const { counted, counter } = countReads(shuffled(400, (i) => ({ start: i * 10, end: i * 10 + 4 })));
  assert.equal(mergeRanges(counted).length, 400);
  assert.ok(counter.reads <= budget(400), `${counter.reads} reads`);
});

test("chained ranges: reads stay within n log n", () => {
  const { counted, counter } = countReads(shuffled(300, (i) => ({ start: i * 5, end: i * 5 + 6 })));
  assert.deepEqual(mergeRanges(counted), [{ start: 0, end: 1501 }]);
  assert.ok(counter.reads <= budget(300), `${counter.reads} reads`);
});

test("the text is marked once where terms overlap", () => {
  const { html, matches, coverage } = highlight("banana split", ["ana", "split"]);
  assert.equal(html, "b<mark>anana</mark> <mark>split</mark>");
  assert.equal(matches, 3);
  assert.equal(coverage, 10 / 12);
});
