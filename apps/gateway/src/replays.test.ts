/** Requests with an Idempotency-Key, over HTTP and WebSocket: one call each, whatever becomes of its client. */
import { once } from "node:events";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createReplays } from "./replays/replays.ts";
import { createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

const WHOLE = RESPONSES_EVENTS.created + RESPONSES_EVENTS.delta + RESPONSES_EVENTS.completed;
let keys = 0;
const newKey = () => ({ "idempotency-key": `run_1:${++keys}` });

it("gives a finished answer again, to the byte, without a call", async () => {
  test.peer.answer((response) => void startStream(response).end(WHOLE));
  const key = newKey();
  expect(await (await client.post(RESPONSES, key)).text()).toBe(WHOLE);
  const trace = createTrace();
  const again = await client.post(RESPONSES, { ...key, ...trace });
  expect(again.headers.get("x-centspan-replayed")).toBe("true");
  expect(again.headers.get("x-request-id")).toBe("req_1");
  expect(await again.text()).toBe(WHOLE);
  expect(test.peer.requests).toHaveLength(1);
  const server = await client.readAttributes(trace.traceId, "POST /v1/responses");
  expect(server).toMatchObject({ "centspan.replayed": true, "http.response.body.size": Buffer.byteLength(WHOLE) });
  expect((await test.readSpans(trace.traceId)).has("chat m")).toBe(false);
});

it("keeps no answer that is too long, and names the request to an upstream as this workspace's own", async () => {
  const filler = `data: ${JSON.stringify({ type: "x", delta: "x".repeat(1024 * 1024) })}\n\n`;
  test.peer.answer((response) => {
    void startStream(response).end(RESPONSES_EVENTS.created + filler.repeat(17) + RESPONSES_EVENTS.completed);
  });
  const key = newKey();
  for (const _time of [1, 2]) {
    const answer = await client.post(RESPONSES, key);
    expect(answer.headers.has("x-centspan-replayed")).toBe(false);
    await answer.text();
  }
  const names = test.peer.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), names[0]]);
});

it("reads an answer to its end for a client that left, who then gets it once it is whole", async () => {
  let finish = (): void => undefined;
  test.peer.answer((response) => {
    startStream(response).write(RESPONSES_EVENTS.created);
    finish = () => void response.end(RESPONSES_EVENTS.delta + RESPONSES_EVENTS.completed);
  });
  const key = newKey();
  const trace = createTrace();
  const [request, response] = await client.open(RESPONSES, { ...key, ...trace });
  await once(response, "data");
  request.destroy();
  const again = client.post(RESPONSES, key).then((answer) => answer.text());
  finish();
  expect(await again).toBe(WHOLE);
  expect(test.peer.requests).toHaveLength(1);
  expect(test.peer.cancelled()).toBe(0);
  const call = await client.readAttributes(trace.traceId, "chat m");
  expect(call).toMatchObject({ "gen_ai.usage.output_tokens": 12, "centspan.stream.aborted": false });
});

it("cancels for a client that left where its key says so", async () => {
  test.peer.answer((response) => void startStream(response).write(RESPONSES_EVENTS.created));
  const { secret } = await test.createKey("gateway", { onDisconnect: "cancel" });
  const [request, response] = await client.open(RESPONSES, { ...newKey(), authorization: `Bearer ${secret}` });
  await once(response, "data");
  request.destroy();
  await waitUntil("the upstream's request to be cancelled", async () => test.peer.cancelled() === 1);
});

it.each([
  ["an error", 429, '{"error":{"message":"slow down"}}'],
  ["a stream that was cut off", 200, RESPONSES_EVENTS.created],
  [
    "a stream that says that it failed",
    200,
    'data: {"type":"response.failed","response":{"id":"resp_1","error":{"code":"server_error","message":"oops"}}}\n\n',
  ],
])("asks again after %s", async (_what, status, body) => {
  const key = newKey();
  test.peer.answer((response) => {
    const isFirst = test.peer.requests.length === 1;
    if (isFirst && status !== 200) response.writeHead(status, { "content-type": "application/json" }).end(body);
    else startStream(response).end(isFirst ? body : WHOLE);
  });
  await (await client.post(RESPONSES, key)).text();
  expect(await (await client.post(RESPONSES, key)).text()).toBe(WHOLE);
  expect(test.peer.requests).toHaveLength(2);
});

it("refuses other content under the same key, and keeps keys of ours apart", async () => {
  test.peer.answer((response) => void startStream(response).end(WHOLE));
  const key = newKey();
  await (await client.post(RESPONSES, key)).text();
  const other = { ...RESPONSES, body: { ...RESPONSES.body, input: "something else" } };
  const refused = await client.post(other, key);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringMatching(/^idempotency-key: /) } });
  const { secret } = await test.createKey();
  await (await client.post(other, { ...key, authorization: `Bearer ${secret}` })).text();
  expect(test.peer.requests).toHaveLength(2);
  expect((await client.post(RESPONSES, { "idempotency-key": "k".repeat(256) })).status).toBe(400);
});

it("knows the same request over a WebSocket, and builds on the answer given again", async () => {
  test.peer.answer((response) => void startStream(response).end(WHOLE));
  const key = newKey();
  const input = [{ type: "message", role: "user", content: "hi" }];
  await (await client.post({ ...RESPONSES, body: { ...RESPONSES.body, input } }, key)).text();
  const socket = new WebSocket(`${client.url.replace("http", "ws")}/v1/responses`, { headers: client.common });
  const types: string[] = [];
  socket.on("message", (data) => types.push(JSON.parse(String(data)).type));
  await once(socket, "open");
  const send = (message: object) => socket.send(JSON.stringify({ type: "response.create", model: "m", ...message }));
  const completed = (count: number) =>
    waitUntil("the answers", async () => types.filter((type) => type === "response.completed").length === count);
  send({ input, client_metadata: key });
  await completed(1);
  expect(test.peer.requests).toHaveLength(1);
  send({ input: [], previous_response_id: "resp_1", client_metadata: newKey() });
  await completed(2);
  expect(test.peer.requests).toHaveLength(2);
  socket.close();
});

it("forgets the oldest answers beyond its bytes, and all after a day", async () => {
  let nowMs = 0;
  const replays = createReplays({ maxBytes: 2_500, nowMs: () => nowMs });
  const answer = { head: { statusCode: 200, headers: {} }, parts: [Buffer.alloc(500)] };
  for (const id of ["a", "b", "c"]) replays.begin(id, "x")(answer);
  expect(replays.find("a", "x")).toBe(null);
  expect(await replays.find("b", "x")).toBe(answer);
  replays.begin("huge", "x")({ ...answer, parts: [Buffer.alloc(3_000)] });
  expect(["b", "c", "huge"].map((id) => replays.find(id, "x"))).toEqual([null, null, null]);
  replays.begin("d", "x")(answer);
  nowMs = 24 * 3_600_000 + 1;
  expect(replays.find("d", "x")).toBe(null);
});
