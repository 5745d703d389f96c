import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "../src/index.js";

const NOW_MS = Date.parse("2026-03-02T10:00:00Z");

async function waitsFor(retryAfter, { status = 429, options = {} } = {}) {
  const slept = [];
  const answers = [
    { status, headers: { "retry-after": retryAfter }, body: "" },
    { status: 200, headers: {}, body: "ok" },
  ];
  const client = createClient(
    {
      send: async () => answers.shift(),
      sleep: async (ms) => { slept.push(ms); },
      random: () => 0,
      nowMs: () => NOW_MS,
    },
    options,
  );
  assert.equal(await client.call({}), "ok");
  return slept;
}

test("seconds are waited in full", async () => {
  assert.deepEqual(await waitsFor("7"), [7000]);
  assert.deepEqual(await waitsFor("7", { status: 503 }), [7000]);
});

test("an HTTP date is waited for", async () => {
  assert.deepEqual(await waitsFor("Mon, 02 Mar 2026 10:00:12 GMT"), [12_000]);
});

test("a date in the past leaves our own backoff", async () => {
  assert.deepEqual(await waitsFor("Mon, 02 Mar 2026 09:59:00 GMT"), [100]);
});

test("zero seconds leaves our own backoff", async () => {
  assert.deepEqual(await waitsFor("0"), [100]);
});

test("malformed values count as absent", async () => {
  for (const value of ["soon", "", "-5", "1.5.2", "12 minutes"]) {
    assert.deepEqual(await waitsFor(value), [100], JSON.stringify(value));
  }
});

test("a wait up to the limit is accepted", async () => {
  assert.deepEqual(await waitsFor("30"), [30_000]);
});

test("a longer wait gives up with the provider's error", async () => {
  await assert.rejects(waitsFor("31"), { name: "ProviderError", status: 429, attempts: 1 });
  await assert.rejects(waitsFor("Mon, 02 Mar 2026 11:00:00 GMT"), { name: "ProviderError", status: 429 });
});
