import assert from "node:assert/strict";
import test from "node:test";
import { measureColumns, renderSnippet, splitAtColumn, wrapText } from "../src/index.js";

const FAMILY = "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}";
const FLAG = "\u{1F1F0}\u{1F1F7}";
const THUMB = "\u{1F44D}\u{1F3FD}";

test("plain text wraps at spaces", () => {
  assert.deepEqual(wrapText("the quick brown fox", 9), ["the quick", "brown fox"]);
});

test("long words are cut", () => {
  assert.deepEqual(wrapText("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
});

test("a combining accent stays with its letter", () => {
  assert.equal(measureColumns("cafe\u0301"), 4);
  assert.deepEqual(wrapText("cafe\u0301s", 4), ["cafe\u0301", "s"]);
});

test("Korean and Chinese characters take two columns", () => {
  assert.equal(measureColumns("검색"), 4);
  assert.deepEqual(wrapText("검색결과", 5), ["검색", "결과"]);
  assert.deepEqual(wrapText("搜索 结果", 9), ["搜索 结果"]);
});

test("fullwidth forms take two columns and halfwidth forms one", () => {
  assert.equal(measureColumns("Ａ！"), 4);
  assert.equal(measureColumns("ｱｲ"), 2);
});

test("family emoji are one character of two columns", () => {
  assert.equal(measureColumns(FAMILY), 2);
  assert.deepEqual(wrapText(FAMILY + FAMILY + FAMILY, 4), [FAMILY + FAMILY, FAMILY]);
});

test("skin tones and flags are one character of two columns", () => {
  assert.equal(measureColumns(THUMB), 2);
  assert.equal(measureColumns(FLAG + FLAG), 4);
  assert.deepEqual(splitAtColumn(FLAG + FLAG, 3), [FLAG, FLAG]);
});

test("digits and signs are text unless a variation selector makes them emoji", () => {
  assert.equal(measureColumns("2026 ©™"), 7);
  assert.equal(measureColumns("\u00A9\uFE0F"), 2);
  assert.equal(measureColumns("1\uFE0F\u20E3"), 2);
});

test("a character wider than the line gets a line of its own", () => {
  assert.deepEqual(wrapText("검색", 1), ["검", "색"]);
});

test("the box lines up", () => {
  assert.deepEqual(renderSnippet("검색 ok 결과", { columns: 7 }), ["│검색 ok│", "│결과   │"]);
});

test("a cut snippet ends with an ellipsis inside the box", () => {
  const [line] = renderSnippet("검색결과 더보기", { columns: 8, maxLines: 1 });
  assert.equal(line, "│검색결… │");
});
