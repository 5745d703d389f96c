/**
 * Tells a load balancer this gateway's weight: who connects is sent a line such as `50%`, of the weight it has configured.
 * Facts: docs.haproxy.org, "agent-check".
 */
import { once } from "node:events";
import { createServer } from "node:net";

const PATIENCE_MS = 5_000;

export async function serveAgentCheck(
  at: { host: string; port: number },
  weight: () => number,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    // It may say who asks, which means nothing here.
    socket.resume().end(`${weight()}%\n`);
  });
  server.listen(at.port, at.host);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : at.port,
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}
