/** What the gateway holds while answers take their time, in bytes: of a request's body nothing that is not needed any more. */
import { once } from "node:events";
import { createServer, request as startRequest } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { CHAT, createGatewayClient, type GatewayClient, MESSAGES, RESPONSES } from "./testing/gateway-client.ts";
import { openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { CHAT_EVENTS, MESSAGES_EVENTS, RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

let test: TestGateway;
let client: GatewayClient;
/** Reads what it is sent and keeps nothing; begins an answer with this, and ends it when the test closes it. */
let begin = "";
let asked = 0;
const peer = createServer((request, response) => {
  request.resume().once("end", () => {
    asked += 1;
    if (begin !== "") startStream(response).write(begin);
  });
});
let peerUrl: string;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  await once(peer.listen(0, "127.0.0.1"), "listening");
  const address = peer.address();
  peerUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(async () => {
  peer.close();
  peer.closeAllConnections();
  await test.close();
});

const ANSWERS = 16;
const said = Array.from({ length: 20 }, (_each, at) => ({
  role: "user",
  content: `${at} words and words `.repeat(1_200),
}));
const textOf = ({ body }: { body: object }, more: object): string => JSON.stringify({ ...body, ...more });

type Open = (at: string, number: number) => Promise<() => unknown>;

/** Sends the same bytes as often as it is called: what the client holds does not grow. */
function ask(path: string, text: string, headers: (number: number) => Record<string, string> = () => ({})): Open {
  const bytes = Buffer.from(text);
  return async (at, number) => {
    const before = asked;
    const sent = startRequest(at + path, { method: "POST", headers: { ...client.common, ...headers(number) } });
    sent.on("error", () => undefined).end(bytes);
    if (begin === "") await waitUntil("the peer is asked", () => asked > before);
    else {
      const [response] = await once(sent, "response");
      response.on("error", () => undefined);
      await once(response, "data");
    }
    return () => sent.destroy();
  };
}

function message(text: string): Open {
  return async (at) => {
    const socket = new WebSocket(`${at.replace("http", "ws")}/v1/responses`, { headers: client.common });
    await once(socket, "open");
    socket.send(text);
    await once(socket, "message");
    return () => socket.terminate();
  };
}

const readHeldBytes = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Opens answers, and waits until each of them holds less than that. */
async function expectHeld(at: string, open: Open, mostBytes: number): Promise<void> {
  // Whatever is remembered of such a request is there before.
  for (let number = 0; number < 2; number++) (await open(at, number))();
  const before = readHeldBytes();
  const opened: (() => unknown)[] = [];
  for (let number = 2; number < ANSWERS + 2; number++) opened.push(await open(at, number));
  await waitUntil("room", () => (readHeldBytes() - before) / ANSWERS < mostBytes);
  for (const close of opened) close();
}

const input = { input: said };
const messages = { messages: said };
const responsesText = textOf(RESPONSES, input);
const own = Object.values(RESPONSES_EVENTS)[0] ?? "";
const keyed = (number: number): Record<string, string> => ({ "idempotency-key": `k-${number}` });

describe("an open answer holds next to nothing of its request", () => {
  const cases: [string, string, string, Open][] = [
    ["Responses", "centspan", own, ask(RESPONSES.path, responsesText)],
    ["Chat Completions", "vllm", CHAT_EVENTS.delta, ask(CHAT.path, textOf(CHAT, messages))],
    ["Messages", "anthropic", MESSAGES_EVENTS.start, ask(MESSAGES.path, textOf(MESSAGES, messages))],
    ["a request that comes twice", "centspan", own, ask(RESPONSES.path, responsesText, keyed)],
    // In one piece an answer comes when all of it is there.
    ["an answer in one piece", "vllm", "", ask(CHAT.path, textOf(CHAT, { ...messages, stream: false }))],
  ];
  it.each(cases)("%s", async (_what, provider, first, open) => {
    begin = first;
    const at = await test.open({ provider, upstreamUrl: peerUrl });
    await expectHeld(at, open, responsesText.length / 8);
  });

  it.each([
    ["Responses", ask(RESPONSES.path, responsesText)],
    ["Messages", ask(MESSAGES.path, textOf(MESSAGES, messages))],
  ])("%s that Chat Completions answer", async (_what, open) => {
    begin = CHAT_EVENTS.delta;
    const replicas = [{ url: peerUrl }];
    const at = await test.open({
      upstreams: { upstreams: [{ name: "v", provider: "vllm", protocols: ["openai-chat"], replicas }] },
    });
    await expectHeld(at, open, responsesText.length / 8);
  });

  it("but on a WebSocket the conversation as its text, which the next message builds on", async () => {
    begin = own;
    const at = await test.open({ upstreamUrl: peerUrl });
    const text = JSON.stringify({ type: "response.create", ...RESPONSES.body, ...input });
    await expectHeld(at, message(text), responsesText.length * 1.25);
  });
});

it("a request is held as long as somebody else may be asked", async () => {
  const replicas = [{ url: test.peer.url }, { url: test.peer.url.replace("127.0.0.1", "localhost") }];
  const at = await test.open({
    upstreams: { upstreams: [{ name: "two", provider: "vllm", replicas, router: { id: "round-robin" } }] },
  });
  test.peer.answer((response) => {
    if (test.peer.requests.length === 1) response.destroy();
    else startStream(response).end(Object.values(CHAT_EVENTS).join(""));
  });
  const text = textOf(CHAT, messages);
  const response = await client.post({ path: CHAT.path, body: text }, {}, at);
  expect([response.status, await response.text()]).toMatchObject([200, expect.stringContaining("[DONE]")]);
  const [first, second] = test.peer.requests.map(({ body }) => body);
  expect(second).toBe(first);
  expect(JSON.parse(second ?? "")).toMatchObject({ messages: said });
});
