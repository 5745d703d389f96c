/** For tests only: a client of a test gateway, and the requests it makes unless told otherwise. */
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request as startRequest } from "node:http";
import { waitUntil } from "@centspan/testing";
import type { TestGateway } from "./open-test-gateway.ts";

export type Call = { path: string; body: unknown };

export const RESPONSES = { path: "/v1/responses", body: { model: "m", input: "hi", stream: true } };
export const CHAT = {
  path: "/v1/chat/completions",
  body: { model: "m", messages: [{ role: "user", content: "hi" }], stream: true },
};

export const MESSAGES = {
  path: "/v1/messages?beta=true",
  body: {
    model: "m",
    max_tokens: 100,
    stream: true,
    system: [{ type: "text", text: "be brief", cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: "hi" }],
  },
};

export type GatewayClient = Awaited<ReturnType<typeof createGatewayClient>>;

/** A client with a key of its own. `at` is another gateway's address, `headers` override the usual ones. */
export async function createGatewayClient(test: TestGateway) {
  const url = await test.open();
  const key = (await test.createKey()).secret;
  const common = { "content-type": "application/json", authorization: `Bearer ${key}` };
  return {
    url,
    key,
    common,
    post(call: Call, headers: Record<string, string> = {}, at = url): Promise<Response> {
      const body = typeof call.body === "string" ? call.body : JSON.stringify(call.body);
      return fetch(at + call.path, { method: "POST", body, headers: { ...common, ...headers } });
    },
    /** A request whose answer the test reads at its own pace. */
    async open(call: Call, headers: Record<string, string>, at = url): Promise<[ClientRequest, IncomingMessage]> {
      const request = startRequest(at + call.path, { method: "POST", headers: { ...common, ...headers } });
      request.on("error", () => undefined).end(JSON.stringify(call.body));
      const [response]: IncomingMessage[] = await once(request, "response");
      if (!response) throw new Error("no response");
      response.on("error", () => undefined);
      return [request, response];
    },
    /** Attributes of a span, once it has finished. */
    readAttributes: (traceId: string, name: string) =>
      waitUntil(`span ${name}`, async () => (await test.readSpans(traceId)).get(name)?.attributes),
  };
}
