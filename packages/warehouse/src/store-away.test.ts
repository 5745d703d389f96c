import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { openGate } from "@centspan/testing";
import { expect, it } from "vitest";
import { openWarehouse } from "./index.ts";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { makeCall, makeOutcome, makeSpan, spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();

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
    () => behind.listChangedUsage(0n),
  ];
  for (const ask of questions) await expect(ask()).rejects.toMatchObject(AWAY);
  await gate.open();
  for (const ask of questions) await ask();
  expect((await behind.readTrace("w", traceId(1))).spans).toHaveLength(2);
  await behind.close();
  await gate.shut();
});

it.each<[string, (response: ServerResponse) => void]>([
  ["breaks off in the middle of an answer", (response) => response.writeHead(200).write("{", () => response.destroy())],
  ["is still starting", (response) => response.writeHead(503).end("Starting.\n")],
  ["stands behind a proxy that can't reach it", (response) => response.writeHead(502).end("<h1>Bad gateway</h1>")],
  [
    "is too busy",
    (response) => response.writeHead(503).end("Code: 202. DB::Exception: x (TOO_MANY_SIMULTANEOUS_QUERIES)"),
  ],
])("says so too when the store %s", async (_case, answer) => {
  const server = createServer((request, response) => {
    request.resume();
    answer(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : null;
  const warehouse = openWarehouse({ url: `http://127.0.0.1:${port}/x` });
  await expect(warehouse.readSpan("w", traceId(1), spanId(1))).rejects.toMatchObject(AWAY);
  await expect(warehouse.ping()).rejects.toMatchObject(AWAY);
  await warehouse.close();
  server.close();
});

it("passes on what is no outage, as it came", async () => {
  await expect(test.connection.query("SELECT nonsense FROM nowhere")).rejects.toMatchObject({ type: "UNKNOWN_TABLE" });
  await expect(test.connection.query("SELECT {a:String}", { a: () => {} })).rejects.toThrow(/Unsupported value/);
});
