import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openWarehouse } from "./index.ts";
import { createWarehouse, type TestWarehouse } from "./testing/create-warehouse.ts";
import { openGate } from "./testing/open-gate.ts";
import { makeCall, makeOutcome, makeSpan, spanId, traceId } from "./testing/records.ts";

let test: TestWarehouse;
beforeAll(async () => {
  test = createWarehouse();
  await test.warehouse.migrate();
});
afterAll(() => test.drop());

const AWAY = { code: "store_unavailable", retryAfterS: expect.any(Number) };

it("says that the store is away, at every question, and answers again when it is back", async () => {
  const gate = await openGate(test.url);
  const behind = openWarehouse({ url: gate.url });
  await behind.ping();
  await behind.insertSpans("w", [makeSpan()]);
  await gate.shut();
  const questions = [
    () => behind.ping(),
    () => behind.migrate(),
    () => behind.insertSpans("w", [makeSpan({ spanId: spanId(2) })]),
    () => behind.insertCalls("w", [makeCall("c")]),
    () => behind.insertOutcomes("w", [makeOutcome("o")]),
    () => behind.readTrace("w", traceId(1)),
    () => behind.listChangedTraces(0n),
  ];
  for (const ask of questions) await expect(ask()).rejects.toMatchObject(AWAY);
  await gate.open();
  for (const ask of questions) await ask();
  expect((await behind.readTrace("w", traceId(1))).spans).toHaveLength(2);
  await behind.close();
  await gate.shut();
});

it("says so too when the store breaks off in the middle of an answer", async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write('{"span_id":"1"', () => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : null;
  const warehouse = openWarehouse({ url: `http://127.0.0.1:${port}/x` });
  await expect(warehouse.readSpan("w", traceId(1), spanId(1))).rejects.toMatchObject(AWAY);
  await warehouse.close();
  server.close();
});

it("passes on what is no outage, as it came", async () => {
  await expect(test.connection.query("SELECT nonsense FROM nowhere")).rejects.toMatchObject({ type: "UNKNOWN_TABLE" });
});
