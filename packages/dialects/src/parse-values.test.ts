import { formatDecimal } from "@centspan/base";
import { expect, it } from "vitest";
import { parseAmount } from "./parse-values.ts";

it.each([
  ["1e-7", "0.0000001"],
  ["12.50", "12.5"],
  ["1.5E2", "150"],
  ["999999999999.9", "999999999999.9"],
  // More than any call costs, and than a ledger holds: the call is right nevertheless.
  ["1000000000000", null],
  ["1e30", null],
  ["9e99", null],
  ["-3", null],
  ["NaN", null],
  ["", null],
])("takes what a sender says that it cost, %j, for %j", (text, amount) => {
  const parsed = parseAmount(text);
  expect(parsed && formatDecimal(parsed)).toBe(amount);
});
