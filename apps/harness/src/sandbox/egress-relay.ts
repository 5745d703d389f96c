/**
 * The way out of a sandbox: a socket whose requests go on to the gateway's proxy, with the gateway key that no program
 * sees. The gateway decides which hosts may be reached and puts secrets in place of placeholders; here each way out is
 * noted for the run's log.
 * Must not: look further than the head of a connection's first request.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { SOCKET_NAME } from "./egress-forwarder.ts";

export type EgressNote = {
  method: string;
  host: string;
  status: number | null;
  sentBytes: number;
  receivedBytes: number;
};

export type EgressRelay = { folder: string; close(): Promise<void> };

export type RelayOptions = {
  gatewayUrl: string;
  gatewayKey: string;
  /** Whose work it is, and its trace. */
  headers: Readonly<Record<string, string>>;
  onPassage(note: EgressNote): void;
};

const MAX_HEAD_BYTES = 64 * 1024;
const END_OF_HEAD = "\r\n\r\n";

export async function openEgressRelay(options: RelayOptions): Promise<EgressRelay> {
  // Not in the run's folder: the path of a socket has to be short.
  const folder = await mkdtemp(join(tmpdir(), "centspan-"));
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on("error", () => client.destroy());
    client.once("close", () => open.delete(client));
    void readHead(client).then((head) => (head === null ? client.destroy() : passOn(client, head, options)));
  });
  const path = join(folder, SOCKET_NAME);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  // Programs of a sandbox run as somebody else.
  await chmod(folder, 0o711);
  await chmod(path, 0o666);
  return {
    folder,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The bytes up to the end of the first request's head and what came with them; null where there is none. */
function readHead(client: Socket): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.includes(END_OF_HEAD)) done(bytes);
      else if (bytes.length > MAX_HEAD_BYTES) done(null);
    };
    const leave = (): void => done(null);
    const done = (head: Buffer | null): void => {
      client.off("data", take).off("close", leave).pause();
      resolve(head);
    };
    client.on("data", take).once("close", leave);
  });
}

/** What a program says of these is not passed on. */
const OURS = /^(proxy-authorization|proxy-connection|connection|traceparent|tracestate|x-centspan-[^:]*):/i;

const connectTo = ({ protocol, hostname, port }: URL): Socket =>
  protocol === "https:"
    ? connectTls({ host: hostname, port: Number(port || 443), servername: hostname })
    : connect(Number(port || 80), hostname);

/** One connection carries one request: the next could be for another host, with a head that nobody would see. */
function passOn(client: Socket, bytes: Buffer, options: RelayOptions): void {
  const at = bytes.indexOf(END_OF_HEAD);
  const [first = "", ...lines] = bytes.subarray(0, at).toString("latin1").split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const kept = lines.filter((line) => !OURS.test(line));
  const own = {
    ...options.headers,
    "proxy-authorization": `Basic ${Buffer.from(`centspan:${options.gatewayKey}`).toString("base64")}`,
    ...(method !== "CONNECT" && { connection: "close" }),
  };
  const head = [first, ...kept, ...Object.entries(own).map(([name, value]) => `${name}: ${value}`)].join("\r\n");
  const gateway = connectTo(new URL(options.gatewayUrl));
  let status: number | null = null;
  gateway.once("data", (chunk: Buffer) => {
    status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(chunk.toString("latin1", 0, 16))?.[1] ?? Number.NaN) || null;
  });
  gateway.once("close", () => {
    const { bytesWritten: sentBytes, bytesRead: receivedBytes } = gateway;
    options.onPassage({ method, host: hostOf(target), status, sentBytes, receivedBytes });
    // With what is still on its way to it.
    client.end();
  });
  gateway.on("error", () => client.destroy());
  client.once("close", () => gateway.destroy());
  gateway.write(head + END_OF_HEAD, "latin1");
  gateway.write(bytes.subarray(at + END_OF_HEAD.length));
  client.pipe(gateway).pipe(client);
}

/** Host and port of `CONNECT host:port` or `GET http://host/path`. */
const hostOf = (target: string): string => /^(?:https?:\/\/)?([^/?#]*)/i.exec(target)?.[1] ?? "";
