import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGatewayClient, type GatewayClient, MESSAGES } from "./testing/gateway-client.ts";
import { openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";

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

describe("errors have Anthropic's shape", () => {
  const refused = (type: string, code: string) => ({
    type: "error",
    error: { type, code, message: expect.any(String) },
  });
  const count = { path: "/v1/messages/count_tokens", body: { model: "m", messages: MESSAGES.body.messages } };

  it.each([
    ["no key", MESSAGES, { authorization: "" }, 401, refused("authentication_error", "unauthenticated")],
    [
      "no such key",
      count,
      { authorization: "", "x-api-key": "x" },
      401,
      refused("authentication_error", "unauthenticated"),
    ],
    ["broken JSON", { ...MESSAGES, body: "{" }, {}, 400, refused("invalid_request_error", "invalid_request")],
    ["no messages", { ...count, body: { model: "m" } }, {}, 400, refused("invalid_request_error", "invalid_request")],
    [
      "too much",
      { ...MESSAGES, body: " ".repeat(32 * 1024 * 1024 + 1) },
      {},
      413,
      refused("request_too_large", "payload_too_large"),
    ],
    [
      "no JSON",
      MESSAGES,
      { "content-type": "text/plain" },
      415,
      refused("invalid_request_error", "unsupported_media_type"),
    ],
    [
      "a path beside it",
      { ...MESSAGES, path: "/v1/messages/batches" },
      {},
      404,
      refused("not_found_error", "unknown_path"),
    ],
  ])("%s", async (_name, call, headers, status, body) => {
    const response = await client.post(call, headers, url);
    expect([response.status, await response.json()]).toMatchObject([status, body]);
  });

  it("another method, and a server that is away", async () => {
    for (const path of ["/v1/messages", count.path]) {
      const response = await fetch(url + path);
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
      expect(await response.json()).toMatchObject(refused("invalid_request_error", "method_not_allowed"));
    }
    const nowhere = await test.open({ provider: "anthropic", upstreamUrl: "http://127.0.0.1:9" });
    const down = await client.post(MESSAGES, {}, nowhere);
    expect([down.status, await down.json()]).toMatchObject([502, refused("api_error", "upstream_failed")]);
  });

  it("and OpenAI's where a path is OpenAI's", async () => {
    const response = await fetch(`${url}/v1/chat/completions`);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(Object.keys(Object(await response.json()))).toEqual(["error"]);
  });

  it("of the upstream pass as they are", async () => {
    const body = '{"type":"error","error":{"type":"invalid_request_error","message":"no"},"request_id":"req_9"}';
    test.peer.answer((response) => void response.writeHead(400, { "content-type": "application/json" }).end(body));
    const response = await client.post(MESSAGES, {}, url);
    expect([response.status, await response.text()]).toEqual([400, body]);
  });
});
