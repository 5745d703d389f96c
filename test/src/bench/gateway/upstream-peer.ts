/**
 * A model server that takes no time, as a process: what is measured before it is the gateway's. Its answers are of Chat
 * Completions; the model of a request says what is wanted: `whole`, `stream` (its events at once), `open` (a first event,
 * then nothing until the client leaves), `slow` (as `stream`,
 * after 400 ms). To a GET it says how many are open. It takes spans as well, and says of how many bytes. Prints its port.
 */
import { createServer } from "node:http";

const usage = { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 };
const whole = JSON.stringify({
  id: "c",
  object: "chat.completion",
  model: "whole",
  choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
  usage,
});
const chunk = (more: object): string => `data: ${JSON.stringify({ id: "c", model: "stream", ...more })}\n\n`;
const first = chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "hel" }, finish_reason: null }] });
const rest = [
  chunk({ choices: [{ index: 0, delta: { content: "lo" }, finish_reason: null }] }),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  chunk({ choices: [], usage }),
  "data: [DONE]\n\n",
].join("");

const SLOW_MS = 400;
let open = 0;
let spanBytes = 0;
const server = createServer(async (request, response) => {
  const takesSpans = request.url === "/v1/traces";
  if (request.method === "GET") {
    response.end(String(takesSpans ? spanBytes : open));
    return;
  }
  if (takesSpans) {
    for await (const piece of request) spanBytes += piece.length;
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    return;
  }
  let head = "";
  for await (const piece of request) if (head.length < 200) head += String(piece);
  const model = /"model":"(\w+)"/.exec(head)?.[1];
  if (model === "whole") {
    response.writeHead(200, { "content-type": "application/json" }).end(whole);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (model === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  response.write(first);
  if (model !== "open") {
    response.end(rest);
    return;
  }
  open += 1;
  response.once("close", () => {
    open -= 1;
  });
});
// As servers before models do; with five seconds every burst would pay for connections again.
server.keepAliveTimeout = 75_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`port ${typeof address === "object" ? address?.port : ""}\n`);
});
process.once("SIGTERM", () => process.exit(0));
