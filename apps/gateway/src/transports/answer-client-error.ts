/**
 * What is no HTTP, or not in time: answered in the shape of the path that was asked for, as far as it is known, and the
 * connection ended. In the midst of an answer there is nothing to say any more.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { CentspanError } from "@centspan/base";
import { toErrorAt } from "@centspan/model";
import { endSocket } from "./end-socket.ts";

/** `last` is the latest answer on the connection, where there is one. */
export function answerClientError(thrown: Error, socket: Socket, last: ServerResponse | undefined): void {
  const isAnswering = last !== undefined && !last.writableEnded;
  if (!socket.writable || (isAnswering && last.headersSent)) {
    socket.destroy();
    return;
  }
  const error = translate("code" in thrown ? thrown.code : undefined);
  const url = isAnswering ? last.req.url : readUrl("rawPacket" in thrown ? thrown.rawPacket : undefined);
  endSocket(socket, error, error, toErrorAt(url ?? "/", error));
}

function translate(code: unknown): CentspanError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new CentspanError("request_timeout", "request: did not come in time");
  if (code === "HPE_HEADER_OVERFLOW") return new CentspanError("payload_too_large", "headers: are too large");
  const field = "request";
  return new CentspanError("invalid_request", `${field}: is not HTTP that can be read`, { field });
}

const readUrl = (packet: unknown): string | undefined =>
  Buffer.isBuffer(packet) ? /^[A-Z]+ (\S+)/.exec(packet.toString("latin1", 0, 1024))?.[1] : undefined;
