/** The way out of a sandbox without network, to a proxy that stands for the gateway's. Only where namespaces can be had. */
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createNetServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { listenOnLoopback } from "../testing/listen.ts";
import { pollUntil } from "../testing/poll.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { type EgressNote, openEgressRelay } from "./egress-relay.ts";
import { chooseSandbox } from "./open-sandbox.ts";

const searchPath = process.env.PATH ?? "";
const workDir = process.env.TMPDIR ?? "/tmp";
const choice = { kind: "namespaces" as const, image: "unused", unsafe: false, searchPath, workDir };
const open = await chooseSandbox(choice).catch(() => null);
if (open === null) console.warn("no namespaces here: the way out of them is not tested");

/** Asks through the proxy that the environment names, as programs do. */
const ASK = `const { hostname, port } = new URL(process.env.HTTP_PROXY);
require("http").get({ hostname, port, path: "http://api.example/x", headers: { host: "api.example",
  authorization: process.env.TOOL_KEY, "x-centspan-run": "forged", "proxy-authorization": "forged" } }, (answer) => {
  answer.on("data", (data) => process.stdout.write(answer.statusCode + " " + data)); });`;
const TUNNEL = `const { hostname, port } = new URL(process.env.HTTPS_PROXY);
require("http").request({ hostname, port, method: "CONNECT", path: "other.example:443" })
  .on("connect", (answer, socket, head) => {
    let text = String(head);
    socket.on("data", (data) => { text += data; }).on("end", () => console.log(answer.statusCode + " " + text));
  }).end();`;

it.skipIf(open === null)("leads programs to the gateway alone, with a key that they never see", async () => {
  const seen: IncomingMessage[] = [];
  const gateway = createServer((request, response) => {
    seen.push(request);
    response.end("from the host\n");
  });
  gateway.on("connect", (request: IncomingMessage, socket) => {
    seen.push(request);
    socket.end("HTTP/1.1 200 OK\r\n\r\nthrough the tunnel");
  });
  const { url, close } = await listenOnLoopback(gateway);
  onTestFinished(close);
  const notes: EgressNote[] = [];
  const relay = await openEgressRelay({
    ...{ gatewayUrl: url, gatewayKey: "cs_gateway_secret", headers: { "x-centspan-run": "run_1" } },
    onPassage: (note) => void notes.push(note),
  });
  onTestFinished(() => relay.close());
  const folder = await createTemporaryFolder();
  const sandbox = await open?.({ folder: relay.folder, standIns: { TOOL_KEY: "TOOL_KEY_HERE" } });
  const run = async (file: string, ...args: string[]) => {
    const options = { folder, cwd: folder, timeLimitMs: 20_000, signal: new AbortController().signal };
    return (await sandbox?.run(file, args, options))?.output.text;
  };

  expect(await run("node", "-e", ASK)).toBe("200 from the host\n");
  expect(await run("node", "-e", TUNNEL)).toBe("200 through the tunnel\n");
  expect(await run("env")).not.toContain("cs_gateway_secret");
  const credential = `Basic ${Buffer.from("centspan:cs_gateway_secret").toString("base64")}`;
  expect(seen.map(({ method, url: target }) => [method, target])).toEqual([
    ["GET", "http://api.example/x"],
    ["CONNECT", "other.example:443"],
  ]);
  for (const { headers } of seen) {
    expect(headers).toMatchObject({ "proxy-authorization": credential, "x-centspan-run": "run_1" });
  }
  expect(seen[0]?.headers.authorization).toBe("TOOL_KEY_HERE");
  await pollUntil("both to be noted", () => notes.length === 2);
  expect(notes).toMatchObject([
    { method: "GET", host: "api.example", status: 200 },
    { method: "CONNECT", host: "other.example:443", status: 200 },
  ]);
  expect(notes.every(({ sentBytes, receivedBytes }) => sentBytes > 0 && receivedBytes > 0)).toBe(true);

  // Past the proxy there is nothing.
  const direct = createNetServer().listen(0, "127.0.0.1");
  onTestFinished(() => void direct.close());
  const address = direct.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const connect = `require("net").connect(${port}, "127.0.0.1").on("error", (error) => console.log(error.code))`;
  expect(await run("node", "-e", connect)).toBe("ECONNREFUSED\n");
});
