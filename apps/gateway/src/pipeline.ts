/**
 * The way of one inference request, stage by stage. Each stage is a file in stages/ and a span of the vocabulary.
 * Add a stage: a file there, a line here.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Exchange, identify } from "./exchange.ts";
import type { InferenceRequest } from "./protocols/protocol.ts";
import { type AdmitOptions, admit } from "./stages/admit.ts";
import { type ChatInput, chat } from "./stages/chat.ts";
import { checkSafety, type SafetyOptions } from "./stages/check-safety.ts";
import { parse } from "./stages/parse.ts";
import { route } from "./stages/route.ts";
import { type TokenizerPool, tokenize } from "./stages/tokenize.ts";
import { validate } from "./stages/validate.ts";
import type { Upstream } from "./upstream/upstream.ts";

export type PipelineOptions = {
  admit: AdmitOptions;
  safety: SafetyOptions;
  tokenizers: TokenizerPool;
  upstreams: readonly [Upstream, ...Upstream[]];
};

/** A request that may go to an upstream. */
type Prepared = Omit<ChatInput, "upstream">;

/** Returns the bytes sent to the client. Throws before or after an answer has begun. */
export async function runPipeline(exchange: Exchange, options: PipelineOptions): Promise<number> {
  const prepared = await prepare(exchange, options);
  const upstream = await route(exchange, options.upstreams);
  // A check that is already through with the request spares the upstream a refused one.
  await nextTurn();
  const refusal = prepared.safety.refusal();
  if (refusal) throw refusal;
  return chat(exchange, { upstream, ...prepared });
}

/** All that can be done before anything is generated: the request that follows finds its tokens and its checks done. */
export async function warmUp(exchange: Exchange, options: PipelineOptions): Promise<InferenceRequest> {
  const { request, safety } = await prepare(exchange, options);
  const refusal = await safety.verdict;
  if (refusal) throw refusal;
  return request;
}

async function prepare(exchange: Exchange, options: PipelineOptions): Promise<Prepared> {
  // Who asks is settled before a body is read: strangers cost no parsing.
  const { workspace } = await admit(exchange, options.admit);
  const body = await parse(exchange);
  const request = await validate(exchange, body.json);
  if (exchange.identity["gen_ai.conversation.id"] === undefined && request.cacheKey !== "") {
    identify(exchange, { "gen_ai.conversation.id": request.cacheKey });
  }
  const safety = checkSafety(exchange, request.conversation, options.safety);
  const tokenIds = await tokenize(exchange, options.tokenizers, { workspace, ...request });
  return { request, body, tokenIds, safety };
}
