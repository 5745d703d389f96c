import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGatewayClient, type GatewayClient, MESSAGES, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { CHAT_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;
let at: string;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  const replicas = [{ url: test.peer.url }];
  at = await test.open({
    upstreams: { upstreams: [{ name: "vllm", provider: "vllm", protocols: ["openai-chat"], replicas }] },
  });
  test.peer.answer((response) => void startStream(response).end(Object.values(CHAT_EVENTS).join("")));
});
afterAll(() => test.close());

describe("a Responses call that Chat Completions answer", () => {
  it("asks for the model and effort that the key's rules choose", async () => {
    const rules = { routes: [{ role: "plan" as const, model: "strong", effort: "high" }] };
    const { secret } = await test.createKey("gateway", rules);
    await client.post(RESPONSES, { authorization: `Bearer ${secret}`, "x-centspan-role": "plan" }, at);
    expect(JSON.parse(test.peer.requests.at(-1)?.body ?? "")).toMatchObject({
      model: "strong",
      reasoning_effort: "high",
    });
  });

  it("is named on its span as the client is told, so that its own telemetry tells of the same call", async () => {
    const trace = createTrace();
    const answer = await (await client.post(RESPONSES, trace, at)).text();
    const told = /"id":"(resp_[^"]+)"/.exec(answer)?.[1];
    expect(told).toBeDefined();
    expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({
      "centspan.request.id": told,
      "gen_ai.response.id": "chatcmpl_1",
    });
  });

  it.each([
    ["an image that is no address", { type: "input_image", image_url: { url: "x" } }, "input[0].content[0].image_url"],
    ["a refusal that is no text", { type: "refusal", refusal: 1 }, "input[0].content[0].refusal"],
  ])("is refused with the path of %s", async (_name, part, field) => {
    const body = { model: "m", input: [{ type: "message", role: "user", content: [part] }] };
    const response = await client.post({ path: RESPONSES.path, body }, {}, at);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: field } }]);
  });
});

describe("a Messages call that Chat Completions answer", () => {
  const CLAUDE_CODE = { "x-claude-code-session-id": "s-1" };

  it("is streamed, and on record with what the server counted and what was left out", async () => {
    const trace = createTrace();
    const body = { ...MESSAGES.body, thinking: { type: "adaptive" } };
    const response = await client.post({ ...MESSAGES, body }, { ...trace, ...CLAUDE_CODE }, at);
    expect(test.peer.requests.at(-1)?.url).toBe("/v1/chat/completions");
    expect(await response.text()).toMatch(/^event: message_start\n.*"text":"hi".*event: message_stop\n[^\n]*\n\n$/s);
    expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({
      // By this the client's own telemetry names it.
      "centspan.request.id": response.headers.get("request-id"),
      "centspan.translation.dropped": ["thinking"],
      "gen_ai.usage.input_tokens": 9,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.response.finish_reasons": ["stop"],
    });
  });

  it.each([
    [400, "application/json", '{"error":{"message":"too long"}}', "invalid_request_error", "too long"],
    [400, "application/json", '{"object":"error","message":"too long"}', "invalid_request_error", "too long"],
    [422, "application/json", '{"detail":"no such"}', "invalid_request_error", "no such"],
    [500, "text/html", "<html>", "api_error", "the model server answered 500"],
  ])("that is refused with %i (%s) is told so as its client reads it", async (status, type, text, kind, message) => {
    const url = await test.open({
      upstreams: {
        retries: 0,
        upstreams: [{ name: "v", provider: "v", protocols: ["openai-chat"], replicas: [{ url: test.peer.url }] }],
      },
    });
    test.peer.answer((response) => void response.writeHead(status, { "content-type": type }).end(text));
    const response = await client.post(MESSAGES, {}, url);
    expect([response.status, response.headers.get("content-type"), await response.json()]).toEqual([
      status,
      "application/json",
      { type: "error", error: { type: kind, message } },
    ]);
  });

  it("is counted before by the gateway itself", async () => {
    const { max_tokens: _limit, stream: _stream, ...body } = MESSAGES.body;
    const asked = test.peer.requests.length;
    const response = await client.post({ path: "/v1/messages/count_tokens", body }, {}, at);
    expect([response.headers.get("x-centspan-token-count"), await response.json()]).toEqual([
      "estimate",
      { input_tokens: expect.any(Number) },
    ]);
    expect(test.peer.requests.length).toBe(asked);
  });
});
