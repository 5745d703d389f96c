import { createRandom } from "@centspan/base";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMechanisms, type Mechanism } from "../mechanisms.ts";
import {
  formatStream,
  type PeerOptions,
  type PlannedFailure,
  type ResponsesPeer,
  startResponsesPeer,
} from "../testing/responses-peer.ts";
import { createStreamReader } from "./read-turn.ts";
import { createResponsesClient } from "./responses-client.ts";
import type { RetryPolicy } from "./retry.ts";
import { MAX_ANSWER_BYTES, type TransportKind } from "./turn.ts";

const retry: RetryPolicy = { maxTries: 4, baseDelayMs: 1, maxDelayMs: 50, random: createRandom(1) };
const turn = { say: "Grüße, 한국 👩‍👩‍👧", calls: [{ tool: "read_file", args: { path: "ä.js" } }] };

function readInChunks(stream: Buffer, cuts: number[]) {
  const reader = createStreamReader();
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

const user = (text: string) => JSON.stringify({ type: "message", role: "user", content: text });

async function open(options: PeerOptions, without: Mechanism[] = []) {
  const peer = await startResponsesPeer(options);
  const mechanisms = createMechanisms(without);
  const client = createResponsesClient({ gatewayUrl: peer.url, connections: 1, retry, mechanisms });
  const connection = client.open("cs_gateway_x");
  onTestFinished(async () => {
    connection.close();
    await client.close();
    await peer.close();
  });
  const sendItems = (items: string[], head = '"model":"m"', signal = new AbortController().signal) =>
    connection.send({ prompt: { head, items }, headers: { "idempotency-key": "run:1" }, signal });
  const send = (signal?: AbortSignal) => sendItems([user("go")], '"model":"m"', signal);
  return { peer, send, sendItems };
}

/** What the server speaks for the transport to be the best. */
const WAYS: [TransportKind, TransportKind[]][] = [
  ["websocket", ["websocket", "sse", "http"]],
  ["sse", ["sse", "http"]],
  ["http", ["http"]],
];

describe.each(WAYS)("over %s", (kind, speaks) => {
  it("reads the turn, with what it took", async () => {
    const { send } = await open({ answer: () => turn, speaks });
    const answer = await send();
    expect(answer).toMatchObject({
      ...{ kind, text: turn.say, retries: 0, incomplete: null },
      usage: { inputTokens: 100, cachedTokens: 60, outputTokens: 20 },
      calls: [{ name: "read_file", argumentsJson: '{"path":"ä.js"}' }],
    });
    expect(answer.bytesSent).toBeGreaterThan(50);
    expect(answer.bytesReceived).toBeGreaterThan(200);
  });

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
    const { peer, send } = await open({ answer: () => turn, failures: [failure, failure], speaks, chunkBytes: 7 });
    expect(await send()).toMatchObject({ text: turn.say, retries: 2 });
    expect(peer.received.map(({ headers }) => headers["x-centspan-retry"])).toEqual(["0", "1", "2"]);
    expect(peer.received.every(({ body }) => JSON.stringify(body.input) === `[${user("go")}]`)).toBe(true);
    expect(peer.received.every(({ headers }) => headers["idempotency-key"] === "run:1")).toBe(true);
    expect(peer.received[0]?.headers.authorization).toBe("Bearer cs_gateway_x");
  });

  it("gives up after the last try with the last failure", async () => {
    const failures = Array.from({ length: 4 }, () => ({ status: 503, code: "store_unavailable" }));
    const { peer, send } = await open({ answer: () => turn, failures, speaks });
    await expect(send()).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining("planned failure"),
    });
    expect(peer.received).toHaveLength(4);
  });

  it.each([
    [{ status: 400 }, "invalid_request"],
    [{ status: 401 }, "unauthenticated"],
    [{ status: 500 }, "internal"],
  ])("does not repeat what will not pass: %j", async (failure, code) => {
    const { peer, send } = await open({ answer: () => turn, failures: [failure], speaks });
    await expect(send()).rejects.toMatchObject({ code });
    expect(peer.received).toHaveLength(1);
  });

  it("uses one connection for one turn after the other", async () => {
    const { peer, send } = await open({ answer: () => turn, speaks });
    for (let n = 0; n < 5; n++) await send();
    expect(new Set(peer.received.map(({ connection }) => connection)).size).toBe(1);
  });

  it("names the gateway when nobody listens", async () => {
    const { peer, send } = await open({ answer: () => turn, speaks });
    await peer.close();
    await expect(send()).rejects.toMatchObject({
      code: "upstream_failed",
      message: expect.stringContaining("gateway"),
    });
  });

  it("ends an answer that never ends", async () => {
    const { peer, send } = await open({ answer: () => ({ say: "x".repeat(MAX_ANSWER_BYTES) }), speaks });
    await expect(send()).rejects.toMatchObject({ code: "payload_too_large" });
    expect(peer.received).toHaveLength(1);
  });
});

describe("over a WebSocket", () => {
  /** The conversation as the loop would go on with it. */
  async function converse(turns: number, options: Partial<PeerOptions> = {}, without: Mechanism[] = []) {
    const opened = await open({ answer: (at) => ({ say: `said ${at} ${"x".repeat(500)}` }), ...options }, without);
    const log: string[] = [];
    const go = async (head?: string) => {
      log.push(user(`turn ${log.length} ${"y".repeat(500)}`));
      const answer = await opened.sendItems(log, head);
      log.push(...answer.items.map((item) => JSON.stringify(item)));
      return answer;
    };
    const answers = [];
    for (let turn = 0; turn < turns; turn++) answers.push(await go());
    return { ...opened, log, go, answers };
  }
  const inputsOf = (peer: ResponsesPeer) => peer.received.map(({ body }) => JSON.stringify(body.input));

  it("sends only what is new, over one connection; the server has the whole", async () => {
    const { peer, log, answers } = await converse(6);
    const sent = answers.map(({ bytesSent }) => bytesSent);
    expect(Math.max(...sent) - Math.min(...sent)).toBeLessThan(100);
    expect(answers.map(({ handshakes }) => handshakes)).toEqual([1, 0, 0, 0, 0, 0]);
    expect(answers.map(({ incremental }) => incremental)).toEqual([false, true, true, true, true, true]);
    expect(inputsOf(peer).at(-1)).toBe(`[${log.slice(0, -1).join(",")}]`);
    expect(peer.received.map(({ body }) => "previous_response_id" in body)).toEqual([false, ...Array(5).fill(true)]);
  });

  it("sends the whole again when the connection was lost, the head changed or the history was rewritten", async () => {
    const { peer, log, go, sendItems } = await converse(2);
    peer.dropSockets();
    expect(await go()).toMatchObject({ kind: "websocket", incremental: false, text: expect.stringMatching(/^said 2/) });
    expect(await go()).toMatchObject({ incremental: true, handshakes: 0 });
    expect(await go('"model":"n"')).toMatchObject({ incremental: false, handshakes: 0 });
    expect(await go('"model":"n"')).toMatchObject({ incremental: true });
    const rewritten = [user("summary"), ...log.slice(-1)];
    expect(await sendItems(rewritten, '"model":"n"')).toMatchObject({ incremental: false });
    expect(inputsOf(peer).at(-1)).toBe(`[${rewritten.join(",")}]`);
  });

  it.each<PlannedFailure>([
    { status: 400, code: "previous_response_not_found" },
    { status: 400, code: "websocket_connection_limit_reached" },
    { cut: true },
  ])("goes on with the whole input on a new connection after %j", async (failure) => {
    const { peer, log, go } = await converse(2);
    peer.failures.push(failure);
    expect(await go()).toMatchObject({ kind: "websocket", incremental: false, handshakes: 1, retries: 1 });
    expect(inputsOf(peer).at(-1)).toBe(`[${log.slice(0, -1).join(",")}]`);
    expect(await go()).toMatchObject({ incremental: true });
  });

  it("sends the whole in each turn when told to", async () => {
    const { answers } = await converse(3, {}, ["incremental"]);
    expect(answers.map(({ incremental }) => incremental)).toEqual([false, false, false]);
    expect(answers[2]?.bytesSent).toBeGreaterThan((answers[0]?.bytesSent ?? 0) + 2_000);
  });

  it("leaves a transport that is refused at once, and one that breaks off twice, for the rest of the thread", async () => {
    const refused = await converse(2, { speaks: ["sse", "http"] });
    expect(refused.answers).toMatchObject([
      { kind: "sse", fallback: "no WebSocket: the gateway answered 426", retries: 0 },
      { kind: "sse", fallback: null },
    ]);
    const whole = await converse(2, { speaks: ["http"] });
    expect(whole.answers).toMatchObject([
      { kind: "http", fallback: "no event stream: the gateway answered 400", retries: 0 },
      { kind: "http", fallback: null },
    ]);
    const broken = await converse(1, { failures: [{ cut: true }, { cut: true }] });
    expect(broken.answers).toMatchObject([{ kind: "sse", fallback: "the gateway closed the WebSocket (1005)" }]);
    expect(broken.peer.received.map(({ kind }) => kind)).toEqual(["websocket", "websocket", "sse"]);
    const off = await converse(1, {}, ["webSocket"]);
    expect(off.answers).toMatchObject([{ kind: "sse", fallback: null }]);
  });

  it("carries the turn's headers in each message", async () => {
    const { peer } = await converse(1);
    expect(peer.received[0]).toMatchObject({ kind: "websocket", headers: { "idempotency-key": "run:1" } });
  });
});

describe("hints", () => {
  it("reach the gateway before the client is closed, and stop nothing when they can't", async () => {
    const { peer } = await open({ answer: () => turn });
    const openClient = () =>
      createResponsesClient({ gatewayUrl: peer.url, connections: 1, retry, mechanisms: createMechanisms() });
    const client = openClient();
    client.hint({ kind: "run_ended", runId: "r" }, "k");
    client.hint({ kind: "long_wait", runId: "r", threadId: "t", expectedMs: 5 }, "k");
    await client.close();
    expect(peer.hints).toEqual([
      { kind: "run_ended", runId: "r" },
      { kind: "long_wait", runId: "r", threadId: "t", expectedMs: 5 },
    ]);
    await peer.close();
    const alone = openClient();
    alone.hint({ kind: "run_ended", runId: "r" }, "k");
    await alone.close();
  });
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
