import { CentspanError, createRandom } from "@centspan/base";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { formatStream, type PeerOptions, type PlannedFailure, startResponsesPeer } from "../testing/responses-peer.ts";
import { createTurnReader } from "./read-stream.ts";
import { createResponsesClient } from "./responses-client.ts";
import { nextDelayMs, type RetryPolicy, readRetryAfterS } from "./retry.ts";

const retry: RetryPolicy = { maxTries: 4, baseDelayMs: 1, maxDelayMs: 50, random: createRandom(1) };
const turn = { say: "Grüße, 한국 👩‍👩‍👧", calls: [{ tool: "read_file", args: { path: "ä.js" } }] };

function readInChunks(stream: Buffer, cuts: number[]) {
  const reader = createTurnReader();
  let from = 0;
  for (const cut of [...cuts, stream.byteLength].sort((a, b) => a - b)) {
    reader.push(stream.subarray(from, cut));
    from = cut;
  }
  return reader.finish();
}

it("reads the same turn however the stream is cut into chunks, also inside a character", () => {
  const stream = Buffer.from(formatStream("resp_1", turn));
  const whole = readInChunks(stream, []);
  expect(whole).toMatchObject({
    responseId: "resp_1",
    incomplete: null,
    text: turn.say,
    calls: [{ callId: "call_resp_1_0", name: "read_file", argumentsJson: '{"path":"ä.js"}' }],
  });
  const cuts = fc.array(fc.integer({ min: 0, max: stream.byteLength }), { maxLength: 30 });
  fc.assert(
    fc.property(cuts, (at) => {
      expect(readInChunks(stream, at)).toEqual(whole);
    }),
  );
});

it("keeps items as the server wrote them, unknown fields and their order included, in the order of their index", () => {
  const item = (id: string) => ({ zeta: 1, id, type: "reasoning", encrypted_content: "x", alpha: [{ b: 1, a: 2 }] });
  const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  const stream =
    event({ type: "response.output_item.done", output_index: 1, item: item("second") }) +
    event({ type: "response.output_item.done", output_index: 0, item: item("first") }) +
    event({ type: "response.completed", response: { id: "r" } });
  expect(JSON.stringify(readInChunks(Buffer.from(stream), []).items)).toBe(
    JSON.stringify([item("first"), item("second")]),
  );
});

it("has no turn without the event that completes it", () => {
  const stream = formatStream("resp_1", turn);
  const cut = Buffer.from(stream.slice(0, stream.indexOf('data: {"type":"response.completed"')));
  expect(() => readInChunks(cut, [])).toThrow("ended before response.completed");
});

async function open(options: PeerOptions) {
  const peer = await startResponsesPeer(options);
  const client = createResponsesClient({ gatewayUrl: peer.url, connections: 1, retry });
  onTestFinished(async () => {
    await client.close();
    await peer.close();
  });
  const body = JSON.stringify({ model: "m", input: [{ type: "message" }] });
  const send = (signal = new AbortController().signal) =>
    client.send({ body, key: "cs_gateway_x", headers: { "idempotency-key": "run:1" }, signal });
  return { peer, send };
}

it.each<[string, PlannedFailure]>([
  ["an answer of 429", { status: 429, retryAfter: "0" }],
  ["an answer of 502", { status: 502 }],
  ["an answer of 503", { status: 503, retryAfter: "0.01" }],
  ["an answer of 504", { status: 504 }],
  ["a cut stream", { cut: true }],
  [
    "an overloaded model",
    { event: { type: "response.failed", response: { error: { code: "server_is_overloaded" } } } },
  ],
])("sends the same content again after %s, with the ordinal of the try", async (_name, failure) => {
  const { peer, send } = await open({ answer: () => turn, failures: [failure, failure], chunkBytes: 7 });
  expect(await send()).toMatchObject({ text: turn.say, retries: 2 });
  expect(peer.received.map(({ headers }) => headers["x-centspan-retry"])).toEqual(["0", "1", "2"]);
  expect(new Set(peer.received.map(({ raw, headers }) => raw + headers["idempotency-key"])).size).toBe(1);
  expect(peer.received[0]?.headers.authorization).toBe("Bearer cs_gateway_x");
});

it("gives up after the last try with the last failure", async () => {
  const failures = Array.from({ length: 4 }, () => ({ status: 503 }));
  const { peer, send } = await open({ answer: () => turn, failures });
  await expect(send()).rejects.toThrow("the gateway answered 503: planned failure");
  expect(peer.received).toHaveLength(4);
});

it.each([
  [{ status: 400 }, "invalid_request"],
  [{ status: 401 }, "unauthenticated"],
  [{ status: 500 }, "internal"],
  [{ event: { type: "error", code: "context_length_exceeded", message: "too long" } }, "internal"],
  [{ status: 503, retryAfter: "3600" }, "store_unavailable"],
])("does not repeat what will not pass: %j", async (failure, code) => {
  const { peer, send } = await open({ answer: () => turn, failures: [failure] });
  await expect(send()).rejects.toMatchObject({ code });
  expect(peer.received).toHaveLength(1);
});

it("uses one connection for one turn after the other", async () => {
  const { peer, send } = await open({ answer: () => turn });
  for (let n = 0; n < 5; n++) await send();
  expect(new Set(peer.received.map(({ connection }) => connection)).size).toBe(1);
});

it("names the gateway when nobody listens", async () => {
  const { peer, send } = await open({ answer: () => turn });
  await peer.close();
  await expect(send()).rejects.toMatchObject({ code: "upstream_failed", message: expect.stringContaining("gateway") });
});

it("stops waiting for its next try when the run is interrupted", async () => {
  const interrupt = new AbortController();
  const failures = [{ status: 503, retryAfter: "0.05" }];
  const { send } = await open({
    answer: () => {
      setTimeout(() => interrupt.abort(new Error("stopped by hand")), 1);
      return turn;
    },
    failures,
  });
  await expect(send(interrupt.signal)).rejects.toThrow("stopped by hand");
});

it("waits longer from try to try, as long as asked for, and not beyond the limit", () => {
  const policy = { ...retry, maxTries: 10, baseDelayMs: 100, maxDelayMs: 1_000 };
  const failed = (retryAfterS?: number) =>
    new CentspanError("store_unavailable", "", retryAfterS === undefined ? {} : { retryAfterS });
  for (const [ordinal, most] of [100, 200, 400, 800, 1000, 1000].entries()) {
    const delayMs = nextDelayMs(policy, ordinal, failed()) ?? Number.NaN;
    expect(delayMs).toBeGreaterThanOrEqual(most / 2);
    expect(delayMs).toBeLessThanOrEqual(most);
  }
  expect(nextDelayMs(policy, 0, failed(0.9))).toBe(900);
  expect(nextDelayMs(policy, 0, failed(1.1))).toBeNull();
  expect(nextDelayMs(policy, 9, failed())).toBeNull();
  expect(nextDelayMs(policy, 0, new Error("a bug"))).toBeNull();
});

it("reads Retry-After as seconds or as a date", () => {
  const nowMs = Date.parse("2026-11-29T12:00:00Z");
  expect(readRetryAfterS("3", nowMs)).toBe(3);
  expect(readRetryAfterS("Sun, 29 Nov 2026 12:00:05 GMT", nowMs)).toBe(5);
  expect(readRetryAfterS("Sun, 29 Nov 2026 11:00:00 GMT", nowMs)).toBe(0);
  expect(readRetryAfterS("soon", nowMs)).toBeUndefined();
  expect(readRetryAfterS(undefined, nowMs)).toBeUndefined();
});
