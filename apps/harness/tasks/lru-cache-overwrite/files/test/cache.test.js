import assert from "node:assert/strict";
import test from "node:test";
import { LruCache, normalizeQuery, QueryCache } from "../src/index.js";

const byLength = (value) => value.length;

test("the least recently read entry goes first", () => {
  const cache = new LruCache({ maxWeight: 2 });
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  assert.deepEqual([...cache.keys()], ["c", "a"]);
});

test("weights are summed and given back", () => {
  const cache = new LruCache({ maxWeight: 10, weigh: byLength });
  cache.set("a", "xxxx");
  cache.set("b", "xxx");
  assert.equal(cache.weight, 7);
  cache.delete("a");
  assert.equal(cache.weight, 3);
});

test("overwriting replaces the weight", () => {
  const cache = new LruCache({ maxWeight: 10, weigh: byLength });
  cache.set("a", "xxxx");
  cache.set("a", "xx");
  assert.equal(cache.weight, 2);
  cache.set("a", "xxxxxxxx");
  assert.equal(cache.weight, 8);
  assert.equal(cache.size, 1);
});

test("refreshing a key for ever evicts nothing", () => {
  const evicted = [];
  const cache = new LruCache({ maxWeight: 10, weigh: byLength, onEvict: (key) => evicted.push(key) });
  cache.set("a", "xxxx");
  cache.set("b", "xxxx");
  for (let i = 0; i < 20; i += 1) cache.set("a", "yyyy");
  assert.deepEqual(evicted, []);
  assert.equal(cache.size, 2);
});

test("overwriting makes a key the most recent", () => {
  const cache = new LruCache({ maxWeight: 2 });
  cache.set("a", 1);
  cache.set("b", 2);
  cache.set("a", 3);
  cache.set("c", 4);
  assert.deepEqual([...cache.keys()], ["c", "a"]);
});

test("growing an entry evicts others, not the entry itself", () => {
  const cache = new LruCache({ maxWeight: 10, weigh: byLength });
  cache.set("a", "xx");
  cache.set("b", "xxxx");
  cache.set("a", "xxxxxxxx");
  assert.deepEqual([...cache.keys()], ["a"]);
  assert.equal(cache.weight, 8);
});

test("an entry heavier than the budget is not kept", () => {
  const cache = new LruCache({ maxWeight: 4, weigh: byLength });
  cache.set("a", "xxxxx");
  assert.equal(cache.size, 0);
  assert.equal(cache.weight, 0);
});

test("the query cache keeps its hit rate while popular queries are refreshed", async () => {
  const cache = new QueryCache({ backend: async (key) => ({ key, hits: [1, 2, 3] }), maxBytes: 400 });
  for (let round = 0; round < 30; round += 1) {
    for (const query of ["red shoes", "Red  Shoes", "boots", "socks"]) await cache.search(query);
    await cache.refresh("red shoes");
  }
  assert.equal(cache.misses, 3);
  assert.ok(cache.hitRate() > 0.95);
});

test("queries are normalised", () => {
  assert.equal(normalizeQuery("  Red\tSHOES "), "red shoes");
});
