/**
 * The gateway as a proxy for tools: `CONNECT host:port`, and requests that name their whole address.
 * Limits: connections of a key, time until a connection stands, silence, age of a tunnel.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { CentspanError, toProblem } from "@centspan/base";
import { readHostPort } from "@centspan/model";
import { endSocket } from "../transports/end-socket.ts";
import { carryTunnel, type TunnelLimits } from "./carry-tunnel.ts";
import { forwardRequest, readDestination, selectHeaders } from "./forward-request.ts";
import { describeRefusal, openPassage, type PassageOptions } from "./passage.ts";
import { placeSecrets } from "./place-secrets.ts";
import { type ReachOptions, reachHost } from "./reach-host.ts";

export type EgressLimits = TunnelLimits & { connectionsPerKey: number; handshakeMs: number };

const LIMITS: EgressLimits = {
  connectionsPerKey: 256,
  handshakeMs: 10_000,
  idleMs: 300_000,
  maxAgeMs: 60 * 60 * 1000,
};

export type EgressSettings = Omit<ReachOptions, "handshakeMs"> & {
  /** Value of a variable in the gateway's environment; without it no secret is put in. */
  readSecret?: (variable: string) => string | undefined;
  limits?: Partial<EgressLimits>;
};

export type Egress = {
  /** Answers a request that names its whole address. */
  forward(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Tunnels have no end of their own to wait for: they are cut. */
  close(): Promise<void>;
};

type Service = {
  limits: EgressLimits;
  reach: ReachOptions;
  passages: PassageOptions;
  readSecret: (variable: string) => string | undefined;
  stopped: AbortSignal;
};

export function serveEgress(
  server: Server,
  options: Omit<PassageOptions, "takeConnection"> & { egress?: EgressSettings | undefined },
): Egress {
  const { readSecret = () => undefined, ...settings } = options.egress ?? {};
  const limits = { ...LIMITS, ...settings.limits };
  const stop = new AbortController();
  const service: Service = {
    limits,
    reach: { ...settings, handshakeMs: limits.handshakeMs },
    passages: { ...options, takeConnection: createConnectionCount(limits.connectionsPerKey) },
    readSecret,
    stopped: stop.signal,
  };
  const open = new Set<Promise<void>>();
  server.on("connect", (request: IncomingMessage, _duplex, head: Buffer) => {
    const passing = openTunnel(request, head, service).finally(() => open.delete(passing));
    open.add(passing);
  });
  return {
    forward: (request, response) => passRequest(request, response, service),
    async close() {
      stop.abort();
      await Promise.all(open);
    },
  };
}

function openTunnel(request: IncomingMessage, head: Buffer, service: Service): Promise<void> {
  const { socket, method = "", url = "", headers } = request;
  const { limits, reach, passages, stopped } = service;
  socket.on("error", () => socket.destroy());
  // At once: what comes after the end of a socket that nobody read yet can't be put back.
  if (head.length > 0) socket.unshift(head);
  const read = readHostPort(url);
  const target = read?.port ? { host: read.host, port: read.port } : null;
  const fail = (error: CentspanError): void => endSocket(socket, error, describeRefusal(error), toProblem(error));
  return openPassage({ method, headers, target, fail }, passages, async (passage) => {
    if (stopped.aborted) throw new CentspanError("not_ready", "the gateway is about to stop", { retryAfterS: 1 });
    const host = await reachHost(passage.target, false, reach);
    try {
      passage.note({ "http.response.status_code": 200 });
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      passage.note({ "centspan.egress.end": await carryTunnel(socket, host, { ...limits, stopped }) });
    } finally {
      passage.note(countBytes(host));
    }
  });
}

function passRequest(request: IncomingMessage, response: ServerResponse, service: Service): Promise<void> {
  const { limits, reach, passages, readSecret } = service;
  const { authority, target, isTls, path } = readDestination(request.url ?? "");
  const { method = "", headers } = request;
  const fail = (error: CentspanError): void => {
    if (response.headersSent) return void response.destroy();
    const refusal = describeRefusal(error);
    response.writeHead(refusal.status, refusal.headers).end(JSON.stringify(toProblem(error)));
  };
  return openPassage({ method, headers, target, fail }, passages, async (passage) => {
    const { secrets = [] } = passage.rules;
    const sent = placeSecrets(selectHeaders(request, authority), passage.target, secrets, readSecret);
    const socket = await reachHost(passage.target, isTls, reach);
    try {
      if (sent.placed.size > 0) passage.note({ "centspan.egress.secrets": [...sent.placed.values()] });
      await forwardRequest(request, response, { ...sent, socket, path, idleMs: limits.idleMs });
    } finally {
      const status = response.headersSent ? response.statusCode : undefined;
      passage.note({ ...countBytes(socket), "http.response.status_code": status });
    }
  });
}

const countBytes = (host: Socket) => ({
  "centspan.egress.bytes_sent": host.bytesWritten,
  "centspan.egress.bytes_received": host.bytesRead,
});

function createConnectionCount(connectionsPerKey: number): (keyId: string) => () => void {
  const counts = new Map<string, number>();
  return (keyId) => {
    const count = counts.get(keyId) ?? 0;
    if (count >= connectionsPerKey) {
      const message = `this key has ${connectionsPerKey} connections to hosts open, which is the most`;
      throw new CentspanError("rate_limited", message, { retryAfterS: 10 });
    }
    counts.set(keyId, count + 1);
    return () => {
      const left = (counts.get(keyId) ?? 1) - 1;
      if (left === 0) counts.delete(keyId);
      else counts.set(keyId, left);
    };
  };
}
