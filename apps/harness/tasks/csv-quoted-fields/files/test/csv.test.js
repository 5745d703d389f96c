import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { parseCsv, readCatalog } from "../src/index.js";

const EXPORT = readFileSync(new URL("../fixtures/catalog-export.csv", import.meta.url), "utf8");

test("plain records", () => {
  assert.deepEqual(parseCsv("a,b\n1,2\n"), [["a", "b"], ["1", "2"]]);
  assert.deepEqual(parseCsv("a;b\n1;2", { delimiter: ";" }), [["a", "b"], ["1", "2"]]);
});

test("empty fields are kept", () => {
  assert.deepEqual(parseCsv(',a,\n"",b,""\n'), [["", "a", ""], ["", "b", ""]]);
});

test("a quoted delimiter is text", () => {
  assert.deepEqual(parseCsv('"a,b",c'), [["a,b", "c"]]);
});

test("a doubled quote is one quote", () => {
  assert.deepEqual(parseCsv('"24"" monitor",x'), [['24" monitor', "x"]]);
  assert.deepEqual(parseCsv('"""quoted""",""""'), [['"quoted"', '"']]);
});

test("a quoted line break belongs to the field", () => {
  assert.deepEqual(parseCsv('1,"two\nlines"\n2,x\n'), [["1", "two\nlines"], ["2", "x"]]);
});

test("line breaks in fields become LF and blank lines in fields stay", () => {
  assert.deepEqual(parseCsv('1,"a\r\n\r\nb"\r\n2,x\r\n'), [["1", "a\n\nb"], ["2", "x"]]);
});

test("blank lines between records are skipped", () => {
  assert.deepEqual(parseCsv("\r\na,b\r\n\r\n\r\n1,2\r\n\r\n"), [["a", "b"], ["1", "2"]]);
});

test("a quote that is never closed names its line", () => {
  assert.throws(() => parseCsv('a,b\n1,"open\nstill open\n'), { message: /line 2/ });
});

test("the shop's export has 300 products", () => {
  const products = readCatalog(EXPORT);
  assert.equal(products.length, 300);
  assert.equal(new Set(products.map((product) => product.sku)).size, 300);
  assert.ok(products.some((product) => product.title.includes('24"')));
  assert.ok(products.some((product) => product.description.includes("\n")));
});

test("a missing column is named", () => {
  assert.throws(() => readCatalog("sku,title\n1,x\n"), { message: 'the export has no column "price"' });
});
