import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { openSafetyChecks } from "@centspan/model";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createGatewayClient, type GatewayClient, RESPONSES } from "../testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "../testing/open-test-gateway.ts";
import { RESPONSES_EVENTS, startStream } from "../testing/upstream-peer.ts";
import classifier from "./http-classifier.ts";

let test: TestGateway;
let client: GatewayClient;
let answer: (response: ServerResponse, text: string) => void;
let asked: string[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { text } = JSON.parse(Buffer.concat(chunks).toString());
  asked.push(text);
  answer(response, text);
});
let url: string;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/classify`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await test.close();
});
beforeEach(() => {
  asked = [];
  test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
});

const open = (settings: Record<string, string> = {}) =>
  test.open({
    policy: "hold",
    checks: openSafetyChecks([classifier], {
      CENTSPAN_SAFETY_CLASSIFIER_URL: url,
      CENTSPAN_SAFETY_CLASSIFIER_TIMEOUT_MS: "200",
      ...settings,
    }),
  });

async function ask(at: string, input: string) {
  const trace = createTrace();
  const response = await client.post({ ...RESPONSES, body: { ...RESPONSES.body, input } }, trace, at);
  const text = await response.text();
  return { status: response.status, text, span: await client.readAttributes(trace.traceId, "api.safety") };
}

const json = (response: ServerResponse, body: unknown, status = 200): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

describe("a classifier over HTTP", () => {
  it("decides, and is asked for what is new alone", async () => {
    answer = (response, text) => json(response, { allowed: !text.includes("bomb"), reason: "speaks of bombs" });
    const at = await open();
    expect((await ask(at, "a cake")).status).toBe(200);
    expect((await ask(at, "a cake")).status).toBe(200);
    const refused = await ask(at, "a bomb");
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([400, { error: { code: "content_blocked" } }]);
    expect(refused.text).toContain("speaks of bombs");
    expect(asked.map((text) => text.includes("cake"))).toEqual([true, false]);
  });

  const failures: [string, (response: ServerResponse) => void][] = [
    ["is slow", () => undefined],
    ["begins and goes on for ever", (response) => void response.writeHead(200).write("{")],
    ["breaks off", (response) => void response.destroy()],
    ["fails", (response) => json(response, { allowed: true }, 500)],
    ["says something else", (response) => json(response, { verdict: "fine" })],
  ];
  it.each(failures)("that %s refuses", async (_what, fail) => {
    answer = fail;
    const { status, text, span } = await ask(await open(), "text");
    expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: "check_unavailable" } }]);
    expect(span).toMatchObject({ "centspan.verdict": "check_unavailable" });
    expect(text).not.toContain("response.");
  });

  it.each(failures)(
    "that %s lets pass where the settings say so, and reads the text the next time",
    async (_what, fail) => {
      answer = fail;
      const at = await open({ CENTSPAN_SAFETY_CLASSIFIER_AWAY: "pass" });
      const { status, span } = await ask(at, "text");
      expect([status, span["centspan.safety.unread"]]).toEqual([200, true]);
      answer = (response) => json(response, { allowed: false });
      expect((await ask(at, "text")).status).toBe(400);
    },
  );

  it("that is not there refuses; wrong settings are named at the start", async () => {
    const at = await open({ CENTSPAN_SAFETY_CLASSIFIER_URL: "http://127.0.0.1:9/" });
    expect((await ask(at, "text")).status).toBe(503);
    const openWith = (settings: Record<string, string>) => () => openSafetyChecks([classifier], settings);
    expect(openWith({ CENTSPAN_SAFETY_CLASSIFIER_URL: "classifier" })).toThrow(/CENTSPAN_SAFETY_CLASSIFIER_URL/);
    expect(openWith({ CENTSPAN_SAFETY_CLASSIFIER_AWAY: "maybe" })).toThrow(/CENTSPAN_SAFETY_CLASSIFIER_AWAY/);
    expect(openWith({})()).toEqual([]);
  });
});
