import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
});
afterAll(() => test.close());

it("a call that takes long is noted below its own span before that one ends, and once", async () => {
  let finish = (): void => undefined;
  test.peer.answer((response) => {
    startStream(response).write(RESPONSES_EVENTS.created);
    finish = () => void response.end(RESPONSES_EVENTS.completed);
  });
  const trace = createTrace();
  const answering = client.post(RESPONSES, { ...trace, "x-centspan-task": "t" }).then((response) => response.text());
  const note = await waitUntil("the note", async () => (await test.readSpans(trace.traceId)).get("chat.begun"));
  expect((await test.readSpans(trace.traceId)).has("chat m")).toBe(false);
  finish();
  await answering;
  await client.readAttributes(trace.traceId, "chat m");
  const all = await test.readAllSpans(trace.traceId);
  const call = all.find(({ name }) => name === "chat m");
  expect(note.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
  expect(note.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "centspan.task.id": "t",
    "centspan.key.name": expect.any(String),
    "centspan.call.pending": true,
    "centspan.usage.missing": true,
  });
  expect(all.filter(({ name }) => name === "chat.begun")).toHaveLength(1);
});
