/** A gateway that is killed in the midst of an answer: the call is on record, flagged, and costs nothing that nobody knows. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { CallRow } from "@centspan/model";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { findRows, findTrace } from "../stack/find-rows.ts";
import { startProcess } from "../stack/processes.ts";

/** A model server that begins to answer and never ends. */
const upstream = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write('data: {"type":"response.created","response":{"id":"resp_killed"}}\n\n');
});
beforeAll(() => once(upstream.listen(0, "127.0.0.1"), "listening"));
afterAll(() => {
  upstream.close();
  upstream.closeAllConnections();
});

async function startGateway() {
  const { databaseUrl, otlpUrl, gatewayIngestKey } = inject("connection");
  const address = upstream.address();
  const gateway = startProcess(["apps/gateway/dist/main.js"], {
    DATABASE_URL: databaseUrl,
    CENTSPAN_PORT: "0",
    CENTSPAN_OTLP_URL: otlpUrl,
    CENTSPAN_INGEST_KEY: gatewayIngestKey,
    CENTSPAN_UPSTREAM_URL: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    CENTSPAN_UPSTREAM_PROVIDER: "openai",
  });
  const [, url = ""] = await gateway.waitFor(/"url":"([^"]+)"/, 30_000);
  return { ...gateway, url };
}

const ask = (url: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${inject("connection").gatewayKey}`,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify({ model: "gpt-4o", input: "hi", stream: true, max_output_tokens: 1000 }),
  });

it("leaves the call that was under way on record", async () => {
  const gateway = await startGateway();
  const traceId = randomBytes(16).toString("hex");
  const task = `killed-${traceId.slice(0, 8)}`;
  const traceparent = `00-${traceId}-${randomBytes(8).toString("hex")}-01`;
  const response = await ask(gateway.url, { traceparent, "x-centspan-task": task });
  const reader = response.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  // The stages before the call, and the note that it has begun.
  await findTrace(traceId, 7);
  gateway.child.kill("SIGKILL");
  await gateway.exited;
  const [call] = await findRows<CallRow>(`/calls?task=${task}`, 1);
  expect(call).toMatchObject({ traceId, task, model: "gpt-4o", source: "gateway", costStatus: "quarantined" });
});
