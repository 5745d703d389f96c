import { request as startRequest } from "node:http";
import { connect } from "node:net";
import { deflateSync, gzipSync } from "node:zlib";
import { collectorStatusSchema } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  countSpans,
  createTrace,
  MAX_BODY_BYTES,
  openTestCollector,
  type TestCollector,
  waitForSpans,
} from "./testing/open-test-collector.ts";

const JSON_TYPE = "application/json";
const PROTOBUF_TYPE = "application/x-protobuf";

let collector: TestCollector;
beforeAll(async () => {
  collector = await openTestCollector();
});
afterAll(() => collector.dispose());

type Options = { type?: string; path?: string; key?: string | null; headers?: Record<string, string> };

function post(body: string | Uint8Array, options: Options = {}): Promise<Response> {
  const { type = JSON_TYPE, path = "/v1/traces", key = collector.keys.ingest, headers = {} } = options;
  const credential: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  return fetch(collector.url + path, {
    method: "POST",
    body: typeof body === "string" ? body : Buffer.from(body),
    headers: { "content-type": type, ...credential, ...headers },
  });
}

describe("taking data", () => {
  it.each([
    ["JSON", JSON_TYPE, ({ json }) => Buffer.from(json), {}],
    ["JSON with a charset", `${JSON_TYPE}; charset=utf-8`, ({ json }) => Buffer.from(json), {}],
    ["protobuf", PROTOBUF_TYPE, ({ protobuf }) => protobuf, {}],
    ["gzip", PROTOBUF_TYPE, ({ protobuf }) => gzipSync(protobuf), { "content-encoding": "gzip" }],
    ["deflate", JSON_TYPE, ({ json }) => deflateSync(json), { "content-encoding": "deflate" }],
  ] satisfies [string, string, (sent: ReturnType<typeof createTrace>) => Uint8Array, Record<string, string>][])(
    "%s: answered in kind, and stored",
    async (_name, type, encode, headers) => {
      const sent = createTrace();
      const response = await post(encode(sent), { type, headers });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain(type.split(";")[0]);
      expect(await response.text()).toBe(type.startsWith(JSON_TYPE) ? "{}" : "");
      await waitForSpans(collector, sent.traceId);
      const stored = await collector.warehouse.readSpan(collector.workspaces.one, sent.traceId, "00000000000000a1");
      expect(stored).toMatchObject({
        startedAtNs: 1790000000000000001n,
        attributes: { "gen_ai.usage.input_tokens": "9007199254740993" },
      });
    },
  );

  it("takes logs and metrics by their paths", async () => {
    const before = collector.readStatus().loader.insertedRows;
    const at = "1790000000000000001";
    const logRecords = [{ timeUnixNano: at, body: { stringValue: "hello" } }];
    const dataPoints = [{ timeUnixNano: at, asInt: "7" }];
    const logs = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    const metrics = JSON.stringify({
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "m", gauge: { dataPoints } }] }] }],
    });
    expect((await post(logs, { path: "/v1/logs" })).status).toBe(200);
    expect((await post(metrics, { path: "/v1/metrics" })).status).toBe(200);
    await waitUntil("both are stored", () => {
      const { insertedRows } = collector.readStatus().loader;
      return insertedRows.logs === before.logs + 1 && insertedRows.metrics === before.metrics + 1;
    });
  });

  it("takes chunked bodies without a length", async () => {
    const { traceId, json } = createTrace();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { "content-type": JSON_TYPE, "x-api-key": collector.keys.ingest };
      const request = startRequest(`${collector.url}/v1/traces`, { method: "POST", headers }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      }).on("error", reject);
      request.write(json.slice(0, 50));
      request.end(json.slice(50));
    });
    expect(status).toBe(200);
    await waitForSpans(collector, traceId);
  });

  it("acknowledges many at once, each with its own answer, and loses none", async () => {
    const bodies = Array.from({ length: 40 }, () => createTrace(["00000000000000a1", "00000000000000a2"]));
    const responses = await Promise.all(bodies.map(({ json }) => post(json)));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
    for (const { traceId } of bodies) await waitForSpans(collector, traceId, 2);
  });

  it("keeps bodies apart that come in many pieces at once", async () => {
    const sent = ["a", "b", "c", "d"].map((letter) => ({
      padding: letter.repeat(150_000),
      ...createTrace(["00000000000000a1"], letter.repeat(150_000)),
    }));
    const statuses = await Promise.all(
      sent.map(async ({ protobuf }) => (await post(protobuf, { type: PROTOBUF_TYPE })).status),
    );
    expect(statuses).toEqual([200, 200, 200, 200]);
    for (const { traceId, padding } of sent) {
      await waitForSpans(collector, traceId);
      const span = await collector.warehouse.readSpan(collector.workspaces.one, traceId, "00000000000000a1");
      expect(span?.attributes.padding === padding).toBe(true);
    }
  });

  it("changes nothing when a body is sent again", async () => {
    const { traceId, json } = createTrace();
    for (let i = 0; i < 3; i++) expect((await post(json)).status).toBe(200);
    await waitUntil("nothing waits", () => collector.readStatus().spool.frames === 0);
    expect(await countSpans(collector.warehouse, collector.workspaces.one, traceId)).toBe(1);
    const trace = await collector.warehouse.readTrace(collector.workspaces.one, traceId);
    expect(trace.conflictingSpanIds).toEqual([]);
  });

  it.each([
    ["JSON", JSON_TYPE, "{}"],
    ["protobuf", PROTOBUF_TYPE, ""],
  ])("an empty request is fine: %s", async (_name, type, body) => {
    for (const path of ["/v1/traces", "/v1/logs", "/v1/metrics"]) {
      expect((await post(body, { type, path })).status).toBe(200);
    }
  });

  it("refuses a bad span alone and says which", async () => {
    const { traceId, json } = createTrace(["00000000000000a1", "00000000000000"]);
    const response = await post(json);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      partialSuccess: { rejectedSpans: "1", errorMessage: expect.stringContaining("spans[1].spanId") },
    });
    await waitForSpans(collector, traceId);
    expect(collector.readStatus().rejected.traces.invalid_id).toBeGreaterThan(0);
  });
});

describe("credentials", () => {
  it("decide whose word a span is, and nothing in it does", async () => {
    const { trusted, ingest, api } = collector.keys;
    for (const key of [trusted, ingest, api, null]) {
      const { traceId, json } = createTrace();
      const request = JSON.parse(json);
      const claimed = [
        { key: "service.name", value: { stringValue: "centspan-gateway" } },
        { key: "trusted", value: { boolValue: true } },
      ];
      request.resourceSpans[0].resource = { attributes: claimed };
      request.resourceSpans[0].scopeSpans[0].spans[0].attributes.push(...claimed);
      expect((await post(JSON.stringify(request), { key })).status).toBe(200);
      await waitForSpans(collector, traceId);
      const span = await collector.warehouse.readSpan(collector.workspaces.one, traceId, "00000000000000a1");
      expect(span).toMatchObject({ service: "centspan-gateway", trusted: key === trusted });
    }
  });

  it("decide the workspace", async () => {
    const { traceId, json } = createTrace();
    expect((await post(json, { key: collector.keys.other })).status).toBe(200);
    await waitUntil(
      "it is stored",
      async () => (await countSpans(collector.warehouse, collector.workspaces.two, traceId)) === 1,
    );
    expect(await countSpans(collector.warehouse, collector.workspaces.one, traceId)).toBe(0);
  });

  it("may be an api key, or the password on the path that Langfuse's SDKs use", async () => {
    expect((await post("{}", { key: collector.keys.api })).status).toBe(200);
    const headers = { authorization: `Basic ${btoa(`public:${collector.keys.ingest}`)}` };
    expect((await post("{}", { key: null, headers, path: "/api/public/otel/v1/traces" })).status).toBe(200);
  });

  it.each([
    ["an unknown key", { authorization: "Bearer cs_ingest_unknown" }, 401, 16],
    ["an unknown scheme", { authorization: "Digest x" }, 401, 16],
    ["an unknown x-api-key", { "x-api-key": "nope" }, 401, 16],
    ["none, from another site's page", { origin: "https://example.com" }, 401, 16],
    ["none, passed on by a proxy", { "x-forwarded-for": "203.0.113.9" }, 401, 16],
  ])("are needed: %s", async (_name, headers, status, code) => {
    const response = await post("{}", { key: null, headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code, message: expect.stringContaining("authorization") });
  });

  it("of a kind that may send", async () => {
    const response = await post("{}", { key: collector.keys.gateway });
    expect([response.status, await response.json()]).toMatchObject([403, { code: 7 }]);
  });

  it("are not needed from this machine where a default workspace is set", async () => {
    const { traceId, json } = createTrace();
    expect((await post(json, { key: null })).status).toBe(200);
    await waitForSpans(collector, traceId);
  });
});

describe("bad input", () => {
  it.each([
    ["broken JSON", "{", JSON_TYPE, {}, 400, 3, "is not valid JSON"],
    ["another signal", '{"resourceLogs":[]}', JSON_TYPE, {}, 400, 3, "resourceLogs"],
    ["another type", "x", "text/plain", {}, 415, 3, "content-type: must be application/x-protobuf or application/json"],
    ["broken gzip", "x", JSON_TYPE, { "content-encoding": "gzip" }, 400, 3, "body: is not valid for its"],
    ["another encoding", "x", JSON_TYPE, { "content-encoding": "br" }, 415, 3, "content-encoding: br"],
    ["no encoding of ours", "x", JSON_TYPE, { "content-encoding": "constructor" }, 415, 3, "content-encoding"],
    ["too large", " ".repeat(MAX_BODY_BYTES + 1), JSON_TYPE, {}, 413, 8, `larger than ${MAX_BODY_BYTES} bytes`],
  ])("%s", async (_name, body, type, headers, status, code, message) => {
    const response = await post(body, { type, headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it.each(["gzip", "deflate"])("too large once decompressed, however small it came: %s", async (encoding) => {
    const bomb = Buffer.alloc(MAX_BODY_BYTES * 500, " ");
    const body = encoding === "gzip" ? gzipSync(bomb) : deflateSync(bomb);
    expect(body.length).toBeLessThan(MAX_BODY_BYTES);
    expect((await post(body, { headers: { "content-encoding": encoding } })).status).toBe(413);
  });

  it("is answered in the encoding of the request", async () => {
    const response = await post(Buffer.from([0x0a, 0x05]), { type: PROTOBUF_TYPE });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe(PROTOBUF_TYPE);
    expect([...Buffer.from(await response.arrayBuffer()).subarray(0, 3)]).toEqual([0x08, 3, 0x12]);
    const unknown = await post("", { type: PROTOBUF_TYPE, path: "/v2/traces" });
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([404, PROTOBUF_TYPE]);
    expect([...Buffer.from(await unknown.arrayBuffer()).subarray(0, 2)]).toEqual([0x08, 5]);
  });

  it("another method, and preflights", async () => {
    const get = await fetch(`${collector.url}/v1/logs`);
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    const preflight = await fetch(`${collector.url}/v1/metrics`, {
      method: "OPTIONS",
      headers: { origin: "https://example.com", "access-control-request-headers": "content-type,x-langfuse-sdk-name" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("content-type,x-langfuse-sdk-name");
    expect((await post("{}")).headers.get("access-control-expose-headers")).toBe("retry-after");
  });

  it("a sender that goes away in the middle leaves nothing behind", async () => {
    const before = collector.readStatus().requests.traces.invalid_request ?? 0;
    const socket = connect(Number(new URL(collector.url).port), "127.0.0.1");
    socket.write(
      "POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    );
    await new Promise((resolve) => socket.once("ready", resolve));
    socket.end();
    socket.resume();
    await waitUntil("it is counted", () => (collector.readStatus().requests.traces.invalid_request ?? 0) > before);
    socket.destroy();
    expect((await post("{}")).status).toBe(200);
  });
});

describe("what it says of itself", () => {
  it("status, for this machine and for whoever has a key", async () => {
    const status = collectorStatusSchema.parse(await (await fetch(`${collector.url}/status`)).json());
    expect(status.version).toBe("test");
    expect(status.requests.traces.ok).toBeGreaterThan(0);
    expect(status.accepted.traces).toBeGreaterThan(0);
    expect(status.loader).toMatchObject({ refusedFrames: 0, warehouseAway: false });
    const far = { "x-forwarded-for": "203.0.113.9" };
    expect((await fetch(`${collector.url}/status`, { headers: far })).status).toBe(401);
    const authorization = `Bearer ${collector.keys.api}`;
    expect((await fetch(`${collector.url}/status`, { headers: { ...far, authorization } })).status).toBe(200);
  });

  it("health", async () => {
    const health = await fetch(`${collector.url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: "ok", away: [] }]);
  });
});

it("stops although a sender stalls in the middle of its body", async () => {
  const stopping = await openTestCollector();
  const { port } = new URL(stopping.url);
  const socket = connect(Number(port), "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => undefined);
  const head = ["POST /v1/traces HTTP/1.1", "host: x", "expect: 100-continue", `content-type: ${PROTOBUF_TYPE}`];
  socket.write(
    `${[...head, `authorization: Bearer ${stopping.keys.ingest}`, "content-length: 100"].join("\r\n")}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once("data", resolve));
  socket.write("half");
  await stopping.dispose();
  await closed;
});
