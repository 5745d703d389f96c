import { once } from "node:events";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { CHAT_EVENTS, RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

describe("answers", () => {
  const responsesStream = [RESPONSES_EVENTS.created, RESPONSES_EVENTS.delta, RESPONSES_EVENTS.completed];
  const chatStream = [CHAT_EVENTS.role, CHAT_EVENTS.delta, CHAT_EVENTS.finish, CHAT_EVENTS.usage, CHAT_EVENTS.done];
  const asksUsage = { ...CHAT, body: { ...CHAT.body, stream_options: { include_usage: true } } };

  it.each([
    ["Responses", RESPONSES, responsesStream, responsesStream],
    ["Chat, usage asked for", asksUsage, chatStream, chatStream],
    ["Chat, usage not asked for", CHAT, chatStream, chatStream.filter((event) => event !== CHAT_EVENTS.usage)],
  ])("%s: reach the client byte by byte, however they are cut", async (_name, call, sent, expected) => {
    test.peer.answer(async (response) => {
      startStream(response);
      const bytes = Buffer.from(sent.join(""));
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7));
        if (at % 70 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const response = await client.post(call);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-request-id")).toBe("req_1");
    expect(await response.text()).toBe(expected.join(""));
  });

  it("pass on as they arrive, before the upstream is done", async () => {
    let finish = (): void => undefined;
    test.peer.answer((response) => {
      startStream(response).write(RESPONSES_EVENTS.created);
      finish = () => response.end(RESPONSES_EVENTS.completed);
    });
    const [, response] = await client.open(RESPONSES, {});
    const [first]: Buffer[] = await once(response, "data");
    expect(first?.toString()).toBe(RESPONSES_EVENTS.created);
    finish();
    await once(response.resume(), "end");
  });

  it("in one piece pass unchanged, errors of the upstream too", async () => {
    const body = '{ "id":"resp_1", "status":"completed", "model":"m-2026" }';
    test.peer.answer((response) => void response.writeHead(200, { "content-type": "application/json" }).end(body));
    const call = { ...RESPONSES, body: { model: "m", input: "hi" } };
    expect(await (await client.post(call)).text()).toBe(body);
    const headers = { "content-type": "application/json", "retry-after": "7" };
    test.peer.answer((response) => void response.writeHead(500, headers).end('{"error":{"message":"boom"}}'));
    const trace = createTrace();
    const failed = await client.post(call, trace);
    expect([failed.status, failed.headers.get("retry-after"), await failed.text()]).toEqual([
      500,
      "7",
      '{"error":{"message":"boom"}}',
    ]);
    const chat = await client.readAttributes(trace.traceId, "chat m");
    expect(chat["error.type"]).toBe("500");
    expect(chat).not.toHaveProperty("centspan.usage.missing");
  });

  it("wait for a slow reader instead of filling memory", async () => {
    const block = Buffer.alloc(1024 * 1024, `: ${"x".repeat(1021)}\n`);
    let written = 0;
    let ended = false;
    test.peer.answer(async (response) => {
      startStream(response);
      for (; written < 64; written++) if (!response.write(block)) await once(response, "drain");
      response.end(RESPONSES_EVENTS.completed, () => (ended = true));
    });
    const [, response] = await client.open(RESPONSES, {});
    let seen = -1;
    await waitUntil("the upstream stops writing", async () => {
      const before = seen;
      seen = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return before === written && written > 0;
    });
    expect(written).toBeLessThan(48);
    let received = 0;
    for await (const chunk of response) received += chunk.length;
    expect([received, ended]).toEqual([64 * block.length + Buffer.byteLength(RESPONSES_EVENTS.completed), true]);
  });
});

describe("requests", () => {
  const answerNothing = (): void => test.peer.answer((response) => void response.writeHead(200).end("{}"));

  it("reach our engine as they are, with token ids added", async () => {
    answerNothing();
    const body = '{"model": "m",\n "input": "hi", "metadata": {"n": 12345678901234567890}}  ';
    await client.post({ path: "/v1/responses", body });
    const [seen] = test.peer.requests;
    expect(seen?.body).toMatch(
      /^\{"model": "m",\n "input": "hi", "metadata": \{"n": 12345678901234567890\},"prompt_token_ids":\[[\d,]+\]\}$/,
    );
    expect(seen?.url).toBe("/v1/responses");
  });

  it("reach another server untouched, but for the usage it is asked to report", async () => {
    const other = await test.open({ provider: "openai" });
    answerNothing();
    await client.post({ path: "/v1/responses", body: '{"model":"m","input":"hi" }' }, {}, other);
    await client.post(
      { path: "/v1/chat/completions", body: '{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}' },
      {},
      other,
    );
    await client.post({ ...CHAT, body: { ...CHAT.body, stream_options: { include_obfuscation: false } } }, {}, other);
    expect(test.peer.requests.map((request) => request.body)).toEqual([
      '{"model":"m","input":"hi" }',
      '{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}',
      JSON.stringify({ ...CHAT.body, stream_options: { include_obfuscation: false, include_usage: true } }),
    ]);
  });

  it("carry no key of ours, no hop's headers, and no internal names to other servers", async () => {
    const other = await test.open({ provider: "openai" });
    answerNothing();
    const unknown = { "http-referer": "https://example.org", "my-route": "r", "accept-language": "ko" };
    const headers = { "openai-beta": "x=1", "x-codex-window-id": "w", "session-id": "s", cookie: "a=b", ...unknown };
    const secrets = { "x-api-key": client.key, "x-goog-api-key": "s1", "x-amz-security-token": "s2", "x-auth": "s3" };
    const place = { "x-forwarded-for": "203.0.113.9", "cf-connecting-ip": "203.0.113.9" };
    const inner = { ...secrets, ...place, "x-centspan-task": "secret-plan" };
    await client.post(RESPONSES, { ...headers, ...inner }, other);
    await client.post(RESPONSES, { ...headers, ...inner });
    const [toOther, toEngine] = test.peer.requests.map((request) => request.headers);
    expect(toOther).toMatchObject({
      authorization: "Bearer upstream-key",
      "openai-beta": "x=1",
      "x-codex-window-id": "w",
      "session-id": "s",
      ...unknown,
    });
    for (const name of ["cookie", ...Object.keys(inner)]) expect(toOther).not.toHaveProperty(name);
    expect(toEngine?.["x-centspan-task"]).toBe("secret-plan");
    expect(JSON.stringify([toOther, toEngine])).not.toContain(client.key);
  });

  it("ask for plain answers, and repeat an upstream's key to nobody", async () => {
    test.peer.answer((response, { headers }) => {
      const said = JSON.stringify({ error: { message: `bad key: ${headers.authorization}` } });
      response.writeHead(401, { "content-type": "application/json", "x-seen": headers.authorization }).end(said);
    });
    const response = await client.post(CHAT, { "accept-encoding": "gzip" });
    expect([response.status, response.headers.get("x-seen"), await response.json()]).toEqual([
      401,
      "Bearer [key]",
      { error: { message: "bad key: Bearer [key]" } },
    ]);
    expect(test.peer.requests[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it("of Codex pass, with item types that nobody here reads", async () => {
    answerNothing();
    const input = [
      { type: "additional_tools", role: "developer", tools: [{ type: "custom", name: "exec" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] },
      { type: "custom_tool_call", call_id: "c", name: "exec", input: "1" },
      { type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_text", text: "1" }] },
    ];
    expect((await client.post({ ...RESPONSES, body: { model: "m", input } })).status).toBe(200);
  });
});
