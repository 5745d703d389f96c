/** Hints for caches, which are no inference and cost nothing: who has a key may give them. */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { CentspanError } from "@centspan/base";
import type { FastifyReply } from "fastify";
import { scopeName } from "./identity.ts";
import type { PipelineOptions } from "./pipeline.ts";
import { parseJson } from "./protocols/protocol.ts";
import { authenticate } from "./stages/admit.ts";
import { readHttpBody } from "./transports/read-http-body.ts";
import { selectRequestHeaders, selectResponseHeaders, type Upstream } from "./upstream/upstream.ts";

export type PassOptions = Pick<PipelineOptions, "admit" | "upstreams">;

/**
 * What an agent's loop tells the cache goes to every replica that understands it. Which of them has the conversation is
 * known there. Where none understands, nothing is lost by it: 204 all the same.
 */
export async function passHint(
  request: IncomingMessage,
  reply: FastifyReply,
  options: PassOptions,
): Promise<FastifyReply> {
  const { workspace } = await authenticate(request.headers, options.admit.credentials);
  const body = await readHttpBody(request);
  if (body.length > MAX_HINT_BYTES) {
    throw new CentspanError("payload_too_large", `body: larger than ${MAX_HINT_BYTES} bytes`, { field: "body" });
  }
  const knowing = options.upstreams.replicas.filter(({ upstream }) => upstream.seesIdentity);
  const scoped = scopeHint(workspace, body);
  const sent = await Promise.allSettled(knowing.map(({ upstream }) => send(request, reply, upstream, scoped)));
  const answers = sent.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const [failure] = sent.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const refusal = answers.find(({ statusCode }) => statusCode >= 400);
  // A replica that is away has lost what it held: what the others heard is all there is to tell.
  if (answers.length === 0 && failure !== undefined) throw failure;
  if (refusal === undefined) return reply.code(204).send();
  return reply
    .code(refusal.statusCode)
    .headers(selectResponseHeaders(refusal.headers))
    .send(Readable.from(refusal.body));
}

const MAX_HINT_BYTES = 16 * 1024;

/** Its names as the upstreams know them; whatever else it says is judged there. */
function scopeHint(workspace: string, body: Buffer): Buffer {
  const json = parseJson(body.toString());
  if (typeof json !== "object" || json === null) return body;
  const names = Object.entries(json).map(([member, value]) => {
    const isName = (member === "runId" || member === "threadId") && typeof value === "string" && value !== "";
    return [member, isName ? scopeName(workspace, value) : value];
  });
  return Buffer.from(JSON.stringify(Object.fromEntries(names)));
}

function send(
  { headers, url = "/", method }: IncomingMessage,
  reply: FastifyReply,
  upstream: Upstream,
  body: Buffer | null,
) {
  const { answer, cancel } = upstream.send({
    method: method === "POST" ? "POST" : "GET",
    path: url,
    headers: selectRequestHeaders(headers, upstream),
    body,
  });
  reply.raw.once("close", cancel);
  return answer;
}
