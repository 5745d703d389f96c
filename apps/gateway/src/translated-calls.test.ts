import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
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
