import assert from "node:assert/strict";
import test from "node:test";
import { DocumentIndex, InvalidCursorError, readPage } from "../src/index.js";

const doc = (id, indexedAt) => ({ id, indexedAt, title: `Document ${id}` });

function readAll(index, limit, between = () => {}) {
  const ids = [];
  let cursor = null;
  for (let pages = 0; pages < 50; pages += 1) {
    const page = readPage(index, { limit, cursor });
    ids.push(...page.documents.map((document) => document.id));
    if (page.nextCursor === null) return ids;
    cursor = page.nextCursor;
    between(pages);
  }
  throw new Error("paging does not end");
}

test("newest first", () => {
  const index = new DocumentIndex([doc("a", 1), doc("b", 3), doc("c", 2)]);
  assert.deepEqual(readAll(index, 2), ["b", "c", "a"]);
});

test("documents of one second are neither skipped nor repeated", () => {
  const index = new DocumentIndex(["d", "a", "c", "b", "e"].map((id) => doc(id, 7)));
  for (const limit of [1, 2, 3, 4, 5]) assert.deepEqual(readAll(index, limit), ["a", "b", "c", "d", "e"], `limit ${limit}`);
});

test("a bulk load larger than a page", () => {
  const documents = Array.from({ length: 230 }, (_, i) => doc(`n${String(i).padStart(3, "0")}`, 100 + Math.floor(i / 90)));
  const ids = readAll(new DocumentIndex(documents), 20);
  assert.equal(ids.length, 230);
  assert.equal(new Set(ids).size, 230);
});

test("deleting the document of the cursor loses nothing", () => {
  const index = new DocumentIndex(["a", "b", "c", "d"].map((id) => doc(id, 7)));
  const ids = readAll(index, 2, () => index.remove("b"));
  assert.deepEqual(ids, ["a", "b", "c", "d"]);
});

test("a newer document added while paging changes no later page", () => {
  const index = new DocumentIndex(["a", "b", "c", "d"].map((id) => doc(id, 7)));
  const ids = readAll(index, 2, () => index.add(doc("z", 9)));
  assert.deepEqual(ids, ["a", "b", "c", "d"]);
});

test("a cursor from before the deploy starts after its second", () => {
  const cursor = Buffer.from(JSON.stringify({ at: 7 })).toString("base64url");
  const index = new DocumentIndex([doc("a", 8), doc("b", 7), doc("c", 7), doc("d", 6)]);
  assert.deepEqual(readPage(index, { cursor }).documents.map((document) => document.id), ["d"]);
});

test("a cursor that is not one is refused", () => {
  const index = new DocumentIndex([doc("a", 1)]);
  for (const cursor of ["", "???", Buffer.from("null").toString("base64url"), Buffer.from('{"at":"x"}').toString("base64url")]) {
    assert.throws(() => readPage(index, { cursor }), InvalidCursorError, JSON.stringify(cursor));
  }
});

test("the last page has no cursor", () => {
  const index = new DocumentIndex([doc("a", 1), doc("b", 2)]);
  assert.equal(readPage(index, { limit: 2 }).nextCursor, null);
});

test("limits are checked", () => {
  assert.throws(() => readPage(new DocumentIndex(), { limit: 0 }), RangeError);
  assert.throws(() => readPage(new DocumentIndex(), { limit: 101 }), RangeError);
});
