import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGatewayClient, type GatewayClient, MESSAGES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";

let test: TestGateway;
let client: GatewayClient;
/** The address of a gateway in front of Anthropic. */
let url: string;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  url = await test.open({ provider: "anthropic" });
});
afterAll(() => test.close());

const answerJson = (body: object): void => test.peer.answer((response) => void response.end(JSON.stringify(body)));

describe("counting tokens", () => {
  const call = {
    path: "/v1/messages/count_tokens?beta=true",
    body: { model: "m", system: "be brief", messages: [{ role: "user", content: "hello there" }] },
  };
  const readServer = (traceId: string) => client.readAttributes(traceId, "POST /v1/messages/count_tokens");

  it.each([
    ["that is no JSON", "{", "body"],
    ["without messages", { ...call.body, messages: [] }, "messages"],
    [
      "with a broken block",
      { ...call.body, messages: [{ role: "user", content: [{ type: "text" }] }] },
      "messages[0].content[0].text",
    ],
  ])("of a body %s is refused with the field, whoever would count", async (_name, body, param) => {
    answerJson({});
    for (const at of [url, client.url]) {
      const response = await client.post({ path: call.path, body }, {}, at);
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { type: "error", error: { type: "invalid_request_error", param } },
      ]);
    }
    expect(test.peer.requests).toEqual([]);
  });

  it("is left to Anthropic, and is no call", async () => {
    answerJson({ input_tokens: 4711 });
    const trace = createTrace();
    const response = await client.post(call, { ...trace, "anthropic-version": "2023-06-01" }, url);
    expect(await response.json()).toEqual({ input_tokens: 4711 });
    expect(response.headers.has("x-centspan-token-count")).toBe(false);
    expect(test.peer.requests[0]).toMatchObject({
      url: call.path,
      body: JSON.stringify(call.body),
      headers: { "x-api-key": "upstream-key", "anthropic-version": "2023-06-01" },
    });
    expect(await readServer(trace.traceId)).toMatchObject({ "http.response.status_code": 200 });
    const names = (await test.readAllSpans(trace.traceId)).map((span) => span.name);
    expect(names.filter((name) => name.startsWith("chat"))).toEqual([]);
  });

  it("is ours elsewhere: exact for our engine, an estimate for others; nobody is asked", async () => {
    answerJson({});
    const others = await test.open({ provider: "vllm" });
    const counts = [];
    for (const [at, quality] of [
      [client.url, "exact"],
      [others, "estimate"],
    ] as const) {
      const response = await client.post(call, {}, at);
      expect(response.headers.get("x-centspan-token-count")).toBe(quality);
      counts.push(await response.json());
    }
    expect(test.peer.requests).toEqual([]);
    await client.post({ path: MESSAGES.path, body: { ...call.body, max_tokens: 10 } });
    const ids = JSON.parse(test.peer.requests[0]?.body ?? "").prompt_token_ids;
    expect(counts).toEqual([{ input_tokens: ids.length }, { input_tokens: ids.length }]);
  });
});
