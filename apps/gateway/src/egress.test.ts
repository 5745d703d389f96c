import { once } from "node:events";
import { createServer as createHttpServer, type IncomingHttpHeaders } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import type { EgressRules } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import { ProxyAgent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EgressSettings } from "./egress/serve-egress.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";

let test: TestGateway;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  test = await openTestGateway();
});
afterAll(async () => {
  for (const close of closing) close();
  await test.close();
});

/** A host of tools that says what it was asked. */
async function startHost() {
  const seen: { url: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createHttpServer(async (message, response) => {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part);
    const body = Buffer.concat(parts).toString();
    seen.push({ url: message.url ?? "", headers: message.headers, body });
    response.writeHead(200, { "x-host": "yes", connection: "close" }).end(`got ${body}`);
  });
  return { seen, port: await listenOn(server) };
}

async function startSocketHost(serve: (socket: Socket) => void): Promise<number> {
  return listenOn(createServer({ allowHalfOpen: true }, (socket) => serve(socket.on("error", () => undefined))));
}

async function listenOn(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function openProxy(egress: EgressRules | null, settings: EgressSettings = {}, at = test) {
  const { secret, keyId } = await at.createKey("gateway", egress ? { egress } : {});
  return { url: await at.open({ egress: settings }), keyId, secret };
}
type Proxy = { url: string; secret: string };

const basic = (secret: string): string => `Basic ${Buffer.from(`tool:${secret}`).toString("base64")}`;

/** What a tool asks, in a tunnel unless told otherwise. */
async function ask(proxy: Proxy, url: string, options: Asked = {}) {
  const {
    method = "GET",
    headers = {},
    body,
    proxyTunnel = true,
    token = basic(proxy.secret),
    trace = createTrace(),
  } = options;
  const agent = new ProxyAgent({ uri: proxy.url, token, proxyTunnel, headers: { traceparent: trace.traceparent } });
  try {
    const answer = await request(url, { dispatcher: agent, method, headers, ...(body !== undefined && { body }) });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  } finally {
    await agent.destroy();
  }
}
type Asked = {
  method?: "GET" | "POST" | "DELETE";
  headers?: Record<string, string>;
  body?: string;
  proxyTunnel?: boolean;
  token?: string;
  trace?: ReturnType<typeof createTrace>;
};

/** A CONNECT by hand: the socket, and what was answered. */
async function tunnel({ url, secret }: Proxy, authority: string, headers: Record<string, string> = {}) {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  closing.push(() => socket.destroy());
  const sent = { "proxy-authorization": `Bearer ${secret}`, ...headers };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${lines.join("")}\r\n`);
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const part: Buffer | null = socket.read();
    if (part === null) await once(socket, "readable");
    else head += part.toString("latin1");
  }
  const [first = "", rest = ""] = head.split("\r\n\r\n");
  return { socket, status: Number(first.split(" ")[1]), head: first, rest };
}

const readSpan = (traceId: string) =>
  waitUntil("the span", async () => (await test.readAllSpans(traceId)).find(({ name }) => name.startsWith("egress ")));

describe("a tunnel", () => {
  it("leads to a host that the key's rule names, and its span says what went through it", async () => {
    const host = await startHost();
    const proxy = await openProxy({ hosts: [`127.0.0.1:${host.port}`] });
    const trace = createTrace();
    const answer = await ask(proxy, `http://127.0.0.1:${host.port}/x`, { method: "POST", body: "hello", trace });
    expect(answer).toMatchObject({ status: 200, text: "got hello", headers: { "x-host": "yes" } });
    const span = await readSpan(trace.traceId);
    expect(span).toMatchObject({ name: "egress 127.0.0.1", parentSpanContext: { spanId: trace.spanId } });
    expect(span.attributes).toMatchObject({
      "http.request.method": "CONNECT",
      "http.response.status_code": 200,
      "server.address": "127.0.0.1",
      "server.port": host.port,
      "centspan.key.id": proxy.keyId,
      "centspan.team.id": "payments",
      "centspan.verdict": "ok",
    });
    expect(span.attributes["centspan.egress.bytes_sent"]).toBeGreaterThan("POST /x HTTP/1.1 hello".length);
    expect(span.attributes["centspan.egress.bytes_received"]).toBeGreaterThan("got hello".length);
  });

  it.each([
    [
      "a host that no rule names",
      { hosts: ["other.example"] },
      "api.example.com:443",
      "egress_refused",
      "api.example.com",
    ],
    ["another port", { hosts: ["api.example.com"] }, "api.example.com:22", "egress_refused", "api.example.com"],
    ["any host, of a key without a rule", null, "api.example.com:443", "egress_refused", "api.example.com"],
    ["loopback by another spelling", { hosts: ["*.example.com"] }, "2130706433:80", "egress_refused", "127.0.0.1"],
    ["no host at all", { hosts: ["*.example.com"] }, "x@api.example.com:443", "invalid_request", "unknown"],
    ["no port", { hosts: ["*.example.com"] }, "api.example.com", "invalid_request", "unknown"],
  ])("is refused to %s", async (_why, rules, authority, code, name) => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return [{ address: "93.184.215.14", family: 4 }];
    };
    const trace = createTrace();
    const { status, rest } = await tunnel(await openProxy(rules, { resolve }), authority, {
      traceparent: trace.traceparent,
    });
    expect([status, JSON.parse(rest).code]).toEqual([code === "invalid_request" ? 400 : 403, code]);
    expect(asked).toEqual([]);
    expect(await readSpan(trace.traceId)).toMatchObject({
      name: `egress ${name}`,
      attributes: { "centspan.verdict": code, "error.type": code },
    });
  });

  it.each([
    ["no key", "", 407],
    ["a wrong key", "Bearer cs_gateway_nobody", 407],
  ])("is refused with %s", async (_why, authorization, status) => {
    const proxy = await openProxy({ hosts: ["localhost"] });
    const answer = await tunnel(proxy, "localhost:443", { "proxy-authorization": authorization });
    expect(answer.status).toBe(status);
    expect(answer.head).toContain("proxy-authenticate: Basic");
  });

  it("is refused with a key that is not for the gateway, or one that is meant for the host", async () => {
    const proxy = await openProxy({ hosts: ["localhost"] });
    const ingest = await test.createKey("ingest");
    const wrong = await tunnel(proxy, "localhost:443", { "proxy-authorization": `Bearer ${ingest.secret}` });
    const other = { "proxy-authorization": "", authorization: `Bearer ${proxy.secret}`, "x-api-key": proxy.secret };
    expect([wrong.status, (await tunnel(proxy, "localhost:443", other)).status]).toEqual([403, 407]);
  });

  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "fe80::1",
    "fd00::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
  ])("is refused to a name that leads to %s, also beside a public address", async (address) => {
    const found = [
      { address: "93.184.215.14", family: 4 },
      { address, family: address.includes(":") ? 6 : 4 },
    ];
    const proxy = await openProxy({ hosts: ["*.example.com"] }, { resolve: async () => found });
    const { status, rest } = await tunnel(proxy, "intern.example.com:443");
    expect([status, JSON.parse(rest).code]).toEqual([403, "egress_refused"]);
    expect(rest).not.toContain(address);
  });

  it("goes to the address that was checked: a name is looked up once", async () => {
    const host = await startHost();
    let lookups = 0;
    const resolve = async () => [{ address: ++lookups === 1 ? "127.0.0.1" : "127.9.9.9", family: 4 }];
    const proxy = await openProxy({ hosts: [`localhost:${host.port}`] }, { resolve });
    expect((await ask(proxy, `http://localhost:${host.port}/`)).status).toBe(200);
    expect(lookups).toBe(1);
  });

  it("carries what one side says after the other has ended, and what came with the request for it", async () => {
    const port = await startSocketHost((socket) => {
      const parts: Buffer[] = [];
      socket
        .on("data", (part) => parts.push(part))
        .on("end", () => socket.end(Buffer.concat(parts).toString().toUpperCase()));
    });
    const trace = createTrace();
    const { url, secret } = await openProxy({ hosts: [`127.0.0.1:${port}`] });
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
    const head = `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nproxy-authorization: ${basic(secret)}\r\ntraceparent: ${trace.traceparent}\r\n\r\n`;
    socket.end(`${head}early and late`);
    let text = "";
    for await (const part of socket) text += part;
    expect(text.split("\r\n\r\n")[1]).toBe("EARLY AND LATE");
    const { attributes } = await readSpan(trace.traceId);
    expect(attributes).toMatchObject({
      "centspan.egress.bytes_sent": 14,
      "centspan.egress.bytes_received": 14,
      "centspan.egress.end": "closed",
    });
  });

  it("makes a host wait for a client that reads slowly, and loses nothing", async () => {
    const part = Buffer.alloc(64 * 1024, 1);
    const total = 1024 * part.length;
    let [given, givenAtMs] = [0, Number.POSITIVE_INFINITY];
    const port = await startSocketHost((socket) => {
      const give = (): void => {
        while (given < total) {
          [given, givenAtMs] = [given + part.length, performance.now()];
          if (!socket.write(part)) return void socket.once("drain", give);
        }
        socket.end();
      };
      give();
    });
    const { socket, rest } = await tunnel(await openProxy({ hosts: [`127.0.0.1:${port}`] }), `127.0.0.1:${port}`);
    socket.pause();
    await waitUntil("the host waits", () => performance.now() - givenAtMs > 300);
    // What fits into the buffers of the system on both ways, which is a few MiB each.
    expect(given).toBeLessThan(total / 2);
    let read = rest.length;
    socket.on("data", (more) => {
      read += more.length;
    });
    await once(socket.resume(), "end");
    expect(read).toBe(total);
  });

  it("ends when nothing goes through it, and when it is old", async () => {
    const port = await startSocketHost((socket) => void socket.on("data", (part) => socket.write(part)));
    const readEnd = async (limits: EgressSettings["limits"]): Promise<unknown> => {
      const trace = createTrace();
      const proxy = await openProxy({ hosts: [`127.0.0.1:${port}`] }, { ...(limits && { limits }) });
      const { socket } = await tunnel(proxy, `127.0.0.1:${port}`, { traceparent: trace.traceparent });
      await once(socket.resume(), "end");
      return (await readSpan(trace.traceId)).attributes["centspan.egress.end"];
    };
    expect(await readEnd({ idleMs: 50 })).toBe("idle");
    expect(await readEnd({ maxAgeMs: 50 })).toBe("too_old");
  });

  it("is cut when the gateway stops, which does not wait for it", async () => {
    const port = await startSocketHost((socket) => void socket.resume());
    const other = await openTestGateway();
    const { socket } = await tunnel(await openProxy({ hosts: [`127.0.0.1:${port}`] }, {}, other), `127.0.0.1:${port}`);
    await Promise.all([other.close(), once(socket.resume(), "end")]);
  });

  it("is one of so many that a key may have, and gives its place back", async () => {
    const port = await startSocketHost((socket) => void socket.on("end", () => socket.end()).resume());
    const proxy = await openProxy({ hosts: [`127.0.0.1:${port}`] }, { limits: { connectionsPerKey: 1 } });
    const first = await tunnel(proxy, `127.0.0.1:${port}`);
    const second = await tunnel(proxy, `127.0.0.1:${port}`);
    expect([first.status, second.status]).toEqual([200, 429]);
    expect(second.head).toContain("retry-after: 10");
    first.socket.end();
    await waitUntil("a place is free", async () => (await tunnel(proxy, `127.0.0.1:${port}`)).status === 200);
  });

  it("is not waited for when a name has no address, a port is closed or nothing answers", async () => {
    const server = createServer();
    const port = await listenOn(server);
    server.close();
    const closed = await tunnel(await openProxy({ hosts: [`127.0.0.1:${port}`] }), `127.0.0.1:${port}`);
    const silent = { resolve: () => new Promise<never>(() => undefined), limits: { handshakeMs: 50 } };
    const late = await tunnel(await openProxy({ hosts: ["a.example"] }, silent), "a.example:443");
    expect([closed.status, late.status]).toEqual([502, 502]);
    expect([JSON.parse(closed.rest).detail, JSON.parse(late.rest).detail]).toEqual([
      "host: can't be reached (ECONNREFUSED)",
      "host: can't be reached (no connection in time)",
    ]);
  });
});

const SECRET = "s3cr3t-of-the-host";
const secretOf = (hosts: string[]) => ({ placeholder: "TOOL_KEY", variable: "EGRESS_TOOL_KEY", hosts });
const environment: EgressSettings = {
  readSecret: (variable) => ({ EGRESS_TOOL_KEY: SECRET, EGRESS_BROKEN: "a\r\nb" })[variable],
};

describe("a request that names its whole address", () => {
  it("goes to that host with the secret in place of its placeholder, and to no other host", async () => {
    const [host, other] = [await startHost(), await startHost()];
    const names = [`127.0.0.1:${host.port}`, `127.0.0.1:${other.port}`];
    const proxy = await openProxy({ hosts: names, secrets: [secretOf(names.slice(0, 1))] }, environment);
    const trace = createTrace();
    const headers = { authorization: "Bearer TOOL_KEY", "x-two": "TOOL_KEY:TOOL_KEY", traceparent: trace.traceparent };
    const asked = { method: "POST", headers, body: "TOOL_KEY", proxyTunnel: false } as const;
    const answers = [];
    for (const name of names) answers.push(await ask(proxy, `http://${name}/v1/models?key=TOOL_KEY`, asked));
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [200, "got TOOL_KEY"],
      [200, "got TOOL_KEY"],
    ]);
    expect(host.seen).toMatchObject([
      {
        url: "/v1/models?key=TOOL_KEY",
        headers: { host: names[0], authorization: `Bearer ${SECRET}`, "x-two": `${SECRET}:${SECRET}` },
      },
    ]);
    expect(other.seen[0]?.headers).toMatchObject({ authorization: "Bearer TOOL_KEY", "x-two": "TOOL_KEY:TOOL_KEY" });
    expect(JSON.stringify([host.seen, other.seen])).not.toContain(proxy.secret);
    expect(host.seen[0]?.headers).not.toHaveProperty("proxy-authorization");
    const spans = await waitUntil("both spans", async () => {
      const found = await test.readAllSpans(trace.traceId);
      return found.length === 2 && found;
    });
    const used = spans.map(({ attributes }) => attributes["centspan.egress.secrets"]);
    expect(used).toEqual([["TOOL_KEY"], undefined]);
    expect(spans[0]?.attributes).toMatchObject({
      "http.request.method": "POST",
      "http.response.status_code": 200,
      "centspan.verdict": "ok",
    });
    const told = spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]);
    expect(JSON.stringify(told)).not.toContain(SECRET);
  });

  it("is never one of the gateway's own, and is refused like a tunnel", async () => {
    const proxy = await openProxy({ hosts: ["other.example"] });
    const trace = createTrace();
    const headers = { traceparent: trace.traceparent };
    const refused = await ask(proxy, `${proxy.url}/health`, { headers, proxyTunnel: false });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, "egress_refused"]);
    const unknown = ask(proxy, `${proxy.url}/health`, { token: "Bearer nobody", proxyTunnel: false });
    await expect(unknown).rejects.toThrow("Proxy Authentication Required (407)");
    expect(await readSpan(trace.traceId)).toMatchObject({
      name: "egress 127.0.0.1",
      attributes: { "centspan.verdict": "egress_refused", "http.request.method": "GET" },
    });
  });

  it.each([
    ["is not set", "EGRESS_ABSENT", "EGRESS_ABSENT"],
    ["can't stand in a header", "EGRESS_BROKEN", "EGRESS_BROKEN holds"],
  ])("is refused where its secret %s, before the host is asked", async (_why, variable, message) => {
    const host = await startHost();
    const hosts = [`127.0.0.1:${host.port}`];
    const secrets = [{ placeholder: "TOOL_KEY", variable, hosts }];
    const proxy = await openProxy({ hosts, secrets }, environment);
    const address = `http://${hosts[0]}/`;
    const refused = await ask(proxy, address, { headers: { "x-key": "TOOL_KEY" }, proxyTunnel: false });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining(message)]);
    expect((await ask(proxy, address, { headers: { "x-key": "none" }, proxyTunnel: false })).status).toBe(200);
    expect(host.seen.length).toBe(1);
  });

  it("keeps the end of its body where the client put it, whatever its method", async () => {
    const host = await startHost();
    const proxy = await openProxy({ hosts: [`127.0.0.1:${host.port}`] });
    const hidden = "GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n";
    const lines = [
      `DELETE http://127.0.0.1:${host.port}/a HTTP/1.1`,
      "host: elsewhere.example",
      `proxy-authorization: Bearer ${proxy.secret}`,
      "transfer-encoding: chunked",
      "connection: close, x-hop",
      "x-hop: 1",
    ];
    const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
    socket.write(`${lines.join("\r\n")}\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`);
    await once(socket.resume(), "close");
    expect(host.seen).toMatchObject([{ url: "/a", body: hidden, headers: { host: `127.0.0.1:${host.port}` } }]);
    expect(host.seen[0]?.headers).not.toHaveProperty("x-hop");
  });

  it("says so when the host breaks off, before its answer or within it", async () => {
    const before = await startSocketHost((socket) => socket.once("data", () => socket.destroy()));
    const within = await startSocketHost((socket) =>
      socket.once("data", () =>
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", () => socket.destroy()),
      ),
    );
    const proxy = await openProxy({ hosts: [`127.0.0.1:${before}`, `127.0.0.1:${within}`] });
    const answer = await ask(proxy, `http://127.0.0.1:${before}/`, { proxyTunnel: false });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([502, "host_unreachable"]);
    await expect(ask(proxy, `http://127.0.0.1:${within}/`, { proxyTunnel: false })).rejects.toThrow();
  });
});
