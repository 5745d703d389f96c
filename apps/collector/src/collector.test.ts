import { randomBytes } from "node:crypto";
import { request as startRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { type Control, openControl } from "@centspan/control";
import { createCredentialCache, listen } from "@centspan/service";
import { type Gate, openGate, waitUntil } from "@centspan/testing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createCollector } from "./create-collector.ts";
import { encodeProtobuf } from "./testing/encode-protobuf.ts";

const MAX_BODY_BYTES = 200_000;
const JSON_TYPE = "application/json";
const PROTOBUF_TYPE = "application/x-protobuf";

let control: Control;
let warehouse: Warehouse;
let throughGate: Warehouse;
let gate: Gate;
let app: FastifyInstance;
let url: string;
const keys = { ingest: "", api: "", gateway: "", other: "" };

beforeAll(async () => {
  const clickhouseUrl = inject("clickhouseUrl");
  gate = await openGate(clickhouseUrl);
  warehouse = openWarehouse({ url: clickhouseUrl });
  throughGate = openWarehouse({ url: gate.url });
  control = openControl({ url: inject("databaseUrl") });
  await Promise.all([warehouse.migrate(), control.migrate()]);
  const org = `org-${randomBytes(4).toString("hex")}`;
  const create = async (workspace: string, kind: "ingest" | "api" | "gateway"): Promise<string> => {
    await control.ensureWorkspace(org, { id: `${org}-${workspace}`, name: workspace });
    return (await control.createKey({ workspace: `${org}-${workspace}`, name: kind, kind, team: null })).secret;
  };
  keys.ingest = await create("one", "ingest");
  keys.api = await create("one", "api");
  keys.gateway = await create("one", "gateway");
  keys.other = await create("two", "ingest");
  workspaces.one = `${org}-one`;
  workspaces.two = `${org}-two`;
  app = createCollector({
    spans: throughGate,
    credentials: createCredentialCache({ find: (secret) => control.findPrincipal(secret) }),
    defaultWorkspace: workspaces.one,
    stores: { clickhouse: () => throughGate.ping(), postgres: () => control.ping() },
    maxBodyBytes: MAX_BODY_BYTES,
  });
  url = await listen(app, { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await app.close();
  await gate.shut();
  await Promise.all([warehouse.close(), throughGate.close(), control.close()]);
});

const workspaces = { one: "", two: "" };

type Sent = { traceId: string; json: string };

/** A body of spans of a new trace. */
function createBody(spanIds: readonly string[] = ["00000000000000a1"]): Sent {
  const traceId = randomBytes(16).toString("hex");
  const spans = spanIds.map((spanId) => ({
    traceId,
    spanId,
    name: `chat ${spanId}`,
    kind: 3,
    startTimeUnixNano: "1790000000000000001",
    endTimeUnixNano: "1790000001000000002",
    attributes: [{ key: "gen_ai.usage.input_tokens", value: { intValue: "9007199254740993" } }],
  }));
  return { traceId, json: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }) };
}

type Options = { type?: string; path?: string; key?: string | null; headers?: Record<string, string> };

function post(body: string | Buffer, options: Options = {}): Promise<Response> {
  const { type = JSON_TYPE, path = "/v1/traces", key = keys.ingest, headers = {} } = options;
  const credential: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  return fetch(url + path, { method: "POST", body, headers: { "content-type": type, ...credential, ...headers } });
}

const countSpans = async (workspace: string, traceId: string): Promise<number> =>
  (await warehouse.readTrace(workspace, traceId)).spans.length;

describe("taking spans", () => {
  it.each([
    ["JSON", JSON_TYPE, (json: string) => Buffer.from(json), {}],
    ["JSON with a charset", `${JSON_TYPE}; charset=utf-8`, (json: string) => Buffer.from(json), {}],
    ["protobuf", PROTOBUF_TYPE, encodeProtobuf, {}],
    ["gzip", PROTOBUF_TYPE, (json: string) => gzipSync(encodeProtobuf(json)), { "content-encoding": "gzip" }],
  ])("%s: stored exactly once it is acknowledged, and answered in kind", async (_name, type, encode, headers) => {
    const { traceId, json } = createBody();
    const response = await post(encode(json), { type, headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain(type.split(";")[0]);
    expect(await response.text()).toBe(type.startsWith(JSON_TYPE) ? "{}" : "");
    const stored = await warehouse.readSpan(workspaces.one, traceId, "00000000000000a1");
    expect(stored).toMatchObject({
      startedAtNs: 1790000000000000001n,
      attributes: { "gen_ai.usage.input_tokens": "9007199254740993" },
    });
  });

  it("takes chunked bodies without a length", async () => {
    const { traceId, json } = createBody();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { "content-type": JSON_TYPE, "x-api-key": keys.ingest };
      const request = startRequest(`${url}/v1/traces`, { method: "POST", headers }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      }).on("error", reject);
      request.write(json.slice(0, 50));
      request.end(json.slice(50));
    });
    expect(status).toBe(200);
    expect(await countSpans(workspaces.one, traceId)).toBe(1);
  });

  it("acknowledges many at once, each with its own answer, and loses none", async () => {
    const bodies = Array.from({ length: 40 }, () => createBody(["00000000000000a1", "00000000000000a2"]));
    const responses = await Promise.all(bodies.map(({ json }) => post(json)));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
    const counts = await Promise.all(bodies.map(({ traceId }) => countSpans(workspaces.one, traceId)));
    expect(counts.every((count) => count === 2)).toBe(true);
  });

  it("changes nothing when a body is sent again", async () => {
    const { traceId, json } = createBody();
    for (let i = 0; i < 3; i++) expect((await post(json)).status).toBe(200);
    expect(await countSpans(workspaces.one, traceId)).toBe(1);
    expect((await warehouse.readTrace(workspaces.one, traceId)).conflictingSpanIds).toEqual([]);
  });

  it.each([
    ["JSON", JSON_TYPE, "{}"],
    ["protobuf", PROTOBUF_TYPE, ""],
  ])("an empty request is fine: %s", async (_name, type, body) => {
    expect((await post(body, { type })).status).toBe(200);
  });

  it("refuses a bad span alone and says which", async () => {
    const { traceId, json } = createBody(["00000000000000a1", "0000000000000000"]);
    const response = await post(json);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      partialSuccess: { rejectedSpans: "1", errorMessage: expect.stringContaining("spans[1].spanId: must be 8 bytes") },
    });
    expect(await countSpans(workspaces.one, traceId)).toBe(1);
    const bytes = Buffer.from(await (await post(encodeProtobuf(json), { type: PROTOBUF_TYPE })).arrayBuffer());
    // ExportTraceServiceResponse { partial_success (1): { rejected_spans (1): 1, error_message (2): … } }
    expect([...bytes.subarray(0, 5)]).toEqual([0x0a, bytes.length - 2, 0x08, 1, 0x12]);
    expect(bytes.toString()).toContain("spans[1].spanId");
  });
});

describe("credentials", () => {
  it("decide the workspace", async () => {
    const { traceId, json } = createBody();
    expect((await post(json, { key: keys.other })).status).toBe(200);
    expect(await countSpans(workspaces.one, traceId)).toBe(0);
    expect(await countSpans(workspaces.two, traceId)).toBe(1);
  });

  it("may be an api key, or the password on the path that Langfuse's SDKs use", async () => {
    expect((await post("{}", { key: keys.api })).status).toBe(200);
    const headers = { authorization: `Basic ${btoa(`public:${keys.ingest}`)}` };
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

  it("of a kind that may send spans", async () => {
    const response = await post("{}", { key: keys.gateway });
    expect([response.status, await response.json()]).toMatchObject([403, { code: 7 }]);
  });

  it("are not needed from this machine where a default workspace is set", async () => {
    const { traceId, json } = createBody();
    expect((await post(json, { key: null })).status).toBe(200);
    expect(await countSpans(workspaces.one, traceId)).toBe(1);
    const credentials = createCredentialCache({ find: (secret) => control.findPrincipal(secret) });
    const strict = createCollector({ spans: warehouse, credentials });
    const strictUrl = await listen(strict, { host: "127.0.0.1", port: 0 });
    const headers = { "content-type": JSON_TYPE };
    expect((await fetch(`${strictUrl}/v1/traces`, { method: "POST", body: "{}", headers })).status).toBe(401);
    await strict.close();
  });
});

describe("bad input", () => {
  it.each([
    ["broken JSON", "{", JSON_TYPE, {}, 400, 3, "body: is not valid JSON"],
    ["another signal", '{"resourceLogs":[]}', JSON_TYPE, {}, 400, 3, "resourceLogs: does not belong"],
    ["another type", "x", "text/plain", {}, 415, 3, "content-type: must be application/x-protobuf or application/json"],
    ["broken gzip", "x", JSON_TYPE, { "content-encoding": "gzip" }, 400, 3, "body: is not valid gzip"],
    ["another encoding", "x", JSON_TYPE, { "content-encoding": "br" }, 415, 3, "content-encoding: br"],
    ["too large", " ".repeat(MAX_BODY_BYTES + 1), JSON_TYPE, {}, 413, 8, `larger than ${MAX_BODY_BYTES} bytes`],
  ])("%s", async (_name, body, type, headers, status, code, message) => {
    const response = await post(body, { type, headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it("too large once decompressed", async () => {
    const body = gzipSync(Buffer.alloc(MAX_BODY_BYTES * 20, " "));
    expect(body.length).toBeLessThan(MAX_BODY_BYTES);
    const response = await post(body, { headers: { "content-encoding": "gzip" } });
    expect(response.status).toBe(413);
  });

  it("is answered in the encoding of the request", async () => {
    const response = await post(Buffer.from([0x0a, 0x05]), { type: PROTOBUF_TYPE });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe(PROTOBUF_TYPE);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0x08, 3, 0x12]);
    expect(bytes.toString()).toContain("resourceSpans[0]");
  });

  it("another method, and preflights", async () => {
    const get = await fetch(`${url}/v1/traces`);
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    const preflight = await fetch(`${url}/v1/traces`, {
      method: "OPTIONS",
      headers: { origin: "https://example.com" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect((await post("{}")).headers.get("access-control-expose-headers")).toBe("retry-after");
  });
});

describe("a store that is away", () => {
  it("gives 503 with Retry-After, says so in /health, and recovers by itself", async () => {
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await gate.shut();
    const { traceId, json } = createBody();
    const refused = await post(json);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
    expect(await refused.json()).toMatchObject({ code: 14 });
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toMatchObject([503, { away: ["clickhouse"] }]);
    expect(await countSpans(workspaces.one, traceId)).toBe(0);
    await gate.open();
    await waitUntil("the collector takes spans again", async () => (await post(json)).status === 200);
    expect(await countSpans(workspaces.one, traceId)).toBe(1);
  });
});
