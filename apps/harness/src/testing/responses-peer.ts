/**
 * A model server for tests: answers Responses requests from a function, over a WebSocket, as an event stream cut into
 * chunks of any size or in one piece, and can fail first in the ways that real ones do. It is a network peer, so nothing
 * of ours is replaced by it.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import type { TransportKind } from "../transport/turn.ts";
import { listenOnLoopback } from "./listen.ts";

/** Arguments that are a text are sent as it is, JSON or not. */
export type PlannedCall = { tool: string; args: unknown };
export type PlannedTurn = { say?: string; calls?: PlannedCall[] };

/** `cut` closes the connection in the middle of the stream. */
export type PlannedFailure =
  | { status: number; retryAfter?: string; code?: string }
  | { cut: true }
  | { event: unknown };

/** As it came: a schema's output may order its members differently. */
const itemSchema = z.custom<{ type: string; [member: string]: unknown }>(
  (item) => typeof Object(item).type === "string",
);
const bodySchema = z.looseObject({
  model: z.string(),
  input: z.array(itemSchema),
  stream: z.boolean().optional(),
});
const messageSchema = bodySchema.extend({
  type: z.literal("response.create"),
  previous_response_id: z.string().optional(),
  client_metadata: z.record(z.string(), z.string()),
});
export type ReceivedBody = z.infer<typeof bodySchema>;
/** `body` holds the whole input; `raw` is what came. */
export type Received = {
  kind: TransportKind;
  raw: string;
  body: ReceivedBody;
  headers: IncomingHttpHeaders;
  connection: number;
};

export type PeerOptions = {
  /** `turn` counts from 0: how often the model has answered in this conversation. */
  answer(turn: number, body: ReceivedBody): PlannedTurn;
  /** Taken one by one, before any answer. */
  failures?: PlannedFailure[];
  chunkBytes?: number;
  /** Input tokens to report; 100 when absent. */
  countTokens?(body: ReceivedBody): number;
  /** What the server speaks; all when absent. */
  speaks?: readonly TransportKind[];
};

export type ResponsesPeer = {
  url: string;
  received: Received[];
  hints: unknown[];
  /** What still goes wrong; more can be added. */
  failures: PlannedFailure[];
  /** Ends all WebSockets, as a proxy does that grows tired of them. */
  dropSockets(): void;
  close(): Promise<void>;
};

type Peer = PeerOptions &
  Pick<ResponsesPeer, "received" | "hints" | "failures"> & { connectionOf(socket: unknown): number };

export async function startResponsesPeer(options: PeerOptions): Promise<ResponsesPeer> {
  const connections = new Map<unknown, number>();
  const peer: Peer = {
    ...options,
    failures: [...(options.failures ?? [])],
    received: [],
    hints: [],
    connectionOf(socket) {
      const connection = connections.get(socket) ?? connections.size;
      connections.set(socket, connection);
      return connection;
    },
  };
  const server = createServer((request, response) => void serveHttp(peer, request, response));
  const sockets = serveWebSockets(peer, server);
  const dropSockets = (): void => {
    for (const socket of sockets.clients) socket.terminate();
  };
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    received: peer.received,
    hints: peer.hints,
    failures: peer.failures,
    dropSockets,
    async close() {
      dropSockets();
      await close();
    },
  };
}

const speaks = (peer: Peer, kind: TransportKind): boolean => peer.speaks?.includes(kind) ?? true;

async function serveHttp(peer: Peer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const raw = Buffer.concat(await request.toArray()).toString("utf8");
  const route = `${request.method} ${request.url}`;
  if (route === "POST /v1/hints") {
    peer.hints.push(JSON.parse(raw));
    response.writeHead(204).end();
    return;
  }
  if (route !== "POST /v1/responses") return refuse(response, 404, `no route ${route}`);
  const body = bodySchema.parse(JSON.parse(raw));
  const kind = body.stream === true ? "sse" : "http";
  if (!speaks(peer, kind)) return refuse(response, 400, `stream: ${body.stream} is not supported`);
  const received = {
    kind,
    raw,
    body,
    headers: request.headers,
    connection: peer.connectionOf(request.socket),
  } as const;
  const { id, events, response: whole } = planAnswer(peer, received);
  const failure = peer.failures.shift();
  if (failure) return failHttp(response, failure, Buffer.from(formatEvents(events)));
  if (kind === "http") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...whole, id }));
    return;
  }
  const stream = Buffer.from(formatEvents(events));
  await writeChunks(response, stream, peer.chunkBytes ?? stream.byteLength);
  response.end();
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status).end(JSON.stringify({ error: { message } }));
}

function serveWebSockets(peer: Peer, server: Server): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, duplex, head) => {
    if (speaks(peer, "websocket") && request.url === "/v1/responses") {
      sockets.handleUpgrade(request, duplex, head, (socket) => serveSocket(peer, socket, request.headers));
    } else duplex.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
  });
  return sockets;
}

function serveSocket(peer: Peer, socket: WebSocket, upgradeHeaders: IncomingHttpHeaders): void {
  let latest: { id: string; items: ReceivedBody["input"] } | null = null;
  socket.on("message", (data) => {
    const raw = String(data);
    const message = messageSchema.parse(JSON.parse(raw));
    const { previous_response_id: previousId, client_metadata: metadata } = message;
    if (previousId !== undefined && previousId !== latest?.id) {
      const error = { code: "previous_response_not_found", message: `no response ${previousId}` };
      socket.send(JSON.stringify({ type: "error", status: 400, error }));
      return;
    }
    const input = [...(previousId === undefined ? [] : (latest?.items ?? [])), ...message.input];
    latest = null;
    const headers = { ...upgradeHeaders, ...metadata };
    const connection = peer.connectionOf(socket);
    const { id, events, items } = planAnswer(peer, {
      kind: "websocket",
      raw,
      body: { ...message, input },
      headers,
      connection,
    });
    const failure = peer.failures.shift();
    if (failure) return failSocket(socket, failure, events);
    latest = { id, items: [...input, ...items] };
    for (const event of events) socket.send(JSON.stringify(event));
  });
}

function planAnswer(peer: Peer, received: Received) {
  peer.received.push(received);
  const id = `resp_${peer.received.length}`;
  const inputTokens = peer.countTokens?.(received.body) ?? INPUT_TOKENS;
  return { id, ...describeAnswer(id, peer.answer(countTurns(received.body), received.body), inputTokens) };
}

/** Items of the model come in runs; each run is one turn. */
function countTurns(body: ReceivedBody): number {
  const ofModel = body.input.map((item) => item.type === "function_call" || item.role === "assistant");
  return ofModel.filter((own, index) => own && ofModel[index - 1] !== true).length;
}

const EVENT_STREAM = { "content-type": "text/event-stream" };

const describeFailure = (code = "planned") => ({ error: { message: "planned failure", code } });

function failHttp(response: ServerResponse, failure: PlannedFailure, stream: Buffer): void {
  if ("status" in failure) {
    const headers = failure.retryAfter === undefined ? {} : { "retry-after": failure.retryAfter };
    response.writeHead(failure.status, headers).end(JSON.stringify(describeFailure(failure.code)));
  } else if ("cut" in failure) {
    response.writeHead(200, EVENT_STREAM);
    response.write(stream.subarray(0, stream.byteLength / 2), () => response.destroy());
  } else {
    response.writeHead(200, EVENT_STREAM).end(formatEvents([failure.event]));
  }
}

function failSocket(socket: WebSocket, failure: PlannedFailure, events: readonly object[]): void {
  if ("status" in failure) {
    socket.send(JSON.stringify({ type: "error", status: failure.status, ...describeFailure(failure.code) }));
  } else if ("cut" in failure) {
    for (const event of events.slice(0, -1)) socket.send(JSON.stringify(event));
    socket.close();
  } else {
    socket.send(JSON.stringify(failure.event));
  }
}

async function writeChunks(response: ServerResponse, stream: Buffer, chunkBytes: number): Promise<void> {
  response.writeHead(200, EVENT_STREAM);
  for (let at = 0; at < stream.byteLength; at += chunkBytes) {
    await new Promise<void>((resolve) => response.write(stream.subarray(at, at + chunkBytes), () => resolve()));
  }
}

const formatEvents = (events: readonly unknown[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

export const formatStream = (id: string, turn: PlannedTurn): string => formatEvents(describeAnswer(id, turn).events);

const INPUT_TOKENS = 100;

function describeAnswer(id: string, turn: PlannedTurn, inputTokens = INPUT_TOKENS) {
  const message = { id: `msg_${id}`, type: "message", role: "assistant", status: "completed" };
  const calls = (turn.calls ?? []).map((call, index) => ({
    id: `fc_${id}_${index}`,
    type: "function_call",
    call_id: `call_${id}_${index}`,
    name: call.tool,
    arguments: typeof call.args === "string" ? call.args : JSON.stringify(call.args),
    status: "completed",
  }));
  const say = turn.say === undefined ? [] : [{ ...message, content: [{ type: "output_text", text: turn.say }] }];
  const items = [...say, ...calls];
  const usage = { input_tokens: inputTokens, input_tokens_details: { cached_tokens: 60 }, output_tokens: 20 };
  const response = { id, status: "completed", output: items, usage };
  const events = [
    { type: "response.created", response: { id, status: "in_progress" } },
    ...items.map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
    { type: "response.completed", response },
  ];
  return { items, events, response };
}
