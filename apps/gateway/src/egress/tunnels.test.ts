import { once } from "node:events";
import { connect, createServer } from "node:net";
import { waitUntil } from "@centspan/testing";
import { describe, expect, it } from "vitest";
import { createTrace, openTestGateway, type TestGateway } from "../testing/open-test-gateway.ts";
import {
  ask,
  basic,
  listenOn,
  openProxy,
  readSpan,
  shareGateway,
  startHost,
  startSocketHost,
  tunnel,
} from "../testing/tool-client.ts";
import type { EgressSettings } from "./serve-egress.ts";

let test: TestGateway;
shareGateway((opened) => {
  test = opened;
});

describe("a tunnel", () => {
  it("leads to a host that the key's rule names, and its span says what went through it", async () => {
    const host = await startHost();
    const proxy = await openProxy(test, { hosts: [`127.0.0.1:${host.port}`] });
    const trace = createTrace();
    const answer = await ask(proxy, `http://127.0.0.1:${host.port}/x`, { method: "POST", body: "hello", trace });
    expect(answer).toMatchObject({ status: 200, text: "got hello", headers: { "x-host": "yes" } });
    const span = await readSpan(test, trace.traceId);
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
    const { status, rest } = await tunnel(await openProxy(test, rules, { resolve }), authority, {
      traceparent: trace.traceparent,
    });
    expect([status, JSON.parse(rest).code]).toEqual([code === "invalid_request" ? 400 : 403, code]);
    expect(asked).toEqual([]);
    expect(await readSpan(test, trace.traceId)).toMatchObject({
      name: `egress ${name}`,
      attributes: { "centspan.verdict": code, "error.type": code },
    });
  });

  it.each([
    ["no key", "", 407],
    ["a wrong key", "Bearer cs_gateway_nobody", 407],
  ])("is refused with %s", async (_why, authorization, status) => {
    const proxy = await openProxy(test, { hosts: ["localhost"] });
    const answer = await tunnel(proxy, "localhost:443", { "proxy-authorization": authorization });
    expect(answer.status).toBe(status);
    expect(answer.head).toContain("proxy-authenticate: Basic");
  });

  it("is refused with a key that is not for the gateway, or one that is meant for the host", async () => {
    const proxy = await openProxy(test, { hosts: ["localhost"] });
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
    const proxy = await openProxy(test, { hosts: ["*.example.com"] }, { resolve: async () => found });
    const { status, rest } = await tunnel(proxy, "intern.example.com:443");
    expect([status, JSON.parse(rest).code]).toEqual([403, "egress_refused"]);
    expect(rest).not.toContain(address);
  });

  it("goes to the address that was checked: a name is looked up once", async () => {
    const host = await startHost();
    let lookups = 0;
    const resolve = async () => [{ address: ++lookups === 1 ? "127.0.0.1" : "127.9.9.9", family: 4 }];
    const proxy = await openProxy(test, { hosts: [`localhost:${host.port}`] }, { resolve });
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
    const { url, secret } = await openProxy(test, { hosts: [`127.0.0.1:${port}`] });
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
    const head = `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nproxy-authorization: ${basic(secret)}\r\ntraceparent: ${trace.traceparent}\r\n\r\n`;
    socket.end(`${head}early and late`);
    let text = "";
    for await (const part of socket) text += part;
    expect(text.split("\r\n\r\n")[1]).toBe("EARLY AND LATE");
    const { attributes } = await readSpan(test, trace.traceId);
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
    const { socket, rest } = await tunnel(await openProxy(test, { hosts: [`127.0.0.1:${port}`] }), `127.0.0.1:${port}`);
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
      const proxy = await openProxy(test, { hosts: [`127.0.0.1:${port}`] }, { ...(limits && { limits }) });
      const { socket } = await tunnel(proxy, `127.0.0.1:${port}`, { traceparent: trace.traceparent });
      await once(socket.resume(), "end");
      return (await readSpan(test, trace.traceId)).attributes["centspan.egress.end"];
    };
    expect(await readEnd({ idleMs: 50 })).toBe("idle");
    expect(await readEnd({ maxAgeMs: 50 })).toBe("too_old");
  });

  it("is cut when the gateway stops, which does not wait for it", async () => {
    const port = await startSocketHost((socket) => void socket.resume());
    const other = await openTestGateway();
    const { socket } = await tunnel(await openProxy(other, { hosts: [`127.0.0.1:${port}`] }), `127.0.0.1:${port}`);
    await Promise.all([other.close(), once(socket.resume(), "end")]);
  });

  it("is one of so many that a key may have, and gives its place back", async () => {
    const port = await startSocketHost((socket) => void socket.on("end", () => socket.end()).resume());
    const proxy = await openProxy(test, { hosts: [`127.0.0.1:${port}`] }, { limits: { connectionsPerKey: 1 } });
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
    const closed = await tunnel(await openProxy(test, { hosts: [`127.0.0.1:${port}`] }), `127.0.0.1:${port}`);
    const silent = { resolve: () => new Promise<never>(() => undefined), limits: { handshakeMs: 50 } };
    const late = await tunnel(await openProxy(test, { hosts: ["a.example"] }, silent), "a.example:443");
    expect([closed.status, late.status]).toEqual([502, 502]);
    expect([JSON.parse(closed.rest).detail, JSON.parse(late.rest).detail]).toEqual([
      "host: can't be reached (ECONNREFUSED)",
      "host: can't be reached (no connection in time)",
    ]);
  });
});
