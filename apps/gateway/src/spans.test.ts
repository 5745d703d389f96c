import { once } from "node:events";
import { request as startRequest } from "node:http";
import { waitUntil } from "@centspan/testing";
import { getTokenizer } from "@centspan/tokens";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { CHAT_EVENTS, RESPONSES_EVENTS, RESPONSES_USAGE, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

describe("spans", () => {
  it("are one per stage under the server span, whose parent is the caller's, and go on upstream", async () => {
    test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
    const trace = createTrace();
    const identity = {
      // As a client sends a name that is not Latin: fetch takes header bytes one by one.
      "x-centspan-task": Buffer.from("결제/100%?").toString("latin1"),
      "x-centspan-run": "r",
      "x-centspan-role": "execute",
      "x-centspan-retry": "1",
    };
    await (await client.post(RESPONSES, { ...trace, ...identity })).text();
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
      expect(spans.get(stage)?.attributes).toMatchObject({ "centspan.task.id": "결제/100%?", "centspan.run.id": "r" });
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
      await client.post({ ...RESPONSES, body: { model: "m", input } }, trace);
      const attributes = await client.readAttributes(trace.traceId, "api.tokenize");
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
    await (await client.post(CHAT, trace)).text();
    const chat = await client.readAttributes(trace.traceId, "chat m");
    expect(chat["centspan.usage.missing"]).toBe(true);
    expect(Object.keys(chat).filter((name) => name.startsWith("gen_ai.usage"))).toEqual([]);
  });

  const text = "A sentence of twelve words is what the model says here, twice. ";
  const half = { content: text.slice(0, 20) };
  const rest = {
    reasoning_content: text,
    tool_calls: [{ index: 0, id: "call_1", function: { name: "run", arguments: "{}" } }],
  };
  it.each([
    [
      "a stream",
      [half, { content: text.slice(20) }, rest].map((delta) => ({
        id: "c",
        choices: [{ index: 0, delta, finish_reason: null }],
      })),
    ],
    ["one piece", { id: "c", choices: [{ index: 0, message: { content: text, ...rest }, finish_reason: "stop" }] }],
  ])("count both sides of a call where the upstream reports nothing: %s", async (_kind, answer) => {
    test.peer.answer((response) => {
      const events = Array.isArray(answer) ? answer.map((each) => `data: ${JSON.stringify(each)}\n\n`) : [];
      if (Array.isArray(answer)) startStream(response).end(`${events.join("")}data: [DONE]\n\n`);
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    const trace = createTrace();
    await (await client.post(CHAT, trace)).text();
    const prompt = await client.readAttributes(trace.traceId, "api.tokenize");
    const chat = await client.readAttributes(trace.traceId, "chat m");
    const tokenizer = await getTokenizer("m");
    expect(chat).toMatchObject({
      "centspan.usage.missing": true,
      "centspan.usage.counted_input_tokens":
        Number(prompt["centspan.tokens.new"]) + Number(prompt["centspan.tokens.reused"]),
      "centspan.usage.counted_output_tokens": tokenizer.encode(`${text}${text}run{}`).length,
    });
  });
});

describe("clients that leave", () => {
  it("right after response.completed have everything: usage is kept, nothing counts as aborted", async () => {
    test.peer.answer((response) => void startStream(response).write(Object.values(RESPONSES_EVENTS).join("")));
    const trace = createTrace();
    const [request, response] = await client.open(RESPONSES, trace);
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes("response.completed")) break;
    }
    request.destroy();
    const chat = await client.readAttributes(trace.traceId, "chat m");
    expect(chat).toMatchObject({ "centspan.stream.aborted": false, "gen_ai.usage.output_tokens": 12 });
  });

  it("earlier cancel the upstream; what was received is recorded and flagged", async () => {
    test.peer.answer((response) => void startStream(response).write(RESPONSES_EVENTS.created + RESPONSES_EVENTS.delta));
    const trace = createTrace();
    const [request, response] = await client.open(RESPONSES, trace);
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes("output_text.delta")) break;
    }
    request.destroy();
    const chat = await client.readAttributes(trace.traceId, "chat m");
    expect(chat).toMatchObject({
      "centspan.stream.aborted": true,
      "centspan.usage.missing": true,
      "gen_ai.response.id": "resp_1",
    });
    expect(chat).not.toHaveProperty("gen_ai.usage.output_tokens");
    expect(chat["centspan.usage.counted_output_tokens"]).toBeGreaterThan(0);
    await waitUntil("the upstream sees the cancellation", () => test.peer.cancelled() === 1);
  });

  it("before an answer began cancel the upstream too", async () => {
    test.peer.answer(() => undefined);
    const trace = createTrace();
    const headers = { "content-type": "application/json", authorization: `Bearer ${client.key}`, ...trace };
    const request = startRequest(`${client.url}/v1/responses`, { method: "POST", headers }).on(
      "error",
      () => undefined,
    );
    request.end(JSON.stringify(RESPONSES.body));
    await waitUntil("the upstream has the request", () => test.peer.requests.length === 1);
    request.destroy();
    await waitUntil("the upstream sees the cancellation", () => test.peer.cancelled() === 1);
    expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({ "centspan.stream.aborted": true });
  });

  it("once a chat has finished do not cost its usage, which comes last", async () => {
    let sendRest = (): void => undefined;
    test.peer.answer((response) => {
      startStream(response).write(CHAT_EVENTS.delta + CHAT_EVENTS.finish);
      sendRest = () => response.end(CHAT_EVENTS.usage + CHAT_EVENTS.done);
    });
    const trace = createTrace();
    const [request, response] = await client.open(CHAT, trace);
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes('"stop"')) break;
    }
    const gone = once(request, "close");
    request.destroy();
    await gone;
    sendRest();
    const chat = await client.readAttributes(trace.traceId, "chat m");
    expect(chat).toMatchObject({ "centspan.stream.aborted": false, "gen_ai.usage.output_tokens": 3 });
  });
});

it("requests of a session that send no trace are one trace, each key's own", async () => {
  test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
  const session = `session-${process.pid}`;
  const other = { authorization: `Bearer ${(await test.createKey()).secret}` };
  for (const headers of [{}, {}, other]) {
    await (await client.post(RESPONSES, { "session-id": session, ...headers })).text();
  }
  const calls = await waitUntil("three calls", async () => {
    const spans = await test.readSpansWith("gen_ai.conversation.id", session);
    const found = spans.filter(({ name }) => name === "chat m");
    return found.length === 3 && found;
  });
  const traces = calls.map((call) => call.spanContext().traceId);
  expect([traces[0] === traces[1], traces[0] === traces[2]]).toEqual([true, false]);
});
