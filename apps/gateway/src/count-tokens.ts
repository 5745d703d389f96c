/**
 * POST /v1/messages/count_tokens: how many tokens a prompt has, by the provider where it answers that, else by our own
 * count. Nothing is generated: there is no call, and no bill.
 */
import { countTokensRequestSchema, readMessagesConversation } from "@centspan/model";
import type { Exchange } from "./exchange.ts";
import type { PipelineOptions } from "./pipeline.ts";
import messages from "./protocols/messages.ts";
import { createCallFacts, defineProtocol } from "./protocols/protocol.ts";
import { admit } from "./stages/admit.ts";
import { checkSafety } from "./stages/check-safety.ts";
import { parse } from "./stages/parse.ts";
import { route } from "./stages/route.ts";
import { tokenize } from "./stages/tokenize.ts";
import { validate } from "./stages/validate.ts";
import { addMembers } from "./upstream/add-members.ts";
import {
  selectRequestHeaders,
  selectResponseHeaders,
  translateUpstreamError,
  type Upstream,
} from "./upstream/upstream.ts";
import { watchClient } from "./upstream/watch-client.ts";

const requestSchema = countTokensRequestSchema.transform((request) => ({
  model: request.model,
  stream: false,
  effort: "",
  cacheKey: "",
  conversation: readMessagesConversation(request),
  maxOutputTokens: 0,
  answers: 1,
  additions: {},
  hidesUsageChunk: false,
}));

/** Messages without an answer: routed to who would answer them. */
export const countTokensProtocol = defineProtocol({
  ...messages,
  describe: "Anthropic's count of a prompt's tokens",
  route: "/v1/messages/count_tokens",
  readRequest: (body) => requestSchema.safeParse(body),
});

/** Returns the bytes sent to the client. */
export async function countTokens(exchange: Exchange, options: PipelineOptions): Promise<number> {
  const { workspace, keyId } = await admit(exchange, options.admit);
  const body = await parse(exchange);
  const { model, conversation, additions } = await validate(exchange, body.json);
  const { ids } = await tokenize(exchange, options.tokenizers, { workspace, keyId, model, conversation });
  const wanted = { model, promptTokens: ids.length, readIds: () => ids, tried: new Set<never>() };
  const upstream = await route(exchange, options.upstreams, wanted, ({ replica }) => replica.upstream);
  if (upstream.countsTokens) {
    const refusal = await checkSafety(exchange, body.json, { ...options.safety, policy: "hold" }).verdict;
    if (refusal) throw refusal;
    return passOn(exchange, upstream, addMembers(body.bytes, body.json, additions));
  }
  // Our own engine takes these ids for the prompt; others have a tokenizer of their own.
  const quality = upstream.takesTokenIds ? "exact" : "estimate";
  const headers = { "content-type": "application/json", "x-centspan-token-count": quality };
  const answer = Buffer.from(JSON.stringify({ input_tokens: ids.length }));
  exchange.sink.begin({ statusCode: 200, headers });
  await exchange.sink.write(answer);
  exchange.sink.end();
  return answer.length;
}

async function passOn({ protocol, query, headers, sink }: Exchange, upstream: Upstream, body: Buffer): Promise<number> {
  const sending = upstream.send({
    method: "POST",
    path: protocol.route + query,
    headers: selectRequestHeaders(headers, upstream),
    body,
  });
  const stopWatching = watchClient(sink.gone, {
    facts: createCallFacts(),
    onDisconnect: "cancel",
    cancel: sending.cancel,
  });
  const answer = await sending.answer.finally(stopWatching);
  sink.begin({ statusCode: answer.statusCode, headers: selectResponseHeaders(answer.headers) });
  let sentBytes = 0;
  try {
    for await (const chunk of answer.body) {
      sentBytes += chunk.length;
      await sink.write(chunk);
    }
  } catch (thrown) {
    throw translateUpstreamError(thrown);
  }
  sink.end();
  return sentBytes;
}
