import assert from "node:assert/strict";
import test from "node:test";
import { creditNoteLines, divideRounded, formatAmount, parseDecimal, rescale, totalInvoice } from "../src/index.js";

const toCents = (text) => formatAmount(rescale(parseDecimal(text), 2));

const INVOICE = [
  { quantity: "3", unitPrice: "4.165", taxRate: "0.01" },
  { quantity: "1.5", unitPrice: "8.33", taxRate: "0.19" },
  { quantity: "7", unitPrice: "0.015", taxRate: "0.19" },
];

test("values away from a tie go to the nearest cent", () => {
  assert.equal(toCents("1.234"), "1.23");
  assert.equal(toCents("1.236"), "1.24");
  assert.equal(toCents("1.2350001"), "1.24");
});

test("ties go to the even cent", () => {
  assert.equal(toCents("0.125"), "0.12");
  assert.equal(toCents("0.135"), "0.14");
  assert.equal(toCents("2.5"), "2.50");
});

test("negative values go to the nearest cent", () => {
  assert.equal(toCents("-1.234"), "-1.23");
  assert.equal(toCents("-1.236"), "-1.24");
});

test("negative ties go to the even cent", () => {
  assert.equal(toCents("-0.125"), "-0.12");
  assert.equal(toCents("-0.135"), "-0.14");
});

test("rounding is symmetric around zero", () => {
  for (let n = 1n; n <= 40n; n += 1n) {
    assert.equal(divideRounded(-n, 8n), -divideRounded(n, 8n), `${n}/8`);
  }
});

test("an odd denominator has no ties", () => {
  assert.equal(divideRounded(4n, 3n), 1n);
  assert.equal(divideRounded(5n, 3n), 2n);
});

test("one percent of 12.50 is 0.12", () => {
  assert.equal(totalInvoice([{ quantity: "1", unitPrice: "12.50", taxRate: "0.01" }]).taxes["0.01"], "0.12");
});

test("a credit note cancels its invoice in every figure", () => {
  const invoice = totalInvoice(INVOICE);
  const credit = totalInvoice(creditNoteLines(INVOICE));
  assert.equal(credit.net, `-${invoice.net}`);
  assert.equal(credit.gross, `-${invoice.gross}`);
  for (const rate of Object.keys(invoice.taxes)) assert.equal(credit.taxes[rate], `-${invoice.taxes[rate]}`);
});

test("text that is not a decimal is refused", () => {
  assert.throws(() => parseDecimal("1,50"), RangeError);
});
