import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request as startRequest } from "node:http";
import { defineSafetyCheck } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { CHAT_EVENTS, RESPONSES_EVENTS, RESPONSES_USAGE, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let url: string;
let key: string;

beforeAll(async () => {
  test = await openTestGateway();
  url = await test.open();
  key = (await test.createKey()).secret;
});
afterAll(() => test.close());

const RESPONSES = { path: "/v1/responses", body: { model: "m", input: "hi", stream: true } };
const CHAT = {
  path: "/v1/chat/completions",
  body: { model: "m", messages: [{ role: "user", content: "hi" }], stream: true },
};
type Call = { path: string; body: unknown };

function post(call: Call, headers: Record<string, string> = {}, at = url): Promise<Response> {
  const body = typeof call.body === "string" ? call.body : JSON.stringify(call.body);
  const common = { "content-type": "application/json", authorization: `Bearer ${key}` };
  return fetch(at + call.path, { method: "POST", body, headers: { ...common, ...headers } });
}

/** A request whose answer the test reads at its own pace. */
async function open(call: Call, headers: Record<string, string>, at = url): Promise<[ClientRequest, IncomingMessage]> {
  const common = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const request = startRequest(at + call.path, { method: "POST", headers: { ...common, ...headers } });
  request.on("error", () => undefined).end(JSON.stringify(call.body));
  const [response]: IncomingMessage[] = await once(request, "response");
  if (!response) throw new Error("no response");
  response.on("error", () => undefined);
  return [request, response];
}

const readAttributes = async (traceId: string, name: string) =>
  waitUntil(`span ${name}`, async () => (await test.readSpans(traceId)).get(name)?.attributes);

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
    const response = await post(call);
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
    const [, response] = await open(RESPONSES, {});
    const [first]: Buffer[] = await once(response, "data");
    expect(first?.toString()).toBe(RESPONSES_EVENTS.created);
    finish();
    await once(response.resume(), "end");
  });

  it("in one piece pass unchanged, errors of the upstream too", async () => {
    const body = '{ "id":"resp_1", "status":"completed", "model":"m-2026" }';
    test.peer.answer((response) => void response.writeHead(200, { "content-type": "application/json" }).end(body));
    const call = { ...RESPONSES, body: { model: "m", input: "hi" } };
    expect(await (await post(call)).text()).toBe(body);
    const headers = { "content-type": "application/json", "retry-after": "7" };
    test.peer.answer((response) => void response.writeHead(500, headers).end('{"error":{"message":"boom"}}'));
    const trace = createTrace();
    const failed = await post(call, trace);
    expect([failed.status, failed.headers.get("retry-after"), await failed.text()]).toEqual([
      500,
      "7",
      '{"error":{"message":"boom"}}',
    ]);
    const chat = await readAttributes(trace.traceId, "chat m");
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
    const [, response] = await open(RESPONSES, {});
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
    await post({ path: "/v1/responses", body });
    const [seen] = test.peer.requests;
    expect(seen?.body).toMatch(
      /^\{"model": "m",\n "input": "hi", "metadata": \{"n": 12345678901234567890\},"prompt_token_ids":\[[\d,]+\]\}$/,
    );
    expect(seen?.url).toBe("/v1/responses");
  });

  it("reach another server untouched, but for the usage it is asked to report", async () => {
    const other = await test.open({ provider: "openai" });
    answerNothing();
    await post({ path: "/v1/responses", body: '{"model":"m","input":"hi" }' }, {}, other);
    await post(
      { path: "/v1/chat/completions", body: '{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}' },
      {},
      other,
    );
    await post({ ...CHAT, body: { ...CHAT.body, stream_options: { include_obfuscation: false } } }, {}, other);
    expect(test.peer.requests.map((request) => request.body)).toEqual([
      '{"model":"m","input":"hi" }',
      '{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}',
      JSON.stringify({ ...CHAT.body, stream_options: { include_obfuscation: false, include_usage: true } }),
    ]);
  });

  it("carry no key of ours, no hop's headers, and no internal names to other servers", async () => {
    const other = await test.open({ provider: "openai" });
    answerNothing();
    const headers = { "openai-beta": "x=1", "x-codex-window-id": "w", "session-id": "s", cookie: "a=b" };
    const inner = { "x-api-key": key, "x-centspan-task": "secret-plan", "x-forwarded-for": "203.0.113.9" };
    await post(RESPONSES, { ...headers, ...inner }, other);
    await post(RESPONSES, { ...headers, ...inner });
    const [toOther, toEngine] = test.peer.requests.map((request) => request.headers);
    expect(toOther).toMatchObject({
      authorization: "Bearer upstream-key",
      "openai-beta": "x=1",
      "x-codex-window-id": "w",
      "session-id": "s",
    });
    for (const name of ["cookie", "x-api-key", "x-centspan-task", "x-forwarded-for"])
      expect(toOther).not.toHaveProperty(name);
    expect(toEngine?.["x-centspan-task"]).toBe("secret-plan");
    expect(JSON.stringify([toOther, toEngine])).not.toContain(key);
  });

  it("of Codex pass, with item types that nobody here reads", async () => {
    answerNothing();
    const input = [
      { type: "additional_tools", role: "developer", tools: [{ type: "custom", name: "exec" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] },
      { type: "custom_tool_call", call_id: "c", name: "exec", input: "1" },
      { type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_text", text: "1" }] },
    ];
    expect((await post({ ...RESPONSES, body: { model: "m", input } })).status).toBe(200);
  });
});

describe("spans", () => {
  it("are one per stage under the server span, whose parent is the caller's, and go on upstream", async () => {
    test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
    const trace = createTrace();
    const identity = {
      "x-centspan-task": "t",
      "x-centspan-run": "r",
      "x-centspan-role": "execute",
      "x-centspan-retry": "1",
    };
    await (await post(RESPONSES, { ...trace, ...identity })).text();
    const spans = await waitUntil("all spans", async () => {
      const found = await test.readSpans(trace.traceId);
      return found.has("POST /v1/responses") && found;
    });
    const server = spans.get("POST /v1/responses");
    expect(server?.parentSpanContext?.spanId).toBe(trace.spanId);
    expect(server?.attributes).toMatchObject({
      "http.route": "/v1/responses",
      "http.response.status_code": 200,
      "http.request.body.size": JSON.stringify(RESPONSES.body).length,
      "http.response.body.size": Buffer.byteLength(Object.values(RESPONSES_EVENTS).join("")),
      "centspan.retry.ordinal": 1,
    });
    const stages = ["api.admit", "api.parse", "api.validate", "api.tokenize", "api.safety", "api.route", "chat m"];
    expect([...spans.keys()].sort()).toEqual([...stages, "POST /v1/responses"].sort());
    for (const stage of stages) {
      expect(spans.get(stage)?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId);
      expect(spans.get(stage)?.attributes).toMatchObject({ "centspan.task.id": "t", "centspan.run.id": "r" });
    }
    expect(spans.get("api.admit")?.attributes).toMatchObject({
      "centspan.admit.auth": "ok",
      "centspan.admit.rate_limit": "not_set",
      "centspan.admit.budget": "not_set",
    });
    const chat = spans.get("chat m");
    expect(chat?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "centspan",
      "gen_ai.request.model": "m",
      "gen_ai.response.model": "m-2026",
      "gen_ai.response.id": "resp_1",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": RESPONSES_USAGE.input_tokens,
      "gen_ai.usage.cache_read.input_tokens": 64,
      "gen_ai.usage.output_tokens": 12,
      "gen_ai.usage.reasoning.output_tokens": 8,
      "openai.response.service_tier": "default",
      "centspan.provenance": "simulated",
      "centspan.stream.aborted": false,
      "centspan.role": "execute",
      "centspan.team.id": "payments",
    });
    expect(chat?.attributes["gen_ai.response.time_to_first_chunk"]).toBeGreaterThan(0);
    const sentTo = test.peer.requests[0]?.headers.traceparent;
    expect(sentTo).toBe(`00-${trace.traceId}-${chat?.spanContext().spanId}-01`);
  });

  it("count new and reused tokens as a conversation grows", async () => {
    test.peer.answer((response) => void response.writeHead(200).end("{}"));
    const first = { role: "user", content: "a question nobody asked here before" };
    const counts = [];
    for (const input of [
      [first],
      [first, { role: "assistant", content: "an answer" }, { role: "user", content: "more" }],
    ]) {
      const trace = createTrace();
      await post({ ...RESPONSES, body: { model: "m", input } }, trace);
      const attributes = await readAttributes(trace.traceId, "api.tokenize");
      counts.push([attributes["centspan.tokens.new"], attributes["centspan.tokens.reused"]]);
    }
    expect(counts[0]?.[1]).toBe(0);
    expect(counts[1]?.[1]).toBe(counts[0]?.[0]);
    expect(counts[1]?.[0]).toBeGreaterThan(0);
  });

  it("flag usage that was not reported, and never write a zero for it", async () => {
    test.peer.answer(
      (response) => void startStream(response).end(CHAT_EVENTS.delta + CHAT_EVENTS.finish + CHAT_EVENTS.done),
    );
    const trace = createTrace();
    await (await post(CHAT, trace)).text();
    const chat = await readAttributes(trace.traceId, "chat m");
    expect(chat["centspan.usage.missing"]).toBe(true);
    expect(Object.keys(chat).filter((name) => name.startsWith("gen_ai.usage"))).toEqual([]);
  });
});

describe("clients that leave", () => {
  it("right after response.completed have everything: usage is kept, nothing counts as aborted", async () => {
    test.peer.answer((response) => void startStream(response).write(Object.values(RESPONSES_EVENTS).join("")));
    const trace = createTrace();
    const [request, response] = await open(RESPONSES, trace);
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes("response.completed")) break;
    }
    request.destroy();
    const chat = await readAttributes(trace.traceId, "chat m");
    expect(chat).toMatchObject({ "centspan.stream.aborted": false, "gen_ai.usage.output_tokens": 12 });
  });

  it("earlier cancel the upstream; what was received is recorded and flagged", async () => {
    test.peer.answer((response) => void startStream(response).write(RESPONSES_EVENTS.created + RESPONSES_EVENTS.delta));
    const trace = createTrace();
    const [request, response] = await open(RESPONSES, trace);
    await once(response, "data");
    request.destroy();
    const chat = await readAttributes(trace.traceId, "chat m");
    expect(chat).toMatchObject({
      "centspan.stream.aborted": true,
      "centspan.usage.missing": true,
      "gen_ai.response.id": "resp_1",
    });
    expect(chat).not.toHaveProperty("gen_ai.usage.output_tokens");
    await waitUntil("the upstream sees the cancellation", () => test.peer.cancelled() === 1);
  });

  it("before an answer began cancel the upstream too", async () => {
    test.peer.answer(() => undefined);
    const trace = createTrace();
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}`, ...trace };
    const request = startRequest(`${url}/v1/responses`, { method: "POST", headers }).on("error", () => undefined);
    request.end(JSON.stringify(RESPONSES.body));
    await waitUntil("the upstream has the request", () => test.peer.requests.length === 1);
    request.destroy();
    await waitUntil("the upstream sees the cancellation", () => test.peer.cancelled() === 1);
    expect(await readAttributes(trace.traceId, "chat m")).toMatchObject({ "centspan.stream.aborted": true });
  });

  it("once a chat has finished do not cost its usage, which comes last", async () => {
    let sendRest = (): void => undefined;
    test.peer.answer((response) => {
      startStream(response).write(CHAT_EVENTS.delta + CHAT_EVENTS.finish);
      sendRest = () => response.end(CHAT_EVENTS.usage + CHAT_EVENTS.done);
    });
    const trace = createTrace();
    const [request, response] = await open(CHAT, trace);
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes('"stop"')) break;
    }
    const gone = once(request, "close");
    request.destroy();
    await gone;
    sendRest();
    const chat = await readAttributes(trace.traceId, "chat m");
    expect(chat).toMatchObject({ "centspan.stream.aborted": false, "gen_ai.usage.output_tokens": 3 });
  });
});

describe("refusals", () => {
  it.each([
    ["no key", { authorization: "" }, 401, "unauthenticated"],
    ["an unknown key", { authorization: "Bearer cs_gateway_unknown" }, 401, "unauthenticated"],
  ])("%s", async (_name, headers, status, code) => {
    const response = await post(RESPONSES, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { type: "authentication_error", code, param: "authorization", message: expect.any(String) },
    });
  });

  it("a key of another kind", async () => {
    const { secret } = await test.createKey("ingest");
    const response = await post(RESPONSES, { authorization: `Bearer ${secret}` });
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: "forbidden" } }]);
  });

  const deep = [
    { role: "user", content: "x" },
    { type: "function_call", name: "f", arguments: "{}" },
  ];
  it.each([
    ["broken JSON", "/v1/responses", "{", "body"],
    ["not an object", "/v1/responses", "[]", "body"],
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
    const response = await post({ path, body }, trace);
    expect(response.status).toBe(400);
    const { error }: { error: { message: string } } = JSON.parse(await response.text());
    expect(error).toMatchObject({ type: "invalid_request_error", code: "invalid_request", param: field });
    expect(error.message).toContain(`${field}: `);
    const server = await readAttributes(trace.traceId, `POST ${path}`);
    expect(server).toMatchObject({ "error.type": "invalid_request", "http.response.status_code": 400 });
  });

  it.each([
    ["another content type", { "content-type": "text/plain" }, 415, "content-type"],
    ["an encoded body", { "content-encoding": "gzip" }, 415, "content-encoding"],
    ["an attempt that is no number", { "x-centspan-attempt": "two" }, 400, "x-centspan-attempt"],
  ])("%s", async (_name, headers, status, param) => {
    const response = await post(RESPONSES, headers);
    expect([response.status, await response.json()]).toMatchObject([status, { error: { param } }]);
  });

  it("a body that is too large", async () => {
    const response = await post({ path: "/v1/responses", body: " ".repeat(32 * 1024 * 1024 + 1) });
    expect([response.status, await response.json()]).toMatchObject([413, { error: { code: "payload_too_large" } }]);
  });

  it("an upstream that is down, and one that breaks off", async () => {
    const nowhere = await test.open({ upstreamUrl: "http://127.0.0.1:9" });
    const down = await post(RESPONSES, {}, nowhere);
    expect([down.status, await down.json()]).toMatchObject([
      502,
      { error: { code: "upstream_failed", type: "server_error" } },
    ]);
    test.peer.answer((response) => {
      startStream(response).write(RESPONSES_EVENTS.delta, () => response.destroy());
    });
    const trace = createTrace();
    const broken = await post(RESPONSES, trace);
    await expect(broken.text()).rejects.toThrow();
    expect(await readAttributes(trace.traceId, "chat m")).toMatchObject({
      "error.type": "upstream_failed",
      "centspan.usage.missing": true,
    });
  });

  it("too many requests of a key", async () => {
    const limited = await test.open({ perMinute: 2 });
    test.peer.answer((response) => void response.writeHead(200).end("{}"));
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await post(RESPONSES, {}, limited)).status);
    const last = await post(RESPONSES, {}, limited);
    expect([...statuses, Number(last.headers.get("retry-after"))]).toEqual([200, 200, 429, 30]);
  });

  it("an unknown route, and a WebSocket that agents try first", async () => {
    const unknown = await fetch(`${url}/v1/nothing`);
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
    expect((await fetch(`${url}/v1/responses`)).status).toBe(426);
  });
});

describe("safety", () => {
  const secret = `AKIA${"ABCDEFGHIJKLMNOP"}`;
  const call = { ...RESPONSES, body: { ...RESPONSES.body, input: `use ${secret}` } };

  it.each(["hold", "beside"] as const)(
    "under %s a refused request gets no output, and the span says why",
    async (policy) => {
      const at = await test.open({ policy });
      test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
      const trace = createTrace();
      const response = await post(call, trace, at);
      expect(response.status).toBe(400);
      const text = await response.text();
      expect(text).not.toContain("response.");
      expect(JSON.parse(text)).toMatchObject({ error: { code: "content_blocked" } });
      expect(text).not.toContain(secret);
      expect(await readAttributes(trace.traceId, "api.safety")).toMatchObject({
        "centspan.safety.check": "secrets",
        "centspan.safety.policy": policy,
        "centspan.verdict": "content_blocked",
      });
      expect(test.peer.requests).toEqual([]);
    },
  );
});

describe("a safety check that takes its time", () => {
  /** Decides when the test says so. */
  function createSlowCheck() {
    let decide = (_allowed: boolean): void => undefined;
    const decided = new Promise<boolean>((resolve) => {
      decide = resolve;
    });
    const check = defineSafetyCheck({
      id: "slow",
      describe: "for this test",
      check: async () => ({ allowed: await decided, reason: "was refused late" }),
    });
    return { check, decide };
  }
  const all = Object.values(RESPONSES_EVENTS).join("");

  it.each([true, false])("under hold nothing leaves before its verdict (allowed: %s)", async (allowed) => {
    const { check, decide } = createSlowCheck();
    const at = await test.open({ policy: "hold", checks: [check] });
    let written = false;
    test.peer.answer((response) => {
      startStream(response).end(all, () => {
        written = true;
      });
    });
    const trace = createTrace();
    let answered = false;
    const pending = post(RESPONSES, trace, at).finally(() => {
      answered = true;
    });
    await waitUntil("the upstream has answered", () => written);
    expect(answered).toBe(false);
    decide(allowed);
    const response = await pending;
    expect(response.status).toBe(allowed ? 200 : 400);
    const text = await response.text();
    if (allowed) expect(text).toBe(all);
    else expect(JSON.parse(text)).toMatchObject({ error: { code: "content_blocked" } });
    const span = await readAttributes(trace.traceId, "api.safety");
    expect(span["centspan.safety.overlap_ms"]).toBeGreaterThan(0);
    expect(span["centspan.verdict"]).toBe(allowed ? "ok" : "content_blocked");
  });

  it("beside inference its refusal ends the stream with an error, and cancels the upstream", async () => {
    const { check, decide } = createSlowCheck();
    const at = await test.open({ policy: "beside", checks: [check] });
    test.peer.answer((response) => void startStream(response).write(RESPONSES_EVENTS.created));
    const trace = createTrace();
    const [, response] = await open(RESPONSES, trace, at);
    let text = "";
    response.on("data", (chunk) => {
      text += chunk;
    });
    await waitUntil("output flows before the verdict", () => text === RESPONSES_EVENTS.created);
    decide(false);
    await once(response, "end");
    const [, error = ""] = text.split(RESPONSES_EVENTS.created);
    expect(error).toMatch(/^event: error\ndata: \{.*"code":"content_blocked".*\}\n\n$/);
    await waitUntil("the upstream sees the cancellation", () => test.peer.cancelled() === 1);
    expect(await readAttributes(trace.traceId, "chat m")).toMatchObject({
      "error.type": "content_blocked",
      "centspan.usage.missing": true,
    });
  });

  it("that fails refuses", async () => {
    const check = defineSafetyCheck({
      id: "broken",
      describe: "for this test",
      check: () => Promise.reject(new Error("x")),
    });
    const at = await test.open({ checks: [check] });
    expect((await post(RESPONSES, {}, at)).status).toBe(500);
  });
});

describe("stores and keys over time", () => {
  it("a revoked key stops working within ten seconds", async () => {
    test.peer.answer((response) => void response.writeHead(200).end("{}"));
    const own = await test.createKey();
    const headers = { authorization: `Bearer ${own.secret}` };
    expect((await post(RESPONSES, headers)).status).toBe(200);
    await test.control.revokeKey(test.workspace, own.keyId);
    test.clock.nowMs += 10_000;
    expect((await post(RESPONSES, headers)).status).toBe(401);
  });

  it("a key store that is away: known keys go on, others get 503, and it recovers", async () => {
    test.peer.answer((response) => void response.writeHead(200).end("{}"));
    const unseen = await test.createKey();
    expect((await post(RESPONSES)).status).toBe(200);
    await test.gate.shut();
    test.clock.nowMs += 60_000;
    expect((await post(RESPONSES)).status).toBe(200);
    const headers = { "x-api-key": unseen.secret, authorization: "" };
    const refused = await post(RESPONSES, { authorization: `Bearer ${unseen.secret}` });
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
    expect(await refused.json()).toMatchObject({ error: { code: "store_unavailable" } });
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toMatchObject([503, { away: ["postgres"] }]);
    await test.gate.open();
    await waitUntil("the gateway knows the key", async () => (await post(RESPONSES, headers)).status === 200);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("models pass through, for who has a key", async () => {
    test.peer.answer(
      (response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}'),
    );
    const headers = { authorization: `Bearer ${key}` };
    expect(await (await fetch(`${url}/v1/models`, { headers })).text()).toBe('{"data":[]}');
    expect(test.peer.requests[0]).toMatchObject({ method: "GET", url: "/v1/models" });
    expect((await fetch(`${url}/v1/models`)).status).toBe(401);
  });
});
