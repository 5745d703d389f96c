/**
 * The ClickHouse HTTP interface: takes a request apart, has the engine run it, answers. One exception handler for all.
 * Browser pages are refused: the interface has no cross-site protection of its own, and a local port is in their reach.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Body, bodyAsFile, readBody, removeBodyFiles, wholeBody } from "./body.ts";
import type { Engine } from "./engine.ts";
import { badArguments, ClickHouseException, toClickHouseException } from "./exceptions.ts";
import { parseRequest, type QueryRequest, readForm } from "./request.ts";
import {
  acceptedEncoding,
  MAX_HELD_BYTES,
  type Reply,
  readSummary,
  sendException,
  sendRows,
  sendWhole,
  setFormatHeaders,
  setIdentityHeaders,
  writtenSummary,
} from "./response.ts";
import { parseStatement } from "./statement.ts";

export type HttpOptions = { password: string | undefined; maxBodyBytes: number; isLoopback: boolean };

/** Queries, parameters and settings come in the URL: a server takes 1 MiB of it. */
const MAX_URL_BYTES = 1024 * 1024;
/** Of a query that carries no data to insert, with its parameters. */
const MAX_STATEMENT_BYTES = 64 * 1024 * 1024;

/** `engine` is undefined until it has started: the port is claimed before anything else is touched. */
export function createHttpServer(engine: () => Engine | undefined, options: HttpOptions): Server {
  const server = createServer({ maxHeaderSize: MAX_URL_BYTES, keepAliveTimeout: 10_000 }, (request, response) => {
    const running = engine();
    if (!running) response.writeHead(503, { "Retry-After": "1" }).end("Starting.\n");
    else void handle(request, response, running, options);
  });
  // Long streamed inserts are allowed; the headers still have their own time limit.
  server.requestTimeout = 0;
  return server;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  engine: Engine,
  options: HttpOptions,
): Promise<void> {
  const reply: Reply = {
    response,
    version: engine.version,
    encoding: undefined,
    startedNs: process.hrtime.bigint(),
  };
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("The client is gone")));
  try {
    refuseBrowsers(request, options.isLoopback);
    if (answerHealth(request, response)) return;
    await answerQuery(request, reply, engine, options, gone.signal);
  } catch (error) {
    if (gone.signal.aborted) return;
    if (response.headersSent) response.destroy();
    else sendException(reply, toClickHouseException(error));
    // What is left of a body that was refused is not waited for.
    if (!request.complete) response.once("finish", () => request.destroy());
  }
}

async function answerQuery(
  request: IncomingMessage,
  reply: Reply,
  engine: Engine,
  options: HttpOptions,
  signal: AbortSignal,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "POST") {
    throw badArguments(`Method ${request.method} is not GET or POST`);
  }
  const query = parseRequest(request);
  setIdentityHeaders(reply.response, query.queryId, engine.timezone);
  reply.encoding = acceptedEncoding(request, query.wantsCompression);
  authenticate(query, options.password);
  const file = engine.workFile();
  try {
    const body = await readBody(request, file, options.maxBodyBytes);
    const contentType = request.headers["content-type"] ?? "";
    if (contentType.startsWith("multipart/form-data")) {
      await readForm(query, contentType, await wholeBody(body, file, MAX_STATEMENT_BYTES));
      await run(query, { size: 0, head: Buffer.alloc(0), inFile: false }, file, reply, engine, signal);
    } else await run(query, body, file, reply, engine, signal);
  } finally {
    await removeBodyFiles(file);
  }
}

async function run(
  query: QueryRequest,
  body: Body,
  file: string,
  reply: Reply,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  // The URL's query and the body are one text, as on a server.
  const prefix = Buffer.from(query.urlQuery && body.size > 0 ? `${query.urlQuery}\n` : query.urlQuery);
  const statement = parseStatement(Buffer.concat([prefix, body.head]).toString("latin1"));
  if (statement.kind === "insert") {
    const dataFile = await bodyAsFile(body, file, Math.max(0, statement.dataStart - prefix.length));
    const result = await engine.insert(query, statement, dataFile, signal);
    return sendWhole(reply, Buffer.alloc(0), writtenSummary(result));
  }
  if (body.inFile) {
    const head = await wholeBody(body, file, MAX_STATEMENT_BYTES);
    return run(query, { ...body, head, inFile: false }, file, reply, engine, signal);
  }
  if (statement.kind === "command") {
    const result = await engine.command(query, statement, signal);
    const rows = result.bytes();
    if (rows.length > 0) setFormatHeaders(reply.response, statement.format ?? query.defaultFormat);
    return sendWhole(reply, rows, readSummary(result));
  }
  setFormatHeaders(reply.response, statement.format ?? query.defaultFormat);
  const holdBytes = query.waitEndOfQuery ? MAX_HELD_BYTES + 1 : query.bufferBytes;
  return engine.output(query, statement, signal, (rows, finished) =>
    sendRows(reply, rows, finished, holdBytes, signal),
  );
}

function answerHealth(request: IncomingMessage, response: ServerResponse): boolean {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  const isHealth = pathname === "/ping" || pathname === "/replicas_status";
  if (isHealth || (pathname === "/" && request.method === "GET" && !searchParams.has("query"))) {
    response.writeHead(200, { "Content-Type": "text/plain; charset=UTF-8" }).end("Ok.\n");
    return true;
  }
  if (pathname === "/") return false;
  response.writeHead(404, { "Content-Type": "text/plain; charset=UTF-8" });
  response.end(`There is no handler for ${pathname}. Use / or /ping.\n`);
  return true;
}

function authenticate(query: QueryRequest, password: string | undefined): void {
  if (query.user === "default" && (password === undefined || query.password === password)) return;
  const message = `${query.user}: Authentication failed: password is incorrect, or there is no user with such name.`;
  throw new ClickHouseException(516, "AUTHENTICATION_FAILED", message);
}

function refuseBrowsers(request: IncomingMessage, isLoopback: boolean): void {
  const { origin, host = "" } = request.headers;
  // Programs send neither, browsers at least one with anything that is not typed into the address bar.
  const isPage = origin !== undefined || request.headers["sec-fetch-site"] !== undefined;
  // Another name for this machine is how a page gets around its origin (DNS rebinding).
  const isRenamed = isLoopback && !/^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host);
  if (!isPage && !isRenamed) return;
  throw new ClickHouseException(
    497,
    "ACCESS_DENIED",
    "Requests from browser pages or under another host name are refused",
  );
}
