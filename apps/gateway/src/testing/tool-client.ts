/** For tests only: tools that go out through a gateway, and the hosts that they go to. */
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingHttpHeaders } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import type { EgressRules } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import { ProxyAgent, request } from "undici";
import { afterAll, beforeAll } from "vitest";
import type { EgressSettings } from "../egress/serve-egress.ts";
import { createTrace, openTestGateway, type TestGateway } from "./open-test-gateway.ts";

const closing: (() => unknown)[] = [];

/** Opens the gateway of a file's tests, and closes it behind them with all hosts and connections. */
export function shareGateway(use: (opened: TestGateway) => void): void {
  beforeAll(async () => {
    const test = await openTestGateway();
    closing.push(() => test.close());
    use(test);
  });
  afterAll(() => Promise.all(closing.splice(0).map((close) => close())));
}

/** A host of tools that says what it was asked. */
export async function startHost() {
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

/** A host that speaks no protocol in particular. */
export async function startSocketHost(serve: (socket: Socket) => void): Promise<number> {
  return listenOn(createServer({ allowHalfOpen: true }, (socket) => serve(socket.on("error", () => undefined))));
}

export async function listenOn(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A gateway with these settings, and a key of it with these rules. */
export async function openProxy(test: TestGateway, egress: EgressRules | null, settings: EgressSettings = {}) {
  const { secret, keyId } = await test.createKey("gateway", egress ? { egress } : {});
  return { url: await test.open({ egress: settings }), keyId, secret };
}
export type ToolProxy = { url: string; secret: string };

export const basic = (secret: string): string => `Basic ${Buffer.from(`tool:${secret}`).toString("base64")}`;

/** What a tool asks, in a tunnel unless told otherwise. */
export async function ask(proxy: ToolProxy, url: string, options: Asked = {}) {
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
export async function tunnel({ url, secret }: ToolProxy, authority: string, headers: Record<string, string> = {}) {
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

export const readSpan = (test: TestGateway, traceId: string) =>
  waitUntil("the span", async () => (await test.readAllSpans(traceId)).find(({ name }) => name.startsWith("egress ")));
