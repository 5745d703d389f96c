import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, createGatewayClient, type GatewayClient, MESSAGES, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
});
afterAll(() => test.close());

/** No text, and nothing that becomes one. */
const odd = { toString: 1, valueOf: 1 };
const responses = (input: unknown, more: object = {}) => ({ ...RESPONSES, body: { model: "m", input, ...more } });

describe("names of a length that nobody expects", () => {
  it.each([
    ["model", { ...CHAT, body: { ...CHAT.body, model: "m".repeat(257) } }],
    ["model", { ...RESPONSES, body: { ...RESPONSES.body, model: "m".repeat(257) } }],
    ["reasoning_effort", { ...CHAT, body: { ...CHAT.body, reasoning_effort: "e".repeat(65) } }],
    ["output_config.effort", { ...MESSAGES, body: { ...MESSAGES.body, output_config: { effort: "e".repeat(65) } } }],
  ])("are refused by their field, %s", async (field, call) => {
    const response = await client.post(call);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(`${field}: `)]);
  });

  it("in an answer count as not said", async () => {
    const long = "x".repeat(5_000);
    const choices = [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }];
    const whole = {
      id: long,
      model: long,
      service_tier: long,
      choices,
      usage: { prompt_tokens: 9, completion_tokens: 3 },
    };
    const at = await test.open({ provider: "vllm" });
    test.peer.answer((response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    });
    const { traceId, traceparent } = createTrace();
    const answer = await client.post({ ...CHAT, body: { ...CHAT.body, stream: false } }, { traceparent }, at);
    expect(await answer.json()).toEqual(whole);
    const said = await client.readAttributes(traceId, "chat m");
    expect(said["gen_ai.usage.output_tokens"]).toBe(3);
    expect(JSON.stringify(said)).not.toContain(long);
  });
});

describe("values of a kind that nobody expects", () => {
  it("where nobody reads them leave the answer as it is", async () => {
    const item = { type: "web_search_call", content: [{ type: odd }, { type: "input_text", text: "x" }] };
    expect((await client.post(responses([item]))).status).toBe(200);
  });

  it("in an image are refused with its path", async () => {
    const image = { type: "image", source: { type: "base64", media_type: odd, data: odd } };
    const response = await client.post(responses([{ type: "seen", content: [image] }]));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { param: "input[0].content[0].source" } },
    ]);
  });

  it.each([
    ["tools[0].name", responses("hi", { tools: [{ type: "function", name: odd }, { type: "a" }] })],
    ["model", { ...CHAT, body: { ...CHAT.body, model: odd } }],
  ])("are refused by their field, %s, before a key's wishes are looked at", async (field, call) => {
    const { secret } = await test.createKey("gateway", { cache: { stableTools: true, breakpoints: true } });
    const response = await client.post(call, { authorization: `Bearer ${secret}` });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: field } }]);
  });

  it("too long to name a conversation do not", async () => {
    const trace = createTrace();
    await client.post(responses("hi", { prompt_cache_key: "k".repeat(100_000) }), trace);
    expect((await client.readAttributes(trace.traceId, "chat m"))["gen_ai.conversation.id"]).toBeUndefined();
  });
});
