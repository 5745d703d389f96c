/**
 * Bytes both ways between a client and a host, until both have said all they had to say.
 * Must not: look at them; hold more of them than the sockets' own buffers while one side reads slowly.
 */
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";

export type TunnelLimits = {
  /** A tunnel through which nothing goes for so long is closed. */
  idleMs: number;
  /** So is one that is older, since the key may have ended. */
  maxAgeMs: number;
};

export type TunnelEnd = "closed" | "broken" | "idle" | "too_old" | "stopped";

export async function carryTunnel(
  client: Socket,
  host: Socket,
  { stopped, idleMs, maxAgeMs }: TunnelLimits & { stopped: AbortSignal },
): Promise<TunnelEnd> {
  let cut: TunnelEnd | null = null;
  const cutOff = (why: TunnelEnd) => (): void => {
    cut ??= why;
    client.destroy();
    host.destroy();
  };
  const stop = cutOff("stopped");
  const old = setTimeout(cutOff("too_old"), maxAgeMs);
  stopped.addEventListener("abort", stop);
  if (stopped.aborted) stop();
  // What goes through the one goes through the other, unless that one doesn't take it.
  for (const side of [client, host]) side.setTimeout(idleMs, cutOff("idle"));
  try {
    const ways = await Promise.allSettled([pipeline(client, host), pipeline(host, client)]);
    return cut ?? (ways.every(({ status }) => status === "fulfilled") ? "closed" : "broken");
  } finally {
    clearTimeout(old);
    stopped.removeEventListener("abort", stop);
    client.destroy();
    host.destroy();
  }
}
