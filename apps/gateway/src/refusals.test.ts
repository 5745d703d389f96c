import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findIngestKeyFault } from "./find-principal.ts";
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

  it("a key of another workspace than the one that is recorded for", async () => {
    const ingest = await test.createKey("ingest");
    const at = await test.open({ ingestKey: ingest.secret });
    test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
    expect((await client.post(RESPONSES, {}, at)).status).toBe(200);
    const other = `${test.workspace}-other`;
    await test.control.ensureWorkspace("local", { id: other, name: other });
    const named = { name: "b", kind: "gateway" as const, team: null, rules: {} };
    const { secret } = await test.control.createKey({ workspace: other, ...named }, "tests");
    const refused = await client.post(RESPONSES, { authorization: `Bearer ${secret}` }, at);
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: { code: "forbidden", message: expect.stringContaining(test.workspace) } },
    ]);
  });

  it("no request for what is wrong with its own key: the operator hears of it", async () => {
    const [ingest, own] = [await test.createKey("ingest"), await test.createKey("gateway-ingest")];
    expect(await findIngestKeyFault(test.control, own.secret)).toBeNull();
    for (const [secret, found] of [
      [ingest.secret, "a key of kind ingest"],
      ["cs_nobody", "no key that is known"],
      ["", "not set"],
    ] as const)
      expect(await findIngestKeyFault(test.control, secret)).toContain(`CENTSPAN_INGEST_KEY is ${found}`);
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

  const nowhere = { type: "not_found_error", code: "unknown_path" };
  it.each([
    ["/v1/completions", { error: nowhere }],
    ["/v1/chat/completions/chatcmpl_1", { error: nowhere }],
    ["/v1/messages/batches", { type: "error", error: nowhere }],
    ["/v1/messages/count?beta=true", { type: "error", error: nowhere }],
  ])("a path that is not there names those that are, in the shape of its API: %s", async (path, body) => {
    const answer = await client.post({ path: `${path}${path.includes("?") ? "&" : "?"}key=hidden`, body: {} });
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([404, body]);
    expect(text).toMatch(/\/v1\/responses, .*\/v1\/messages\/count_tokens.* docs\/gateway\.md/);
    expect(text).not.toContain("hidden");
  });

  it("a WebSocket that agents try first", async () => {
    expect((await fetch(`${client.url}/v1/responses`)).status).toBe(426);
  });
});

describe("stores and keys over time", () => {
  it("a revoked key stops working within ten seconds", async () => {
    test.peer.answer((response) => void response.writeHead(200).end("{}"));
    const own = await test.createKey();
    const headers = { authorization: `Bearer ${own.secret}` };
    expect((await client.post(RESPONSES, headers)).status).toBe(200);
    await test.control.revokeKey(test.workspace, own.keyId, "tests");
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
});
