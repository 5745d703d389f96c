import assert from "node:assert/strict";
import test from "node:test";
import { backoffMs, createClient, ProviderError } from "../src/index.js";

function makeWorld(answers) {
  const slept = [];
  const world = {
    send: async () => answers.shift(),
    sleep: async (ms) => { slept.push(ms); },
    random: () => 0,
    nowMs: () => 0,
  };
  return { world, slept };
}

test("a success is returned at once", async () => {
  const { world, slept } = makeWorld([{ status: 200, headers: {}, body: "ok" }]);
  assert.equal(await createClient(world).call({}), "ok");
  assert.deepEqual(slept, []);
});

test("delays double up to the maximum", () => {
  const options = { baseMs: 200, maxDelayMs: 1000 };
  assert.deepEqual([0, 1, 2, 3].map((attempt) => backoffMs(attempt, options, () => 0)), [100, 200, 400, 500]);
});

test("a declined payment is not retried", async () => {
  const { world } = makeWorld([{ status: 402, headers: {}, body: "" }]);
  await assert.rejects(createClient(world).call({}), (error) => error instanceof ProviderError && error.attempts === 1);
});

test("retries end after the configured number", async () => {
  const { world, slept } = makeWorld(Array.from({ length: 3 }, () => ({ status: 503, headers: {}, body: "" })));
  await assert.rejects(createClient(world, { retries: 2 }).call({}), { name: "ProviderError", attempts: 3 });
  assert.equal(slept.length, 2);
});
