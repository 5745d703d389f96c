/**
 * A model server for tests: answers `POST /v1/responses` from a function, as an event stream cut into chunks of any size,
 * and can fail first in the ways that real ones do. It is a network peer, so nothing of ours is replaced by it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { z } from "zod";
import { listenOnLoopback } from "./listen.ts";

export type PlannedCall = { tool: string; args: unknown };
export type PlannedTurn = { say?: string; calls?: PlannedCall[] };

/** `cut` closes the connection in the middle of the stream. */
export type PlannedFailure = { status: number; retryAfter?: string } | { cut: true } | { event: unknown };

const bodySchema = z.looseObject({ model: z.string(), input: z.array(z.looseObject({ type: z.string() })) });
export type ReceivedBody = z.infer<typeof bodySchema>;
export type Received = { raw: string; body: ReceivedBody; headers: IncomingMessage["headers"]; connection: number };

export type PeerOptions = {
  /** `turn` counts from 0: how often the model has answered in this conversation. */
  answer(turn: number, body: ReceivedBody): PlannedTurn;
  /** Taken one by one, before any answer. */
  failures?: PlannedFailure[];
  chunkBytes?: number;
};

export type ResponsesPeer = { url: string; received: Received[]; close(): Promise<void> };

export async function startResponsesPeer(options: PeerOptions): Promise<ResponsesPeer> {
  const received: Received[] = [];
  const failures = [...(options.failures ?? [])];
  const connections = new Map<unknown, number>();
  const server = createServer(async (request, response) => {
    const raw = Buffer.concat(await request.toArray()).toString("utf8");
    const body = bodySchema.parse(JSON.parse(raw));
    const connection = connections.get(request.socket) ?? connections.size;
    connections.set(request.socket, connection);
    received.push({ raw, body, headers: request.headers, connection });
    const turn = countTurns(body);
    const stream = Buffer.from(formatStream(`resp_${received.length}`, options.answer(turn, body)));
    const failure = failures.shift();
    if (failure) return fail(response, failure, stream);
    await writeChunks(response, stream, options.chunkBytes ?? stream.byteLength);
    response.end();
  });
  return { ...(await listenOnLoopback(server)), received };
}

/** Items of the model come in runs; each run is one turn. */
function countTurns(body: ReceivedBody): number {
  const ofModel = body.input.map((item) => item.type === "function_call" || item.role === "assistant");
  return ofModel.filter((own, index) => own && ofModel[index - 1] !== true).length;
}

const EVENT_STREAM = { "content-type": "text/event-stream" };

function fail(response: ServerResponse, failure: PlannedFailure, stream: Buffer): void {
  if ("status" in failure) {
    const headers = failure.retryAfter === undefined ? {} : { "retry-after": failure.retryAfter };
    response.writeHead(failure.status, headers).end(JSON.stringify({ error: { message: "planned failure" } }));
  } else if ("cut" in failure) {
    response.writeHead(200, EVENT_STREAM);
    response.write(stream.subarray(0, stream.byteLength / 2), () => response.destroy());
  } else {
    response.writeHead(200, EVENT_STREAM).end(formatEvent(failure.event));
  }
}

async function writeChunks(response: ServerResponse, stream: Buffer, chunkBytes: number): Promise<void> {
  response.writeHead(200, EVENT_STREAM);
  for (let at = 0; at < stream.byteLength; at += chunkBytes) {
    await new Promise<void>((resolve) => response.write(stream.subarray(at, at + chunkBytes), () => resolve()));
  }
}

const formatEvent = (event: unknown): string => `data: ${JSON.stringify(event)}\n\n`;

export function formatStream(id: string, turn: PlannedTurn): string {
  const message = { id: `msg_${id}`, type: "message", role: "assistant", status: "completed" };
  const calls = (turn.calls ?? []).map((call, index) => ({
    id: `fc_${id}_${index}`,
    type: "function_call",
    call_id: `call_${id}_${index}`,
    name: call.tool,
    arguments: JSON.stringify(call.args),
    status: "completed",
  }));
  const say = turn.say === undefined ? [] : [{ ...message, content: [{ type: "output_text", text: turn.say }] }];
  const items = [...say, ...calls];
  const events = [
    { type: "response.created", response: { id, status: "in_progress" } },
    ...items.map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
    { type: "response.completed", response: { id, status: "completed", output: items } },
  ];
  return events.map(formatEvent).join("");
}
