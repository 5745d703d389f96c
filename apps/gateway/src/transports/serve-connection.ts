/**
 * One WebSocket: messages in, one answer at a time out, in order. Who sends faster than answers come is not read from.
 * Invariant: what a request may build on is the latest response that was completed on this connection, and nothing else.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { asCentspanError, CentspanError, createId } from "@centspan/base";
import { type ByteBudget, type ByteShare, reportFault } from "@centspan/service";
import type { Tracer } from "@opentelemetry/api";
import type { RawData, WebSocket } from "ws";
import { z } from "zod";
import type { Exchanges } from "../exchanges.ts";
import { readMembers } from "../json-members.ts";
import { type PipelineOptions, runPipeline, warmUp } from "../pipeline.ts";
import { parseJson } from "../protocols/protocol.ts";
import responses from "../protocols/responses.ts";
import { type Arrival, runExchange } from "../run-exchange.ts";
import { type CreateMessage, joinInput, joinItems, readCreateMessage, writeBody } from "./create-message.ts";
import { createDeparture } from "./departure.ts";
import type { LatestResponses } from "./latest-responses.ts";
import { createSocketSink, type SocketClient, waitForRoom, writeErrorMessage } from "./socket-sink.ts";

export type ConnectionOptions = PipelineOptions & {
  tracer: Tracer;
  latest: LatestResponses;
  exchanges: Exchanges;
  bodies: ByteBudget;
  maxAgeMs: number;
  pingEveryMs: number;
  /** How long a client may take nothing of what it is told. */
  maxStallMs?: number;
};

/** Messages that wait for the answer before; beyond them the connection is not read. */
const MAX_QUEUED = 4;
/** In a row. Who sends only what can't be read is not talking to us. */
const MAX_UNREADABLE = 16;
const CLOSE = { goingAway: 1001, refused: 1008 };

export function serveConnection(
  socket: WebSocket,
  upgrade: IncomingMessage,
  options: ConnectionOptions,
): { close(): Promise<void> } {
  const gone = createDeparture();
  const client: SocketClient = {
    socket,
    gone,
    left: new Promise((resolve) => socket.once("close", resolve)),
    ...(options.maxStallMs !== undefined && { maxStallMs: options.maxStallMs }),
  };
  const queue: { text: string; share: ByteShare }[] = [];
  let running: Promise<void> | null = null;
  let unreadable = 0;
  let answered = 0;
  let ending: CentspanError | null = null;

  const run = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !gone.happened; next = queue.shift()) {
      // One read brings many small messages: nothing more is read before most of them are answered.
      if (socket.isPaused && queue.length <= MAX_QUEUED) socket.resume();
      await answer(next.text, next.share.close).finally(next.share.close);
      await waitForRoom(client);
      if (ending !== null) end(ending);
    }
    running = null;
  };

  const answer = async (text: string, bodyIsSent: () => void): Promise<void> => {
    try {
      const message = readCreateMessage(text);
      unreadable = 0;
      await answerMessage({ message, client, upgrade, bodyIsSent, isFirst: answered++ === 0 }, options);
    } catch (thrown) {
      const error = asCentspanError(thrown);
      reportFault(error);
      socket.send(writeErrorMessage(error));
      unreadable += 1;
      if (unreadable >= MAX_UNREADABLE) socket.close(CLOSE.refused, "too many messages that can't be read");
    }
  };

  const letGo = (): void => {
    for (const { share } of queue.splice(0)) share.close();
  };
  const end = (reason: CentspanError): void => {
    socket.send(writeErrorMessage(reason));
    socket.close(CLOSE.goingAway);
    letGo();
  };
  const endSoon = (reason: CentspanError): void => {
    ending = reason;
    if (running === null) end(reason);
  };

  const age = setTimeout(
    () => endSoon(new CentspanError("websocket_connection_limit_reached", "this connection is as old as one may be")),
    options.maxAgeMs,
  );
  const heartbeat = watchHeartbeat(socket, options.pingEveryMs);
  // Not what keeps a process alive.
  age.unref();

  socket.on("message", (data: RawData, isBinary: boolean) => {
    if (ending !== null) return;
    const text = isBinary ? "" : String(data);
    const share = options.bodies.open();
    try {
      share.add(text.length);
    } catch (thrown) {
      endSoon(asCentspanError(thrown));
      return;
    }
    queue.push({ text, share });
    if (queue.length > MAX_QUEUED) socket.pause();
    running ??= run();
  });
  // What the library finds wrong with a frame ends the connection; it says so itself.
  socket.on("error", () => undefined);
  socket.once("close", () => {
    clearTimeout(age);
    clearInterval(heartbeat);
    options.latest.forget(socket);
    gone.tell();
    letGo();
  });

  return {
    async close() {
      endSoon(new CentspanError("websocket_connection_limit_reached", "the gateway is about to stop"));
      await running;
    },
  };
}

/** A peer that vanished without a word is noticed by its silence. */
function watchHeartbeat(socket: WebSocket, everyMs: number): NodeJS.Timeout {
  let isAlive = true;
  socket.on("pong", () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    // Nothing is read from who sends too fast, so nothing is heard from him either.
    if (socket.isPaused) return;
    if (isAlive) {
      isAlive = false;
      socket.ping();
    } else {
      // After a stall, timers come before what has arrived meanwhile: that is read first.
      setImmediate(() => isAlive || socket.terminate());
    }
  }, everyMs);
  return timer.unref();
}

type Incoming = {
  message: CreateMessage;
  client: SocketClient;
  upgrade: IncomingMessage;
  bodyIsSent(): void;
  isFirst: boolean;
};

async function answerMessage(incoming: Incoming, options: ConnectionOptions): Promise<void> {
  const { message, client } = incoming;
  const { socket } = client;
  const { latest } = options;
  let input = "";
  const output: string[] = [];
  const onEvent = (data: string): void => {
    const event = eventSchema.safeParse(parseJson(data)).data;
    if (event?.type === "response.output_item.done") output.push(readMembers(data).get("item") ?? "");
    else if (event?.type === "response.completed" && event.response !== undefined) {
      latest.keep(socket, { id: event.response.id, items: joinItems(input, ...output) });
    }
  };
  const arrival: Arrival = {
    template: "WS {route}",
    protocol: responses,
    query: "",
    headers: mergeHeaders(incoming.upgrade.headers, message.headers),
    async readBody() {
      input = joinInput(message, readBefore(message, latest, socket));
      // Until it is completed there is nothing to build on: a client that was cut off sends everything again.
      latest.forget(socket);
      return writeBody(message, input);
    },
    bodyIsSent: incoming.bodyIsSent,
    sink: createSocketSink(client, onEvent),
    isConnectionReused: !incoming.isFirst,
  };
  const exchanging = runExchange(arrival, options.tracer, async (exchange) => {
    if (message.generates) return runPipeline(exchange, options);
    const { model } = await warmUp(exchange, options);
    const events = describeWarmUp(model);
    exchange.sink.begin({ statusCode: 200, headers: { "content-type": "text/event-stream" } });
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    await exchange.sink.write(bytes);
    exchange.sink.end();
    return bytes.length;
  });
  await options.exchanges.hold(exchanging);
}

const eventSchema = z.looseObject({
  type: z.string(),
  response: z.looseObject({ id: z.string() }).optional().catch(undefined),
});

function readBefore({ previousResponseId: id }: CreateMessage, latest: LatestResponses, socket: WebSocket): string {
  if (id === null) return "";
  const before = latest.find(socket, id);
  if (before !== null) return before.items;
  throw new CentspanError(
    "previous_response_not_found",
    `previous_response_id: ${JSON.stringify(id)} is not the latest response of this connection`,
    { field: "previous_response_id" },
  );
}

/** A response that nobody generated: it can be built on and costs nothing, so it says nothing of usage. */
function describeWarmUp(model: string): { type: string; response: object }[] {
  const response = { id: createId("resp"), object: "response", model, output: [], usage: null };
  return [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    { type: "response.completed", response: { ...response, status: "completed" } },
  ];
}

/** The connection's own are left behind: the request goes on over HTTP. */
const OF_THE_CONNECTION = /^(sec-websocket-.+|upgrade|connection|openai-beta|traceparent|tracestate)$/;

function mergeHeaders(ofConnection: IncomingHttpHeaders, ofMessage: Record<string, string>): IncomingHttpHeaders {
  const kept = Object.entries(ofConnection).filter(([name]) => !OF_THE_CONNECTION.test(name));
  const traceparent = ofMessage.traceparent ?? ofConnection.traceparent;
  return {
    ...Object.fromEntries(kept),
    "content-type": "application/json",
    ...ofMessage,
    ...(traceparent !== undefined && { traceparent }),
  };
}
