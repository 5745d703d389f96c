import { expect, it } from "vitest";
import { abbreviateText } from "./abbreviate-text.ts";

const long = (text: string): string => text.padEnd(10_000, ".");

it("is the same for the same text, however often and however many came between", () => {
  const first = abbreviateText(long("a"));
  for (let at = 0; at < 1_000; at++) abbreviateText(long(String(at)));
  expect(abbreviateText(long("a"))).toBe(first);
  expect(first.length).toBeLessThan(100);
});

it("differs for different texts, even for a text that is another's digest", () => {
  const abbreviated = abbreviateText(long("a"));
  const texts = [long("a"), long("b"), `${long("a")}.`, "a", "", abbreviated, abbreviated.slice(6), "é", "e"];
  expect(new Set(texts.map(abbreviateText)).size).toBe(texts.length);
});

it("hashes what is too long to be kept", () => {
  const text = "x".repeat(5_000_000);
  expect(abbreviateText(text)).toBe(abbreviateText(`${text.slice(1)}x`));
});
