/** For tests only: a client that writes what it likes on its connections. */
import { once } from "node:events";
import { connect } from "node:net";
import { WebSocket } from "ws";
import type { GatewayClient } from "./gateway-client.ts";

/** Sends bytes, then `drip` again and again, until the other side has ended the connection. Resolves with its answer. */
export async function exchange(at: string, head: string, drip = ""): Promise<{ status: number; body: unknown }> {
  const { hostname, port } = new URL(at);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  // Who drips on may meet an end that it has not heard of yet.
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(head);
  const dripping = setInterval(() => drip !== "" && socket.write(drip), 10);
  await closed;
  clearInterval(dripping);
  const [, first = ""] = text.split("HTTP/1.1 ");
  const content = first.slice(first.indexOf("\r\n\r\n"));
  const json = content.slice(content.indexOf("{"), content.lastIndexOf("}") + 1);
  return { status: Number(first.slice(0, 3)), body: JSON.parse(json || "null") };
}

export const writeHead = (key: string, path: string, ...more: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    "host: gateway",
    "content-type: application/json",
    `authorization: Bearer ${key}`,
    ...more,
    "\r\n",
  ].join("\r\n");

export async function openSocket(at: string, { common }: Pick<GatewayClient, "common">) {
  const socket = new WebSocket(`${at.replace("http", "ws")}/v1/responses`, {
    headers: common,
    perMessageDeflate: false,
  });
  socket.on("error", () => undefined);
  const messages: string[] = [];
  socket.on("message", (data) => messages.push(String(data)));
  const closed = once(socket, "close");
  await once(socket, "open");
  return { socket, messages, closed };
}
