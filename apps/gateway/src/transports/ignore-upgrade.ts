/**
 * A request that asks for another protocol than ours is served as if it had not (RFC 9110, 7.8): clients of HTTP/2 offer
 * `h2c` with their first request. Node takes such a connection from the server; it gets it back with the request written anew.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

export function ignoreUpgrade(server: Server, request: IncomingMessage, duplex: Duplex, rest: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const kept = name.toLowerCase() === "connection" ? leaveOut(value) : value;
    if (!OF_UPGRADE.test(name) && kept !== "") lines.push(`${name}: ${kept}`);
  }
  duplex.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), rest]));
  server.emit("connection", duplex);
}

const OF_UPGRADE = /^(upgrade|http2-settings)$/i;

const leaveOut = (connection: string): string =>
  connection
    .split(",")
    .map((option) => option.trim())
    .filter((option) => !OF_UPGRADE.test(option))
    .join(", ");
