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
  const listenOn = async (ownPort: number): Promise<void> => {
    relay.listen(ownPort, "127.0.0.1");
    await once(relay, "listening");
  };
  const ownPort = await findPort(listenOn);
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

/**
 * Below the ports that connections are given: while the gate is shut nobody's connection takes its own, and it can be opened
 * again.
 */
const PORTS = { first: 10_000, count: 20_000 };
const TRIES = 50;

async function findPort(listenOn: (port: number) => Promise<void>): Promise<number> {
  for (let left = TRIES; ; left--) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    try {
      await listenOn(port);
      return port;
    } catch (thrown) {
      if (left === 0) throw thrown;
    }
  }
}
