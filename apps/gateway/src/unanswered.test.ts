/** What is said of calls whose answer never began, and what becomes of answers whose client is gone. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Call,
  CHAT,
  createGatewayClient,
  type GatewayClient,
  MESSAGES,
  RESPONSES,
} from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

/** Leaves when `isTime` says so; resolves with the attributes of the call's span. */
async function leave(url: string, isTime: () => boolean, { body, path }: Call = RESPONSES, key = client.key) {
  const { traceId, traceparent } = createTrace();
  const leaving = new AbortController();
  const headers = { ...client.common, authorization: `Bearer ${key}`, traceparent };
  const left = fetch(url + path, { method: "POST", body: JSON.stringify(body), headers, signal: leaving.signal });
  await waitUntil("the time to leave", isTime);
  leaving.abort();
  await left.catch(() => undefined);
  // What is asked after that is answered after the connection's end was seen.
  for (let asked = 0; asked < 2; asked++) await fetch(`${url}/health`);
  return { traceId, attributes: () => client.readAttributes(traceId, "chat m") };
}

describe("a call that was sent and not answered", () => {
  it.each([
    ["Responses", RESPONSES],
    ["Chat Completions", CHAT],
    ["Messages", MESSAGES],
  ])("may have been paid for: its usage is missing (%s)", async (_protocol, call) => {
    test.peer.answer((response) => void response.destroy());
    const { traceId, traceparent } = createTrace();
    expect((await client.post(call, { traceparent })).status).toBe(502);
    expect(await client.readAttributes(traceId, "chat m")).toMatchObject({ "centspan.usage.missing": true });
  });

  it("so was each attempt at one, where it was asked for elsewhere", async () => {
    test.peer.answer((response) => void response.destroy());
    const replicas = [{ url: test.peer.url }, { url: `${test.peer.url}/v1` }];
    const url = await test.open({ upstreams: { upstreams: [{ name: "two", provider: "openai", replicas }] } });
    const { traceId, traceparent } = createTrace();
    expect((await client.post(RESPONSES, { traceparent }, url)).status).toBe(502);
    const calls = (await test.readAllSpans(traceId)).filter(({ name }) => name === "chat m");
    expect(calls.map(({ attributes }) => attributes["centspan.usage.missing"])).toEqual([true, true]);
  });

  it("the same where its client left before an answer", async () => {
    test.peer.answer(() => undefined);
    const left = await leave(client.url, () => test.peer.requests.length === 1);
    expect(await left.attributes()).toMatchObject({ "centspan.stream.aborted": true, "centspan.usage.missing": true });
  });
});

describe("a call that was never sent", () => {
  it("costs nothing where nobody listens", async () => {
    const url = await test.open({ upstreamUrl: "http://127.0.0.1:9" });
    const { traceId, traceparent } = createTrace();
    expect((await client.post(RESPONSES, { traceparent }, url)).status).toBe(502);
    expect(await client.readAttributes(traceId, "chat m")).not.toHaveProperty("centspan.usage.missing");
  });

  it("nor where its client left while there was no connection yet", async () => {
    // Of TLS it says nothing: nothing can be sent.
    const taken: Socket[] = [];
    const server = createServer((socket) => taken.push(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const url = await test.open({
      upstreamUrl: `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    });
    const left = await leave(url, () => taken.length === 1);
    const attributes = await left.attributes();
    for (const socket of taken) socket.destroy();
    server.close();
    expect(attributes["centspan.stream.aborted"]).toBe(true);
    expect(attributes).not.toHaveProperty("centspan.usage.missing");
  });
});

describe("an answer that has not begun when its client leaves, of a key that wants answers read to their end", () => {
  let finish = (_status: number, _body: object): void => undefined;
  const leaveEarly = async (url = client.url) => {
    test.peer.answer((response) => {
      finish = (status, body) =>
        void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    const { secret } = await test.createKey("gateway", { onDisconnect: "drain" });
    const call = { ...CHAT, body: { ...CHAT.body, stream: false } };
    return leave(url, () => test.peer.requests.length === 1, call, secret);
  };

  it("is waited for, and its usage known", async () => {
    const left = await leaveEarly();
    const choices = [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }];
    finish(200, { id: "c", choices, usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } });
    expect(await left.attributes()).toMatchObject({
      "centspan.stream.aborted": false,
      "gen_ai.usage.input_tokens": 9,
      "gen_ai.usage.output_tokens": 3,
    });
    expect(test.peer.cancelled()).toBe(0);
  });

  it("is not asked for elsewhere, for nobody", async () => {
    const replicas = [{ url: test.peer.url }, { url: `${test.peer.url}/v1` }];
    const left = await leaveEarly(
      await test.open({ upstreams: { upstreams: [{ name: "two", provider: "openai", replicas }] } }),
    );
    finish(503, {});
    await client.readAttributes(left.traceId, `POST ${CHAT.path}`);
    expect(test.peer.requests).toHaveLength(1);
  });
});

describe("a gateway that stops", () => {
  it("waits for answers that are read to their end for a client that is gone", async () => {
    let finish = (): void => undefined;
    test.peer.answer((response) => {
      startStream(response).write(RESPONSES_EVENTS.created);
      finish = () => void response.end(RESPONSES_EVENTS.completed);
    });
    const { secret } = await test.createKey("gateway", { onDisconnect: "drain" });
    const { url, stop } = await test.openOne();
    const { traceId, traceparent } = createTrace();
    const [request] = await client.open(RESPONSES, { authorization: `Bearer ${secret}`, traceparent }, url);
    request.destroy();
    let isStopped = false;
    const stopping = stop().then(() => {
      isStopped = true;
    });
    // It takes no new connections any more, and has not closed.
    await waitUntil("the gateway to be stopping", () =>
      fetch(`${url}/health`).then(
        () => false,
        () => true,
      ),
    );
    expect(isStopped).toBe(false);
    finish();
    await stopping;
    const attributes = await client.readAttributes(traceId, "chat m");
    expect(attributes).toMatchObject({ "gen_ai.usage.input_tokens": 100 });
  });
});
