/** What is said of calls whose answer never began, and what becomes of answers whose client is gone. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, createGatewayClient, type GatewayClient, MESSAGES, RESPONSES } from "./testing/gateway-client.ts";
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
async function leave(url: string, isTime: () => boolean) {
  const { traceId, traceparent } = createTrace();
  const leaving = new AbortController();
  const body = JSON.stringify(RESPONSES.body);
  const headers = { ...client.common, traceparent };
  const left = fetch(url + RESPONSES.path, { method: "POST", body, headers, signal: leaving.signal });
  await waitUntil("the time to leave", isTime);
  leaving.abort();
  await left.catch(() => undefined);
  return client.readAttributes(traceId, "chat m");
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
    const attributes = await leave(client.url, () => test.peer.requests.length === 1);
    expect(attributes).toMatchObject({ "centspan.stream.aborted": true, "centspan.usage.missing": true });
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
    const attributes = await leave(url, () => taken.length === 1);
    for (const socket of taken) socket.destroy();
    server.close();
    expect(attributes["centspan.stream.aborted"]).toBe(true);
    expect(attributes).not.toHaveProperty("centspan.usage.missing");
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
