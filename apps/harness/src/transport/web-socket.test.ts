import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { listenOnLoopback } from "../testing/listen.ts";
import { createWebSocketTransport } from "./web-socket.ts";

it("takes the beginning of a refusal that has no end, and hangs up", async () => {
  const server = createServer((_request, response) => {
    const write = (): void => {
      while (response.write("x".repeat(10_000)));
    };
    response.writeHead(503).on("drain", write);
    write();
  });
  const hungUp = new Promise((resolve) => server.once("connection", (socket) => socket.once("close", resolve)));
  const { url, close } = await listenOnLoopback(server);
  onTestFinished(close);
  const transport = createWebSocketTransport({ url: new URL(url), key: "k", incremental: true });
  const traffic = { bytesSent: 0, bytesReceived: 0, handshakes: 0, incremental: false, replayed: false };
  const request = { prompt: { head: "{", items: [] }, headers: {}, signal: new AbortController().signal };
  await expect(transport.send(request, 0, traffic)).rejects.toMatchObject({ status: 503 });
  await hungUp;
});
