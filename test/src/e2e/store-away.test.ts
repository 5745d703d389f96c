import type { TraceDetail } from "@centspan/model";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiReader, createApiReader } from "../stack/api-reader.ts";
import { type IngestStack, startIngestStack } from "../stack/ingest-stack.ts";
import { until } from "../stack/processes.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";

let stack: IngestStack;
let api: ApiReader;
beforeAll(async () => {
  stack = await startIngestStack();
  await Promise.all([stack.worker.start(), stack.web.start()]);
  api = createApiReader(stack.webUrl, await stack.createKey("reader", "api"));
});
afterAll(() => stack?.end());

function send(spanId: string): Promise<Response> {
  const times = { startTimeUnixNano: "1764374400000000000", endTimeUnixNano: "1764374401000000000" };
  const spans = [{ traceId: TRACE, spanId, name: "work", ...times }];
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "s" } }] };
  return fetch(`${stack.otlpUrl}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
  });
}

const readSpanIds = async (): Promise<string[] | undefined> => {
  const { status, body } = await api.get<TraceDetail>(`/traces/${TRACE}`);
  return status === 200 ? body.spans.map(({ spanId }) => spanId).sort() : undefined;
};

it("takes spans while the stores are away, answers questions with 503, and recovers by itself with all it acknowledged", async () => {
  expect((await send("00f067aa0ba902b7")).status).toBe(200);
  await until("the first span is found", readSpanIds);
  expect((await api.get("/health")).status).toBe(200);

  await stack.store.end("SIGKILL");
  expect((await send("00f067aa0ba902b8")).status).toBe(200);
  expect((await api.get(`/traces/${TRACE}`)).status).toBe(503);
  expect((await api.get("/health")).status).toBe(503);

  await stack.store.start();
  expect((await send("00f067aa0ba902b9")).status).toBe(200);
  const found = await until("all spans are found", async () => {
    const ids = await readSpanIds();
    return ids?.length === 3 ? ids : undefined;
  });
  expect(found).toEqual(["00f067aa0ba902b7", "00f067aa0ba902b8", "00f067aa0ba902b9"]);
  expect((await api.get("/health")).status).toBe(200);
});
