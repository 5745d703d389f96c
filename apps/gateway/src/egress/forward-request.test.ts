import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, request as startRequest } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { waitUntil } from "@centspan/testing";
import { describe, expect, it } from "vitest";
import { createTrace, type TestGateway } from "../testing/open-test-gateway.ts";
import {
  ask,
  listenOn,
  openProxy,
  readSpan,
  shareGateway,
  startHost,
  startSocketHost,
  type ToolProxy,
} from "../testing/tool-client.ts";
import type { EgressSettings } from "./serve-egress.ts";

let test: TestGateway;
shareGateway((opened) => {
  test = opened;
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
    const proxy = await openProxy(test, { hosts: names, secrets: [secretOf(names.slice(0, 1))] }, environment);
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
    const proxy = await openProxy(test, { hosts: ["other.example"] });
    const trace = createTrace();
    const headers = { traceparent: trace.traceparent };
    const refused = await ask(proxy, `${proxy.url}/health`, { headers, proxyTunnel: false });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, "egress_refused"]);
    const unknown = ask(proxy, `${proxy.url}/health`, { token: "Bearer nobody", proxyTunnel: false });
    await expect(unknown).rejects.toThrow("Proxy Authentication Required (407)");
    expect(await readSpan(test, trace.traceId)).toMatchObject({
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
    const proxy = await openProxy(test, { hosts, secrets }, environment);
    const address = `http://${hosts[0]}/`;
    const refused = await ask(proxy, address, { headers: { "x-key": "TOOL_KEY" }, proxyTunnel: false });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining(message)]);
    expect((await ask(proxy, address, { headers: { "x-key": "none" }, proxyTunnel: false })).status).toBe(200);
    expect(host.seen.length).toBe(1);
  });

  it("goes on whatever its path, with a span, and one of the gateway's own that can't be read is refused", async () => {
    const host = await startHost();
    const proxy = await openProxy(test, { hosts: [`127.0.0.1:${host.port}`] });
    const trace = createTrace();
    const answer = await ask(proxy, `http://127.0.0.1:${host.port}/%zz`, { proxyTunnel: false, trace });
    expect([answer.status, host.seen.map(({ url }) => url)]).toEqual([200, ["/%zz"]]);
    expect((await readSpan(test, trace.traceId)).attributes).toMatchObject({ "centspan.verdict": "ok" });
    const own = await fetch(`${proxy.url}/v1/messages/%zz`, { method: "POST" });
    expect([own.status, await own.json()]).toMatchObject([400, { type: "error", error: { param: "path" } }]);
  });

  it("keeps the end of its body where the client put it, whatever its method", async () => {
    const host = await startHost();
    const proxy = await openProxy(test, { hosts: [`127.0.0.1:${host.port}`] });
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
    const proxy = await openProxy(test, { hosts: [`127.0.0.1:${before}`, `127.0.0.1:${within}`] });
    const answer = await ask(proxy, `http://127.0.0.1:${before}/`, { proxyTunnel: false });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([502, "host_unreachable"]);
    await expect(ask(proxy, `http://127.0.0.1:${within}/`, { proxyTunnel: false })).rejects.toThrow();
  });

  it("ends with a host that switches protocols, and with a client that gives up, and each gives its place back", async () => {
    const switching = await startSocketHost((socket) =>
      socket.once("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
      ),
    );
    const seen = { asked: 0, letGo: 0 };
    const silent = await startSocketHost((socket) => {
      socket.on("data", () => seen.asked++).once("end", () => seen.letGo++);
    });
    const hosts = [`127.0.0.1:${switching}`, `127.0.0.1:${silent}`];
    const proxy = await openProxy(test, { hosts }, { limits: { connectionsPerKey: 1 } });
    for (let times = 0; times < 2; times++) {
      const answer = await ask(proxy, `http://${hosts[0]}/`, { proxyTunnel: false });
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([502, "host_unreachable"]);
    }
    for (let times = 1; times <= 2; times++) {
      const headers = { "proxy-authorization": `Bearer ${proxy.secret}` };
      const sent = startRequest(proxy.url, { path: `http://${hosts[1]}/`, headers, agent: false }).end();
      sent.on("error", () => undefined);
      await waitUntil("the host is asked", async () => seen.asked === times);
      sent.destroy();
      await waitUntil("the host is let go", async () => seen.letGo === times);
    }
  });

  it("gets no secret back from a host that repeats what it was sent", async () => {
    const port = await startSocketHost((socket) => {
      socket.once("data", (part) => {
        const length = part.length;
        socket.end(`HTTP/1.1 200 OK\r\nx-echo: ${SECRET}\r\ncontent-length: ${length}\r\n\r\n${part}`);
      });
    });
    const hosts = [`127.0.0.1:${port}`];
    const proxy = await openProxy(test, { hosts, secrets: [secretOf(hosts)] }, environment);
    const headers = { "x-key": "TOOL_KEY", "accept-encoding": "gzip" };
    const answer = await ask(proxy, `http://${hosts[0]}/`, { headers, proxyTunnel: false });
    expect([answer.status, answer.headers["x-echo"]]).toEqual([200, "TOOL_KEY"]);
    expect(answer.text).toContain("x-key: TOOL_KEY\r\n");
    expect(answer.text).toContain("accept-encoding: identity\r\n");
    expect(JSON.stringify(answer)).not.toContain(SECRET);
  });

  it("gets no answer that can't be searched for its secret", async () => {
    const head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nzz";
    const port = await startSocketHost((socket) => void socket.once("data", () => socket.end(head)));
    const hosts = [`127.0.0.1:${port}`];
    const proxy = await openProxy(test, { hosts, secrets: [secretOf(hosts)] }, environment);
    const refused = await ask(proxy, `http://${hosts[0]}/`, { headers: { "x-key": "TOOL_KEY" }, proxyTunnel: false });
    expect([refused.status, JSON.parse(refused.text).field]).toEqual([502, "content-encoding"]);
  });

  it("with https goes over TLS, to a host that proves its name, and to no other", async () => {
    const certificate = makeCertificate("localhost");
    const keys: unknown[] = [];
    const port = await listenOn(
      createTlsServer(certificate, (message, response) => {
        keys.push(message.headers["x-key"]);
        response.end("over TLS");
      }),
    );
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const settings = { ...environment, resolve, trustedCertificates: certificate.cert };
    const hosts = [`localhost:${port}`, `127.0.0.1:${port}`];
    const rules = { hosts, secrets: [secretOf(hosts)] };
    const trusting = await openProxy(test, rules, settings);
    const usual = await openProxy(test, rules, { ...environment, resolve });
    expect(await askWhole(trusting, `https://localhost:${port}/`)).toEqual([200, "over TLS"]);
    expect((await askWhole(trusting, `https://127.0.0.1:${port}/`))[0]).toBe(502);
    expect((await askWhole(usual, `https://localhost:${port}/`))[0]).toBe(502);
    expect(keys).toEqual([SECRET]);
  });
});

/** As `curl --request-target` does: clients know no other way to ask a proxy for https than a tunnel. */
async function askWhole({ url, secret }: ToolProxy, path: string): Promise<[number | undefined, string]> {
  const headers = { "proxy-authorization": `Bearer ${secret}`, "x-key": "TOOL_KEY" };
  const sent = startRequest(url, { path, headers, agent: false }).end();
  const [answer]: IncomingMessage[] = await once(sent, "response");
  return [answer?.statusCode, answer ? await text(answer) : ""];
}

function makeCertificate(name: string): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "centspan-tls-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`, "-days", "2"];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    execFileSync("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", key, "-out", cert], { stdio: "pipe" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
