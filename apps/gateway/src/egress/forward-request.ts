/**
 * A request that names its whole address, `GET http://host/path`, passed on to that host with its secrets, and the answer
 * passed back as it comes. An address of https is asked over TLS, which begins here.
 * Must not: send headers that are meant for the gateway; let a client say where a body ends in two ways.
 */
import { type ClientRequest, type IncomingMessage, type ServerResponse, request as startRequest } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { CentspanError } from "@centspan/base";
import { type EgressTarget, readHostPort } from "@centspan/model";
import { selectResponseHeaders } from "../upstream/upstream.ts";
import { createHider, hideSecrets, type Placed } from "./hide-secrets.ts";
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

type Forwarded = { socket: Socket; path: string; headers: Headers; placed: Placed; idleMs: number };

/** `socket` is connected to the host, `placed` are the secrets in the headers. Returns once the answer has gone to the client. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { socket, path, headers, placed, idleMs }: Forwarded,
): Promise<void> {
  const method = request.method ?? "GET";
  socket.setTimeout(idleMs, () => socket.destroy());
  // Compressed, an answer could not be searched for secrets.
  const plain = placed.size === 0 ? {} : { "accept-encoding": "identity" };
  try {
    const outgoing = startRequest({
      method,
      path,
      headers: { ...headers, ...plain },
      setHost: false,
      createConnection: () => socket,
    });
    // A client that has given up waits for nothing: its place is another one's.
    response.once("close", () => socket.destroy());
    // An answer may come before all was sent; where none comes, that says why.
    pipeline(request, outgoing).catch(() => undefined);
    await passAnswer(await awaitAnswer(outgoing), response, placed);
  } catch (cause) {
    if (cause instanceof CentspanError) throw cause;
    const message = "host: broke off before its answer was complete";
    throw new CentspanError("host_unreachable", message, { field: "host", cause });
  } finally {
    socket.destroy();
  }
}

const awaitAnswer = (outgoing: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
    // Nothing else would come of it: Node gives the connection away, and says no more.
    outgoing.once("upgrade", () => reject(new Error("switched to a protocol that it was not asked for")));
  });

async function passAnswer(answer: IncomingMessage, response: ServerResponse, placed: Placed): Promise<void> {
  const { statusCode = 502 } = answer;
  const headers = selectResponseHeaders(answer.headers);
  if (placed.size === 0) {
    response.writeHead(statusCode, headers).flushHeaders();
    return pipeline(answer, response);
  }
  if ((answer.headers["content-encoding"] ?? "identity") !== "identity") {
    const message = "host: its answer is compressed, although it was asked not to, and can't be searched for secrets";
    throw new CentspanError("host_unreachable", message, { field: "content-encoding" });
  }
  // Another length may be that of what is sent.
  const { "content-length": _length, ...rest } = headers;
  const hide = (value: string): string => hideSecrets(value, placed);
  const hidden = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === "string" ? hide(value) : value.map(hide),
  ]);
  response.writeHead(statusCode, Object.fromEntries(hidden)).flushHeaders();
  return pipeline(answer, createHider(placed), response);
}
