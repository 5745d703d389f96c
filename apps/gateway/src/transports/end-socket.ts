/** An answer where there is no response object to write it with: it is the last thing the connection carries. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type CentspanError, ERRORS } from "@centspan/base";

type AnswerHead = { status: number; headers?: Record<string, string> };

export function endSocket(
  socket: Duplex,
  error: CentspanError,
  { status, headers = {} }: AnswerHead,
  body: object,
): void {
  const text = JSON.stringify(body);
  const title = status === error.status ? ERRORS[error.code].title : STATUS_CODES[status];
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `content-length: ${Buffer.byteLength(text)}`,
    ...Object.entries({ "content-type": "application/json", ...headers }).map(([name, value]) => `${name}: ${value}`),
    "connection: close",
  ];
  // Flushed, then gone: who was refused is not listened to for longer.
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`, () => socket.destroy());
}
