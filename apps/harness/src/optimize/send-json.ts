/** JSON to a server and back, with what it says where it refuses. */
import { request } from "undici";
import { failureOfConnection, failureOfStatus } from "../transport/http-failure.ts";

export type JsonRequest = {
  url: string;
  method: "GET" | "POST" | "PATCH";
  headers?: Record<string, string>;
  body?: object | undefined;
  signal: AbortSignal;
};

export async function sendJson(
  peer: string,
  { url, method, headers = {}, body, signal }: JsonRequest,
): Promise<unknown> {
  try {
    const answer = await request(url, {
      method,
      signal,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 200 && answer.statusCode < 300) return JSON.parse(text);
    throw failureOfStatus(peer, { status: answer.statusCode, retryAfter: undefined, body: text });
  } catch (error) {
    throw failureOfConnection(peer, error);
  }
}
