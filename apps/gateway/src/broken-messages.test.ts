import { once } from "node:events";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGatewayClient, type GatewayClient, MESSAGES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { MESSAGES_ERROR, MESSAGES_EVENTS, startStream, WHOLE_MESSAGE } from "./testing/upstream-peer.ts";

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

const answerStream = (stream: string): void => test.peer.answer((response) => void startStream(response).end(stream));
const readChat = (traceId: string) => client.readAttributes(traceId, "chat m");

describe("an answer that breaks off", () => {
  const begun = MESSAGES_EVENTS.start + MESSAGES_EVENTS.block + MESSAGES_EVENTS.delta;
  const cut = {
    "error.type": "upstream_failed",
    "gen_ai.response.id": "msg_1",
    "gen_ai.usage.input_tokens": 190,
    "centspan.usage.partial": true,
    "centspan.stream.aborted": false,
  };

  it("is recorded with what was reported until then, and flagged, when the connection is cut", async () => {
    test.peer.answer((response) => void startStream(response).write(begun, () => response.destroy()));
    const trace = createTrace();
    await expect((await client.post(MESSAGES, trace, url)).text()).rejects.toThrow();
    const { "centspan.stream.aborted": _, ...expected } = cut;
    expect(await readChat(trace.traceId)).toMatchObject(expected);
  });

  it.each([
    ["the stream just ends", begun],
    ["an error comes in the stream", begun + MESSAGES_ERROR],
  ])("is recorded and flagged when %s, and the client sees what came", async (_name, stream) => {
    answerStream(stream);
    const trace = createTrace();
    expect(await (await client.post(MESSAGES, trace, url)).text()).toBe(stream);
    expect(await readChat(trace.traceId)).toMatchObject(cut);
  });

  it("and is asked for again without a stream is two calls of one session, as on the provider's bill", async () => {
    const { stream: _, ...whole } = MESSAGES.body;
    const chats = [];
    for (const body of [MESSAGES.body, whole]) {
      if (body === whole)
        test.peer.answer((response) => void response.end(JSON.stringify({ ...WHOLE_MESSAGE, id: "msg_2" })));
      else test.peer.answer((response) => void startStream(response).write(begun, () => response.destroy()));
      const trace = createTrace();
      const headers = { ...trace, "x-claude-code-session-id": "session-2" };
      await (await client.post({ ...MESSAGES, body }, headers, url)).text().catch(() => undefined);
      chats.push(await readChat(trace.traceId));
    }
    expect(test.peer.requests).toHaveLength(1);
    const session = { "gen_ai.conversation.id": "session-2", "gen_ai.usage.input_tokens": 190 };
    expect(chats).toMatchObject([
      { ...session, "gen_ai.response.id": "msg_1", "centspan.usage.partial": true },
      { ...session, "gen_ai.response.id": "msg_2", "gen_ai.usage.output_tokens": 7 },
    ]);
    expect(chats[0]?.["centspan.request.id"]).not.toBe(chats[1]?.["centspan.request.id"]);
  });

  it("before it began is no call to pay for", async () => {
    answerStream(MESSAGES_ERROR);
    const trace = createTrace();
    await (await client.post(MESSAGES, trace, url)).text();
    const chat = await readChat(trace.traceId);
    expect(chat["error.type"]).toBe("upstream_failed");
    expect(chat).not.toHaveProperty("centspan.usage.missing");
  });

  it("because its client leaves cancels the upstream; right after the stop reason that is no abort", async () => {
    test.peer.answer((response) => void startStream(response).write(begun));
    const early = createTrace();
    const [request, response] = await client.open(MESSAGES, early, url);
    await once(response, "data");
    request.destroy();
    expect(await readChat(early.traceId)).toMatchObject({
      "centspan.stream.aborted": true,
      "centspan.usage.partial": true,
      "gen_ai.usage.input_tokens": 190,
    });
    await waitUntil("the upstream sees the cancellation", () => test.peer.cancelled() === 1);

    let sendRest = (): void => undefined;
    test.peer.answer((answer) => {
      startStream(answer).write(begun + MESSAGES_EVENTS.end);
      sendRest = () => answer.end(MESSAGES_EVENTS.stop);
    });
    const late = createTrace();
    const [second, stream] = await client.open(MESSAGES, late, url);
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes("stop_reason")) break;
    }
    const gone = once(second, "close");
    second.destroy();
    await gone;
    sendRest();
    expect(await readChat(late.traceId)).toMatchObject({
      "centspan.stream.aborted": false,
      "gen_ai.usage.output_tokens": 25,
    });
  });
});
