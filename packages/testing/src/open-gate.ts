/** A TCP relay in front of a real server that a test can shut and open again: what a server that is away looks like. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export type Gate = {
  /** The target's URL with the gate's address. */
  url: string;
  shut(): Promise<void>;
  open(): Promise<void>;
};

export async function openGate(target: string): Promise<Gate> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const listenOn = async (ownPort: number): Promise<number> => {
    relay.listen(ownPort, "127.0.0.1");
    await once(relay, "listening");
    const address = relay.address();
    return typeof address === "object" && address !== null ? address.port : ownPort;
  };
  const ownPort = await listenOn(0);
  const url = new URL(target);
  url.host = `127.0.0.1:${ownPort}`;
  return {
    url: url.href,
    async shut() {
      const closed = once(relay, "close");
      relay.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async open() {
      await listenOn(ownPort);
    },
  };
}
