import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

describe("refusals", () => {
  it.each([
    ["no key", { authorization: "" }, 401, "unauthenticated"],
    ["an unknown key", { authorization: "Bearer cs_gateway_unknown" }, 401, "unauthenticated"],
  ])("%s", async (_name, headers, status, code) => {
    const response = await client.post(RESPONSES, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: {
        type: "authentication_error",
        code,
        param: "authorization",
        message: expect.stringMatching(/\w\. Send /),
      },
    });
  });

  it("a key of another kind", async () => {
    const { secret } = await test.createKey("ingest");
    const response = await client.post(RESPONSES, { authorization: `Bearer ${secret}` });
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: "forbidden" } }]);
  });

  const deep = [
    { role: "user", content: "x" },
    { type: "function_call", name: "f", arguments: "{}" },
  ];
  it.each([
    ["broken JSON", "/v1/responses", "{", "body"],
    ["not an object", "/v1/responses", "[]", "body"],
    ["nesting without end", "/v1/responses", `{"model":"m","input":"]}\\"]}","tools":${"[".repeat(100_000)}`, "body"],
    ["no model", "/v1/responses", { input: "x" }, "model"],
    ["no input", "/v1/responses", { model: "m" }, "input"],
    ["a member deep inside", "/v1/responses", { model: "m", input: deep }, "input[1].call_id"],
    [
      "an unknown role",
      "/v1/chat/completions",
      { model: "m", messages: [{ role: "robot", content: "" }] },
      "messages[0].role",
    ],
    ["no messages", "/v1/chat/completions", { model: "m", messages: [] }, "messages"],
    ["stream that is no boolean", "/v1/chat/completions", { ...CHAT.body, stream: "yes" }, "stream"],
  ])("a wrong body names its field: %s", async (_name, path, body, field) => {
    const trace = createTrace();
    const response = await client.post({ path, body }, trace);
    expect(response.status).toBe(400);
    const { error }: { error: { message: string } } = JSON.parse(await response.text());
    expect(error).toMatchObject({ type: "invalid_request_error", code: "invalid_request", param: field });
    expect(error.message).toContain(`${field}: `);
    const server = await client.readAttributes(trace.traceId, `POST ${path}`);
    expect(server).toMatchObject({ "error.type": "invalid_request", "http.response.status_code": 400 });
  });

  it.each([
    ["another content type", { "content-type": "text/plain" }, 415, "content-type"],
    ["an encoded body", { "content-encoding": "gzip" }, 415, "content-encoding"],
    ["an attempt that is no number", { "x-centspan-attempt": "two" }, 400, "x-centspan-attempt"],
  ])("%s", async (_name, headers, status, param) => {
    const response = await client.post(RESPONSES, headers);
    expect([response.status, await response.json()]).toMatchObject([status, { error: { param } }]);
  });

  it("a body that is too large", async () => {
    const response = await client.post({ path: "/v1/responses", body: " ".repeat(32 * 1024 * 1024 + 1) });
    expect([response.status, await response.json()]).toMatchObject([413, { error: { code: "payload_too_large" } }]);
  });

  it("an upstream that is down, and one that breaks off", async () => {
    const nowhere = await test.open({ upstreamUrl: "http://127.0.0.1:9" });
    const down = await client.post(RESPONSES, {}, nowhere);
    expect([down.status, await down.json()]).toMatchObject([
      502,
      { error: { code: "upstream_failed", type: "server_error" } },
    ]);
    test.peer.answer((response) => {
      startStream(response).write(RESPONSES_EVENTS.delta, () => response.destroy());
    });
    const trace = createTrace();
    const broken = await client.post(RESPONSES, trace);
    await expect(broken.text()).rejects.toThrow();
    expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({
      "error.type": "upstream_failed",
      "centspan.usage.missing": true,
    });
  });

  it("too many requests of a key", async () => {
    const limited = await test.open({ perMinute: 2 });
    test.peer.answer((response) => void response.writeHead(200).end("{}"));
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await client.post(RESPONSES, {}, limited)).status);
    const last = await client.post(RESPONSES, {}, limited);
    expect([...statuses, Number(last.headers.get("retry-after"))]).toEqual([200, 200, 429, 30]);
  });

  it("an unknown route, and a WebSocket that agents try first", async () => {
    const unknown = await fetch(`${client.url}/v1/nothing`);
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
    expect((await fetch(`${client.url}/v1/responses`)).status).toBe(426);
  });
});

describe("stores and keys over time", () => {
  it("a revoked key stops working within ten seconds", async () => {
    test.peer.answer((response) => void response.writeHead(200).end("{}"));
    const own = await test.createKey();
    const headers = { authorization: `Bearer ${own.secret}` };
    expect((await client.post(RESPONSES, headers)).status).toBe(200);
    await test.control.revokeKey(test.workspace, own.keyId);
    test.clock.nowMs += 10_000;
    expect((await client.post(RESPONSES, headers)).status).toBe(401);
  });

  it("a key store that is away: known keys go on, others get 503, and it recovers", async () => {
    test.peer.answer((response) => void response.writeHead(200).end("{}"));
    const unseen = await test.createKey();
    expect((await client.post(RESPONSES)).status).toBe(200);
    await test.gate.shut();
    test.clock.nowMs += 60_000;
    expect((await client.post(RESPONSES)).status).toBe(200);
    const headers = { "x-api-key": unseen.secret, authorization: "" };
    const refused = await client.post(RESPONSES, { authorization: `Bearer ${unseen.secret}` });
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
    expect(await refused.json()).toMatchObject({ error: { code: "store_unavailable" } });
    const health = await fetch(`${client.url}/health`);
    expect([health.status, await health.json()]).toMatchObject([503, { away: ["postgres"] }]);
    await test.gate.open();
    await waitUntil("the gateway knows the key", async () => (await client.post(RESPONSES, headers)).status === 200);
    expect((await fetch(`${client.url}/health`)).status).toBe(200);
  });

  it("models pass through, for who has a key", async () => {
    test.peer.answer(
      (response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}'),
    );
    const headers = { authorization: `Bearer ${client.key}` };
    expect(await (await fetch(`${client.url}/v1/models`, { headers })).text()).toBe('{"data":[]}');
    expect(test.peer.requests[0]).toMatchObject({ method: "GET", url: "/v1/models" });
    expect((await fetch(`${client.url}/v1/models`)).status).toBe(401);
  });
});
