/** A TCP relay in front of a real store that a test can shut and open again: what a store that is away looks like. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export type Gate = { url: string; shut(): Promise<void>; open(): Promise<void> };

export async function openGate(target: string): Promise<Gate> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket)).on("error", () => near.destroy() && far.destroy());
    }
    near.pipe(far).pipe(near);
  });
  const listenOn = async (localPort: number): Promise<number> => {
    server.listen(localPort, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : localPort;
  };
  const own = await listenOn(0);
  const url = new URL(target);
  url.host = `127.0.0.1:${own}`;
  return {
    url: url.href,
    async shut() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async open() {
      await listenOn(own);
    },
  };
}
