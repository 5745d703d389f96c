/**
 * A request that names its whole address, `GET http://host/path`, passed on to that host with its secrets, and the answer
 * passed back as it comes. An address of https is asked over TLS, which begins here.
 * Must not: send headers that are meant for the gateway; let a client say where a body ends in two ways.
 */
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, request as startRequest } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { CentspanError } from "@centspan/base";
import { type EgressTarget, readHostPort } from "@centspan/model";
import { selectResponseHeaders } from "../upstream/upstream.ts";
import type { Headers } from "./place-secrets.ts";

/** Where an absolute address leads; null where it is none. */
type Destination = { authority: string; target: EgressTarget | null; isTls: boolean; path: string };

const ABSOLUTE = /^(https?):\/\/([^/?#]*)([^#]*)/i;

export const isAbsolute = (url: string): boolean => ABSOLUTE.test(url);

export function readDestination(url: string): Destination {
  const [, scheme = "", authority = "", rest = ""] = ABSOLUTE.exec(url) ?? [];
  const isTls = scheme.toLowerCase() === "https";
  const read = readHostPort(authority);
  const target = read && { host: read.host, port: read.port ?? (isTls ? 443 : 80) };
  return { authority, target, isTls, path: rest.startsWith("/") ? rest : `/${rest}` };
}

const KEPT_BACK = /^(host|connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade|expect|x-centspan-.+)$/;

/** The client's headers for the host, without those of its connection to us and those that it names as such. */
export function selectHeaders(request: IncomingMessage, authority: string): Headers {
  const named = (request.headers.connection ?? "").toLowerCase().split(/\s*,\s*/);
  const headers: Headers = { host: authority };
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    if (values !== undefined && !KEPT_BACK.test(name) && !named.includes(name)) headers[name] = values;
  }
  const coding = request.headers["transfer-encoding"];
  if (coding === undefined) return headers;
  if (coding.trim().toLowerCase() !== "chunked") {
    const field = "transfer-encoding";
    throw new CentspanError("invalid_request", `${field}: only chunked is passed on`, { field });
  }
  // Said outright, since Node frames no body of methods that usually have none.
  return { ...headers, "transfer-encoding": "chunked" };
}

/** `socket` is connected to the host. Returns once the answer has gone to the client. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { socket, path, headers, idleMs }: { socket: Socket; path: string; headers: Headers; idleMs: number },
): Promise<void> {
  const method = request.method ?? "GET";
  socket.setTimeout(idleMs, () => socket.destroy());
  try {
    const outgoing = startRequest({ method, path, headers, setHost: false, createConnection: () => socket });
    const answered: Promise<IncomingMessage[]> = once(outgoing, "response");
    // An answer may come before all was sent; where none comes, that says why.
    pipeline(request, outgoing).catch(() => undefined);
    const [answer] = await answered;
    response.writeHead(answer?.statusCode ?? 502, answer && selectResponseHeaders(answer.headers));
    response.flushHeaders();
    if (answer !== undefined) await pipeline(answer, response);
  } catch (cause) {
    throw new CentspanError("host_unreachable", "host: broke off before its answer was complete", {
      field: "host",
      cause,
    });
  } finally {
    socket.destroy();
  }
}
