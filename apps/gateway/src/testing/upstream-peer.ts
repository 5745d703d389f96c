/** For tests only: an OpenAI-compatible server across the network, that answers as each test tells it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type PeerRequest = { method: string; url: string; headers: IncomingMessage["headers"]; body: string };
export type Answer = (response: ServerResponse, request: PeerRequest) => void | Promise<void>;

export type UpstreamPeer = {
  url: string;
  requests: PeerRequest[];
  /** How many answers that were told last lost their connection before they were complete. */
  cancelled(): number;
  answer(answer: Answer): void;
  close(): Promise<void>;
};

export async function startUpstreamPeer(): Promise<UpstreamPeer> {
  const requests: PeerRequest[] = [];
  // A new one with each `answer`: what an earlier test left open may lose its connection at any time.
  let count = { cancelled: 0 };
  let answer: Answer = (response) => void response.writeHead(500).end();
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const { method = "", url = "", headers } = message;
    const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
    requests.push(request);
    const told = count;
    response.once("close", () => {
      if (!response.writableFinished) told.cancelled += 1;
    });
    await answer(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    cancelled: () => count.cancelled,
    answer(next) {
      requests.length = 0;
      count = { cancelled: 0 };
      answer = next;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const event = (data: unknown): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

export const RESPONSES_USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 64 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 112,
};
const RESPONSE = { id: "resp_1", object: "response", model: "m-2026", service_tier: "default" };

export const RESPONSES_EVENTS = {
  created: `event: response.created\n${event({ type: "response.created", response: { ...RESPONSE, status: "in_progress" } })}`,
  delta: `event: response.output_text.delta\n${event({ type: "response.output_text.delta", delta: "héllo 한" })}`,
  completed: `event: response.completed\n${event({
    type: "response.completed",
    response: { ...RESPONSE, status: "completed", output: [{ type: "message" }], usage: RESPONSES_USAGE },
  })}`,
};

const chunk = (fields: object): string =>
  event({ id: "chatcmpl_1", object: "chat.completion.chunk", model: "m-2026", ...fields });

export const CHAT_EVENTS = {
  role: chunk({ choices: [{ index: 0, delta: { role: "assistant" }, finish_reason: null }] }),
  delta: chunk({ choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }] }),
  finish: chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  usage: chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }),
  done: event("[DONE]"),
};

const named = (data: { type: string; [field: string]: unknown }): string => `event: ${data.type}\n${event(data)}`;

const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "m-2026", content: [] };
/** As it is known at the beginning: 30 tokens beside 100 read from the cache and 60 written to it, 40 of these for an hour. */
export const MESSAGES_USAGE = {
  input_tokens: 30,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 60,
  cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 40 },
  output_tokens: 1,
  service_tier: "standard",
};
export const startMessage = (usage: object): string => named({ type: "message_start", message: { ...MESSAGE, usage } });
export const endMessage = (usage: object): string =>
  named({ type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage });

const tool = { type: "tool_use", id: "toolu_1", name: "Bash", input: {} };
export const MESSAGES_EVENTS = {
  start: startMessage(MESSAGES_USAGE),
  ping: named({ type: "ping" }),
  block: named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  delta: named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "héllo 한" } }),
  blockEnd: named({ type: "content_block_stop", index: 0 }),
  call: named({ type: "content_block_start", index: 1, content_block: tool }),
  input: named({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "{}" } }),
  callEnd: named({ type: "content_block_stop", index: 1 }),
  end: endMessage({ output_tokens: 25, output_tokens_details: { thinking_tokens: 5 } }),
  stop: named({ type: "message_stop" }),
};
export const MESSAGES_ERROR = named({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
export const WHOLE_MESSAGE = {
  ...MESSAGE,
  content: [{ type: "text", text: "hi" }],
  stop_reason: "end_turn",
  usage: { ...MESSAGES_USAGE, output_tokens: 7 },
};

export const startStream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_1" });
