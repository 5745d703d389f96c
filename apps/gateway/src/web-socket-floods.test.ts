import { once } from "node:events";
import { connect } from "node:net";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { createGatewayClient, type GatewayClient } from "./testing/gateway-client.ts";
import { openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { openSocket } from "./testing/raw-client.ts";
import { RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());
beforeEach(() => {
  test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
});

describe("on a WebSocket", () => {
  const asks = (socket: WebSocket, more: object = {}): void =>
    socket.send(JSON.stringify({ type: "response.create", model: "m", input: [], ...more }));

  it("a message in countless fragments ends the connection", async () => {
    const { socket, closed } = await openSocket(client.url, client);
    for (let i = 0; i < 20_000; i++) socket.send("", { fin: false });
    expect((await closed)[0]).toBe(1008);
  });

  it("pings are answered, and a flood of them ends the connection", async () => {
    const { socket, closed } = await openSocket(client.url, client);
    for (let pongs = 0; pongs < 20; pongs++) {
      socket.ping();
      await once(socket, "pong");
    }
    for (let i = 0; i < 100_000; i++) socket.ping(undefined, undefined, () => undefined);
    expect((await closed)[0]).toBe(1006);
  });

  it("small messages without end are read at the pace of their answers", async () => {
    const { socket, messages } = await openSocket(client.url, client);
    for (let i = 0; i < 60; i++) asks(socket);
    await waitUntil("all answers", () => messages.filter((text) => text.includes("response.completed")).length === 60);
    socket.terminate();
  });

  it("who vanished is noticed, and who answers pings stays", async () => {
    const { hostname, port } = new URL(await test.open({ webSockets: { pingEveryMs: 60 } }));
    const silent = connect(Number(port), hostname);
    silent.write(
      [
        "GET /v1/responses HTTP/1.1",
        "host: gateway",
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
        `authorization: Bearer ${client.key}`,
        "\r\n",
      ].join("\r\n"),
    );
    // Answers go through the same process as this test: what answers has more time than any stall of it takes.
    const { socket, messages } = await openSocket(await test.open({ webSockets: { pingEveryMs: 1_000 } }), client);
    let pings = 0;
    socket.on("ping", () => {
      pings += 1;
    });
    silent.resume();
    await once(silent, "close");
    await waitUntil("several pings", () => pings > 1);
    asks(socket);
    await waitUntil("an answer", () => messages.some((text) => text.includes("response.completed")));
    socket.terminate();
  });

  it("what would be a header holds no line of its own; other scripts come through", async () => {
    const { socket, messages } = await openSocket(client.url, client);
    asks(socket, { client_metadata: { "x-centspan-task": "a\r\nx-evil: 1" } });
    await waitUntil("a refusal", () => messages.length === 1);
    expect(JSON.parse(messages[0] ?? "")).toMatchObject({
      status: 400,
      error: { code: "invalid_request", param: "client_metadata.x-centspan-task" },
    });
    asks(socket, { client_metadata: { "x-centspan-task": "결제", "x-centspan-a: b": "c" } });
    await waitUntil("an answer", () => messages.some((text) => text.includes("response.completed")));
    const sent = test.peer.requests[0]?.headers ?? {};
    expect(Buffer.from(String(sent["x-centspan-task"]), "latin1").toString()).toBe("결제");
    expect(Object.keys(sent).filter((name) => /evil|a: b/.test(name))).toEqual([]);
    socket.terminate();
  });
});
