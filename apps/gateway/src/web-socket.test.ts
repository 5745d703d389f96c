import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createConnection, createServer } from "node:net";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createGatewayClient, type GatewayClient } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { RESPONSES_USAGE, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

type Message = { type: string; status?: number; error?: { code: string }; response?: { id: string; usage?: unknown } };

/** A connection whose messages are asked for one after the other. */
async function connect(at = client.url, headers: Record<string, string> = client.common) {
  const socket = new WebSocket(`${at.replace("http", "ws")}/v1/responses`, { headers });
  const messages: Message[] = [];
  socket.on("message", (data) => messages.push(JSON.parse(String(data))));
  const closed = once(socket, "close");
  await once(socket, "open");
  return {
    socket,
    closed,
    send: (message: object) => socket.send(JSON.stringify({ type: "response.create", model: "m", ...message })),
    /** The messages up to the next that ends an answer. */
    async receive(): Promise<Message[]> {
      const isLast = ({ type }: Message) => type === "response.completed" || type === "error";
      await waitUntil("an answer", async () => messages.some(isLast));
      return messages.splice(0, messages.findIndex(isLast) + 1);
    },
  };
}

const user = (text: string) => ({ type: "message", role: "user", content: text });
const said = (id: string) => ({ type: "message", id, role: "assistant", content: [{ type: "output_text", text: id }] });

/** Answers each request with one item, named after how many there were. */
function answerTurns(): void {
  let turns = 0;
  test.peer.answer((response) => {
    const id = `resp_${++turns}`;
    const events = [
      { type: "response.created", response: { id } },
      { type: "response.output_item.done", item: said(`said ${turns}`) },
      { type: "response.completed", response: { id, status: "completed", output: [], usage: RESPONSES_USAGE } },
    ];
    startStream(response).end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  });
}
const bodies = (): Record<string, unknown>[] => test.peer.requests.map(({ body }) => JSON.parse(body));

describe("Responses over a WebSocket", () => {
  it("build on the latest response: only what is new is sent, all of it goes upstream", async () => {
    answerTurns();
    const { send, receive, socket } = await connect();
    const traces = [createTrace(), createTrace()];
    send({ input: [user("one")], client_metadata: { ws_request_header_traceparent: traces[0]?.traceparent } });
    expect((await receive()).map(({ type }) => type)).toEqual([
      "response.created",
      "response.output_item.done",
      "response.completed",
    ]);
    send({
      previous_response_id: "resp_1",
      input: [user("two")],
      client_metadata: { traceparent: traces[1]?.traceparent, session_id: "s-1" },
    });
    await receive();
    expect(bodies().map(({ input }) => input)).toEqual([[user("one")], [user("one"), said("said 1"), user("two")]]);
    for (const body of bodies()) expect(Object.keys(body)).not.toContain("previous_response_id");
    for (const trace of traces) {
      const call = await client.readAttributes(trace.traceId, "chat m");
      expect(call).toMatchObject({ "gen_ai.usage.input_tokens": 100, "centspan.key.name": expect.any(String) });
    }
    expect(await client.readAttributes(traces[1]?.traceId ?? "", "WS /v1/responses")).toMatchObject({
      "centspan.connection.reused": true,
      "http.response.status_code": 200,
      "gen_ai.conversation.id": "s-1",
    });
    socket.close();
  });

  it("a prewarm gets everything ready, makes no call, and is built on", async () => {
    answerTurns();
    const { send, receive, socket } = await connect();
    const trace = createTrace();
    send({ input: [user("system")], generate: false, client_metadata: { traceparent: trace.traceparent } });
    const warm = await receive();
    expect(warm.map(({ type }) => type)).toEqual(["response.created", "response.completed"]);
    expect(test.peer.requests).toEqual([]);
    await client.readAttributes(trace.traceId, "WS /v1/responses");
    expect([...(await test.readSpans(trace.traceId)).keys()]).not.toContain("chat m");
    expect([...(await test.readSpans(trace.traceId)).keys()]).toContain("api.tokenize");
    send({ previous_response_id: warm[1]?.response?.id, input: [user("go")] });
    await receive();
    expect(bodies()[0]?.input).toEqual([user("system"), user("go")]);
    socket.close();
  });

  it("passes what nobody here reads as it came", async () => {
    answerTurns();
    const { receive, socket } = await connect();
    socket.send('{"type":"response.create","model":"m","input":"hi","metadata":{"n":12345678901234567890}}');
    await receive();
    expect(test.peer.requests[0]?.body).toContain('"metadata":{"n":12345678901234567890}');
    expect(bodies()[0]?.input).toEqual([user("hi")]);
    expect(test.peer.requests[0]?.headers["sec-websocket-key"]).toBeUndefined();
    socket.close();
  });

  it.each([
    ["an id of another connection", { previous_response_id: "resp_9", input: [] }, "previous_response_not_found"],
    ["another type", { type: "response.cancel" }, "invalid_request"],
    ["a header beyond any", { input: [], client_metadata: { session_id: "x".repeat(20_000) } }, "invalid_request"],
    ["no input that can be read", { input: [{ type: "function_call" }] }, "invalid_request"],
  ])("%s is an error, and the connection goes on", async (_name, message, code) => {
    answerTurns();
    const { send, receive, socket } = await connect();
    send(message);
    expect(await receive()).toMatchObject([{ type: "error", status: 400, error: { code } }]);
    send({ input: [user("hi")] });
    expect((await receive()).at(-1)?.type).toBe("response.completed");
    socket.close();
  });

  it("an error of the upstream is passed on; after it there is nothing to build on", async () => {
    answerTurns();
    const { send, receive, socket } = await connect();
    send({ input: [user("hi")] });
    await receive();
    const headers = { "content-type": "application/json" };
    const body = '{"error":{"code":"server_is_overloaded","message":"later"}}';
    test.peer.answer((response) => void response.writeHead(503, headers).end(body));
    send({ previous_response_id: "resp_1", input: [user("more")] });
    expect(await receive()).toEqual([
      { type: "error", status: 503, error: { code: "server_is_overloaded", message: "later" } },
    ]);
    answerTurns();
    send({ previous_response_id: "resp_1", input: [user("more")] });
    expect(await receive()).toMatchObject([{ error: { code: "previous_response_not_found" } }]);
    socket.close();
  });

  it("an upstream's refusal is told, in whichever shape it says it; its own names stay here", async () => {
    const refusal = { detail: "context too long" };
    test.peer.answer((response) => {
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(refusal));
    });
    const { send, receive, socket } = await connect();
    const ours = { "x-centspan-task": "secret", "idempotency-key": `k-${process.pid}` };
    send({ input: [user("hi")], client_metadata: { ...ours, other: "x" } });
    expect(await receive()).toEqual([
      {
        type: "error",
        status: 400,
        error: { message: refusal.detail, type: "invalid_request_error", param: null, code: null },
      },
    ]);
    expect(bodies()[0]?.client_metadata).toEqual({ other: "x" });
    socket.terminate();
  });

  it("an upstream that breaks off ends the connection, as clients expect of half an answer", async () => {
    test.peer.answer((response) => {
      startStream(response).write('data: {"type":"response.created"}\n\n', () => response.destroy());
    });
    const { send, closed } = await connect();
    send({ input: [user("hi")] });
    expect((await closed)[0]).toBe(1006);
  });

  it("a client that leaves cancels what is generated for it; one that has everything loses nothing", async () => {
    test.peer.answer((response) => void startStream(response).write('data: {"type":"response.created"}\n\n'));
    const left = await connect();
    left.send({ input: [user("hi")] });
    await waitUntil("a request", async () => test.peer.requests.length === 1);
    left.socket.terminate();
    await waitUntil("the upstream is told", async () => test.peer.cancelled() === 1);

    answerTurns();
    const trace = createTrace();
    const codex = await connect();
    codex.socket.on("message", (data) => {
      if (String(data).includes("response.completed")) codex.socket.terminate();
    });
    codex.send({ input: [user("hi")], client_metadata: { traceparent: trace.traceparent } });
    expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({
      "gen_ai.usage.output_tokens": 12,
      "centspan.stream.aborted": false,
    });
  });

  it("answers one at a time, in order, however many are asked for", async () => {
    answerTurns();
    const { send, receive, socket } = await connect();
    for (let i = 0; i < 12; i++) send({ input: [user(`${i}`)] });
    for (let i = 0; i < 12; i++) await receive();
    expect(bodies().map(({ input }) => input)).toEqual(Array.from({ length: 12 }, (_, i) => [user(`${i}`)]));
    socket.close();
  });

  it("is read no further than it is answered, however much is sent", async () => {
    answerTurns();
    let takenBytes = 0;
    const network = createServer((inward) => {
      const outward = createConnection(Number(new URL(client.url).port), "127.0.0.1");
      inward.on("data", (part) => (takenBytes += part.length)).on("error", () => outward.destroy());
      inward.pipe(outward).on("error", () => inward.destroy());
      outward.pipe(inward);
    }).listen(0, "127.0.0.1");
    await once(network, "listening");
    const address = network.address();
    const { socket } = await connect(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    const message = JSON.stringify({ type: "response.create", model: "m", input: "hi", user: "x".repeat(300) });
    for (let i = 0; i < 100_000; i++) socket.send(message, { compress: false });
    await waitUntil("some answers", async () => test.peer.requests.length >= 300);
    // Of 38 MB the network's own buffers hold some, and the gateway next to nothing.
    expect(takenBytes).toBeLessThan(14 * 1024 * 1024);
    socket.terminate();
    network.close();
  });

  it("a client that takes nothing of what it is told is let go", async () => {
    const at = await test.open({ webSockets: { connectionsPerKey: 1 }, maxStallMs: 100 });
    const { socket } = await connect(at);
    socket.pause();
    // Errors say what was asked for.
    const id = randomBytes(100_000).toString("base64");
    const refused = JSON.stringify({ type: "response.create", model: "m", previous_response_id: id });
    for (let i = 0; i < 200; i++) socket.send(refused);
    await waitUntil("its place is free", async () => {
      const other = new WebSocket(`${at.replace("http", "ws")}/v1/responses`, { headers: client.common });
      other.on("error", () => undefined);
      const opened = await once(other, "open").then(
        () => true,
        () => false,
      );
      other.terminate();
      return opened;
    });
    socket.terminate();
  });
});

describe("a WebSocket is refused", () => {
  const refused = async (at: string, headers: Record<string, string>, path = "/v1/responses") => {
    const socket = new WebSocket(at.replace("http", "ws") + path, { headers });
    const [request, response] = await once(socket, "unexpected-response");
    request.destroy();
    return response.statusCode;
  };

  it("without a key, elsewhere, and beyond a key's number of connections", async () => {
    expect(await refused(client.url, {})).toBe(401);
    expect(await refused(client.url, client.common, "/v1/models")).toBe(404);
    const few = await test.open({ webSockets: { connectionsPerKey: 1 } });
    const { socket, closed } = await connect(few);
    expect(await refused(few, client.common)).toBe(429);
    socket.close();
    await closed;
    await waitUntil("room", async () => (await connect(few)).socket.readyState === WebSocket.OPEN);
  });

  it("when it grows old, and when it says only what can't be read", async () => {
    const brief = await test.open({ webSockets: { maxAgeMs: 0 } });
    const old = await connect(brief);
    expect(await old.receive()).toMatchObject([{ error: { code: "websocket_connection_limit_reached" } }]);
    expect((await old.closed)[0]).toBe(1001);
    const noise = await connect();
    for (let i = 0; i < 40; i++) noise.socket.send("{");
    expect((await noise.closed)[0]).toBe(1008);
    const large = await connect();
    large.socket.send(" ".repeat(33 * 1024 * 1024));
    expect((await large.closed)[0]).toBe(1009);
  });

  it("conversations beyond what is remembered are sent whole again", async () => {
    answerTurns();
    const forgetful = await test.open({ webSockets: { maxRememberedChars: 10 } });
    const { send, receive, socket } = await connect(forgetful);
    send({ input: [user("hi")] });
    await receive();
    send({ previous_response_id: "resp_1", input: [user("more")] });
    expect(await receive()).toMatchObject([{ error: { code: "previous_response_not_found" } }]);
    socket.close();
  });
});
