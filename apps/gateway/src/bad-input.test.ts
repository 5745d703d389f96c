/** What nobody should send, over real sockets: bounded in time and memory, and answered in the shape of the path. */
import { once } from "node:events";
import { connect } from "node:net";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { countTokensProtocol } from "./count-tokens.ts";
import { PROTOCOLS } from "./protocols/registry.ts";
import { createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;
/** A gateway that waits a short time for bodies. */
let hasty: string;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  hasty = await test.open({ maxBodyMs: 200 });
});
afterAll(() => test.close());
beforeEach(() => {
  test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
});

const ROUTES = [...PROTOCOLS, countTokensProtocol].map(({ route }) => route);
const isAnthropic = (path: string): boolean => path.startsWith("/v1/messages");
/** An error with that code, as clients of the path read errors. */
const shapeAt = (path: string, code: string) =>
  isAnthropic(path)
    ? { type: "error", error: { type: expect.any(String), message: expect.any(String), code } }
    : { error: { type: expect.any(String), message: expect.any(String), code, param: expect.anything() } };

/** Sends bytes, then `drip` again and again, until the other side has ended the connection. Resolves with its answer. */
async function exchange(at: string, head: string, drip = ""): Promise<{ status: number; body: unknown }> {
  const { hostname, port } = new URL(at);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  socket.write(head);
  const dripping = setInterval(() => drip !== "" && socket.write(drip), 10);
  await closed;
  clearInterval(dripping);
  const [, first = ""] = text.split("HTTP/1.1 ");
  const content = first.slice(first.indexOf("\r\n\r\n"));
  const json = content.slice(content.indexOf("{"), content.lastIndexOf("}") + 1);
  return { status: Number(first.slice(0, 3)), body: JSON.parse(json || "null") };
}

const headOf = (path: string, ...more: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    "host: gateway",
    "content-type: application/json",
    `authorization: Bearer ${client.key}`,
    ...more,
    "\r\n",
  ].join("\r\n");

describe("a body", () => {
  it.each(ROUTES)("that drips, or never comes, is waited for a while: %s", async (path) => {
    for (const drip of [" ", ""]) {
      const { status, body } = await exchange(hasty, headOf(path, "content-length: 100000"), drip);
      expect([status, body]).toMatchObject([408, shapeAt(path, "request_timeout")]);
    }
    const chunked = await exchange(hasty, headOf(path, "transfer-encoding: chunked"), "1\r\n \r\n");
    expect(chunked.status).toBe(408);
  });

  it.each(ROUTES)("of another type, not UTF-8, nested without end or no JSON is refused: %s", async (path) => {
    const post = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
      const response = await fetch(client.url + path, {
        method: "POST",
        body,
        headers: { ...client.common, ...headers },
      });
      return [response.status, await response.json()];
    };
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]) {
      expect(await post("{}", { "content-type": type })).toMatchObject([415, shapeAt(path, "unsupported_media_type")]);
    }
    const bad: (string | Uint8Array<ArrayBuffer>)[] = [
      Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d),
      `{"model":"m","input":${"[".repeat(1_000_000)}`,
      `{"model":"m","a":${'{"a":'.repeat(300)}1${"}".repeat(300)}}`,
      "",
      "nul",
    ];
    for (const body of bad) expect(await post(body)).toMatchObject([400, shapeAt(path, "invalid_request")]);
    expect(test.peer.requests).toEqual([]);
  });
});

describe("what is no HTTP", () => {
  it.each<[string, string, string, number, string]>([
    ["noise", "/", "\x16\x03\x01 noise\r\n\r\n", 400, "invalid_request"],
    ["a header without a colon", "/v1/messages", "host: g\r\nwrong header\r\n\r\n", 400, "invalid_request"],
    ["a header with a null in it", "/v1/responses", "host: g\r\nx-centspan-task: a\0b\r\n\r\n", 400, "invalid_request"],
    [
      "a lone line feed in a header",
      "/v1/messages",
      "host: g\r\nx-centspan-task: a\rx-evil: 1\r\n\r\n",
      400,
      "invalid_request",
    ],
    [
      "two lengths",
      "/v1/messages?beta=true",
      "host: g\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
      400,
      "invalid_request",
    ],
    ["endless headers", "/v1/messages", `host: g\r\nx-a: ${"a".repeat(70_000)}\r\n\r\n`, 413, "payload_too_large"],
  ])("is refused in the shape of its path: %s", async (_what, path, rest, status, code) => {
    const head = path === "/" ? rest : `POST ${path} HTTP/1.1\r\n${rest}`;
    const answer = await exchange(client.url, head);
    expect(answer.status).toBe(status);
    // Of headers that are too large the beginning is not known any more.
    if (code !== "payload_too_large")
      expect(Object.keys(Object(answer.body))).toEqual(isAnthropic(path) ? ["type", "error"] : ["error"]);
    expect(Object(answer.body).error).toMatchObject({ code });
  });

  it("in the midst of a body ends the request, and nothing goes upstream", async () => {
    const { status, body } = await exchange(
      client.url,
      `${headOf("/v1/messages", "transfer-encoding: chunked")}2\r\n{}\r\nnot a length\r\n`,
    );
    expect([status, body]).toMatchObject([400, { type: "error" }]);
    expect(test.peer.requests).toEqual([]);
  });

  it("keeps nobody else waiting", async () => {
    const attackers = Array.from({ length: 50 }, () =>
      exchange(hasty, headOf("/v1/responses", "content-length: 9"), " "),
    );
    const response = await client.post({ path: "/v1/responses", body: { model: "m", input: "hi" } }, {}, hasty);
    expect(response.status).toBe(200);
    // Nine blanks are a body without sense, and may be late.
    for (const { status } of await Promise.all(attackers)) expect([400, 408]).toContain(status);
  });
});

it("a client that reads nothing of its answer is let go, and so is the upstream", async () => {
  const at = await test.open({ maxStallMs: 200 });
  test.peer.answer(async (response) => {
    startStream(response);
    const event = `data: ${JSON.stringify({ type: "response.output_text.delta", delta: "x".repeat(100_000) })}\n\n`;
    while (!response.destroyed) if (!response.write(event)) await once(response, "drain").catch(() => undefined);
  });
  const trace = createTrace();
  const [request, response] = await client.open(RESPONSES, trace, at);
  response.pause();
  await waitUntil("the upstream is told", () => test.peer.cancelled() === 1);
  expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({ "centspan.stream.aborted": true });
  request.destroy();
});

describe("on a WebSocket", () => {
  const open = async (at = client.url) => {
    const socket = new WebSocket(`${at.replace("http", "ws")}/v1/responses`, {
      headers: client.common,
      perMessageDeflate: false,
    });
    socket.on("error", () => undefined);
    const messages: string[] = [];
    socket.on("message", (data) => messages.push(String(data)));
    const closed = once(socket, "close");
    await once(socket, "open");
    return { socket, messages, closed };
  };
  const asks = (socket: WebSocket, more: object = {}): void =>
    socket.send(JSON.stringify({ type: "response.create", model: "m", input: [], ...more }));

  it("a message in countless fragments ends the connection", async () => {
    const { socket, closed } = await open();
    for (let i = 0; i < 20_000; i++) socket.send("", { fin: false });
    expect((await closed)[0]).toBe(1008);
  });

  it("pings are answered, and a flood of them ends the connection", async () => {
    const { socket, closed } = await open();
    for (let pongs = 0; pongs < 100; pongs++) {
      socket.ping();
      await once(socket, "pong");
    }
    for (let i = 0; i < 100_000; i++) socket.ping(undefined, undefined, () => undefined);
    expect((await closed)[0]).toBe(1006);
  });

  it("small messages without end are read at the pace of their answers", async () => {
    const { socket, messages } = await open();
    for (let i = 0; i < 300; i++) asks(socket);
    await waitUntil("all answers", () => messages.filter((text) => text.includes("response.completed")).length === 300);
    socket.terminate();
  });

  it("who vanished is noticed, and who answers pings stays", async () => {
    const watched = await test.open({ webSockets: { pingEveryMs: 60 } });
    const { hostname, port } = new URL(watched);
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
    const { socket, messages } = await open(watched);
    let pings = 0;
    socket.on("ping", () => {
      pings += 1;
    });
    silent.resume();
    await once(silent, "close");
    await waitUntil("several pings", () => pings > 3);
    asks(socket);
    await waitUntil("an answer", () => messages.some((text) => text.includes("response.completed")));
    socket.terminate();
  });

  it("what would be a header holds no line of its own; other scripts come through", async () => {
    const { socket, messages } = await open();
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
