import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Call, GatewayClient } from "./testing/gateway-client.ts";
import { CHAT, createGatewayClient, MESSAGES, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  test.peer.answer((response) => void response.writeHead(200).end("{}"));
});
afterAll(() => test.close());

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").toString("base64");
const png = (data = PNG): string => `data:image/png;base64,${data}`;
const inResponses = (image_url: string, more: object = {}): Call => ({
  ...RESPONSES,
  body: {
    model: "m",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "?" },
          { type: "input_image", image_url },
        ],
      },
    ],
    ...more,
  },
});
const inChat = (url: string, model = "m"): Call => ({
  ...CHAT,
  body: { model, messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] },
});
const inResult = (media_type: string, data = PNG): Call => {
  const image = { type: "image", source: { type: "base64", media_type, data } };
  const content = [{ type: "tool_result", tool_use_id: "t", content: [image] }];
  return { ...MESSAGES, body: { ...MESSAGES.body, messages: [{ role: "user", content }] } };
};
const ask = (call: Call, model: string, more: object): Call => ({
  ...call,
  body: { ...Object(call.body), model, ...more },
});

describe("what can't be done", () => {
  it.each<[string, Call, string, string]>([
    ["a type", inResult("image/tiff"), "messages[0].content[0].content[0].source", "image/png, image/jpeg"],
    ["a wrong declaration", inResult("image/jpeg"), "messages[0].content[0].content[0].source", "and is not"],
    ["no data", inChat(png("")), "messages[0].content[0].image_url.url", "and is not"],
    ["an address of the house", inChat("file:///etc/passwd"), "messages[0].content[0].image_url.url", "http"],
    ["a size", inResponses(png(PNG + "A".repeat(28_000_000))), "input[0].content[1].image_url", "20971520"],
    [
      "a number",
      inResponses(png(), {
        input: [{ role: "user", content: Array(1501).fill({ type: "input_image", image_url: png() }) }],
      }),
      "input[0].content[1500].image_url",
      "1500",
    ],
    ["an image", inChat(png(), "gpt-3.5-turbo"), "messages[0].content[0].image_url.url", "takes no images"],
    [
      "a tool",
      ask(RESPONSES, "o1-mini-2024-09-12", { tools: [{ type: "function", name: "f" }] }),
      "tools",
      "takes no tools",
    ],
    [
      "an effort",
      ask(RESPONSES, "gpt-4o", { reasoning: { effort: "low" } }),
      "reasoning.effort",
      "no reasoning effort",
    ],
    ["such an effort", ask(CHAT, "o3-mini", { reasoning_effort: "extreme" }), "reasoning_effort", "low, medium, high"],
    [
      "effort in its own place",
      ask(MESSAGES, "claude-3-haiku-20240307", { output_config: { effort: "low" } }),
      "output_config.effort",
      "no reasoning effort",
    ],
  ])("is refused with its path, on the stage's span: %s", async (_what, call, path, says) => {
    const trace = createTrace();
    const response = await client.post(call, trace);
    const { error }: { error: { param: string; message: string } } = JSON.parse(await response.text());
    expect([response.status, error.param]).toEqual([400, path]);
    expect(error.message).toContain(says);
    expect(await client.readAttributes(trace.traceId, "api.validate")).toMatchObject({
      "centspan.verdict": "invalid_request",
      "centspan.verdict.field": path,
    });
  });

  it.each<[string, Call, object]>([
    ["an image", inResponses(png()), { "centspan.validate.images": 1, "centspan.validate.image_bytes": 16 }],
    ["one that stands elsewhere", inChat("https://example.com/a.png"), { "centspan.validate.image_bytes": 0 }],
    [
      "what the model takes",
      ask(CHAT, "o3-mini", { reasoning_effort: "low" }),
      { "centspan.validate.features": "o3-mini*" },
    ],
    ["an unknown model's wish", ask(CHAT, "new-1", { reasoning_effort: "extreme" }), { "centspan.verdict": "ok" }],
  ])("is not %s", async (_what, call, expected) => {
    const trace = createTrace();
    expect((await client.post(call, trace)).status).toBe(200);
    expect(await client.readAttributes(trace.traceId, "api.validate")).toMatchObject(expected);
  });
});
