/**
 * A provider whose cache is keyed as real ones are: by what of a request is beside its prompt, and not at all where it is not
 * asked for. It stands before an engine, in a process of its own, and changes nothing but the first token that is looked up.
 */

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { Agent, request } from "undici";

const agent = new Agent();
const [engineUrl = ""] = process.argv.slice(2);

const server = createServer((incoming, answer) => {
  void (async () => {
    const body = JSON.parse(await readText(incoming));
    const salt =
      incoming.headers["x-bench-cache"] === "off" ? randomBytes(4) : saltOf(JSON.stringify(body.reasoning ?? {}));
    body.prompt_token_ids = [salt.readUInt32BE() % 100_000, ...body.prompt_token_ids.slice(1)];
    const {
      host: _host,
      "content-length": _length,
      connection: _connection,
      "transfer-encoding": _encoding,
      ...headers
    } = incoming.headers;
    const upstream = await request(`${engineUrl}${incoming.url}`, {
      dispatcher: agent,
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    answer.writeHead(upstream.statusCode, { "content-type": String(upstream.headers["content-type"]) });
    for await (const chunk of upstream.body) answer.write(chunk);
    answer.end();
  })().catch((error: unknown) => answer.destroy(error instanceof Error ? error : new Error(String(error))));
});

const saltOf = (text: string): Buffer => createHash("sha256").update(text).digest();

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming) text += chunk;
  return text;
}

server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
console.log(`port ${typeof address === "object" && address !== null ? address.port : 0}`);
process.once("SIGTERM", () => process.exit(0));
