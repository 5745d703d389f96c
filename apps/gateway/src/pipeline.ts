/**
 * The way of one inference request, stage by stage. Each stage is a file in stages/ and a span of the vocabulary.
 * Add a stage: a file there, a line here.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Principal } from "@centspan/model";
import { PREFIX_BLOCK_TOKENS } from "@centspan/tokens";
import { type Exchange, identify } from "./exchange.ts";
import { type Held, hold, type Said } from "./held.ts";
import type { PrefixMemory } from "./prefix/prefix-memory.ts";
import type { RequestFacts } from "./protocols/protocol.ts";
import { answerOnce } from "./replays/answer-once.ts";
import type { Replays } from "./replays/replays.ts";
import { type AdmitOptions, admit } from "./stages/admit.ts";
import { arrangeForCache } from "./stages/arrange-for-cache.ts";
import { type ChatInput, chat, type Used } from "./stages/chat.ts";
import { checkSafety, type SafetyOptions } from "./stages/check-safety.ts";
import { type ParsedBody, parse } from "./stages/parse.ts";
import { type ReserveOptions, reserve } from "./stages/reserve.ts";
import { readWishes, route } from "./stages/route.ts";
import { type TokenizerPool, tokenize } from "./stages/tokenize.ts";
import { validate } from "./stages/validate.ts";
import { watchPrefix } from "./stages/watch-prefix.ts";
import type { Replica } from "./upstream/replica.ts";
import type { Upstreams } from "./upstream/upstreams.ts";

export type PipelineOptions = {
  admit: AdmitOptions;
  reserve: ReserveOptions;
  safety: SafetyOptions;
  tokenizers: TokenizerPool;
  prefixes: PrefixMemory;
  replays: Replays;
  upstreams: Upstreams;
  /** The share of the traffic that this gateway should get, in percent of one on the best processor. */
  fleet?: { weight(): number };
};

/** A request that may go to an upstream. */
type Prepared = Pick<ChatInput, "request" | "said" | "tokens" | "safety" | "prefix" | "changes" | "onUsage">;

/** Who asks, and what. */
type Asked = { principal: Principal; body: Held<ParsedBody> };

/** Returns the bytes sent to the client. Throws before or after an answer has begun. */
export async function runPipeline(exchange: Exchange, options: PipelineOptions): Promise<number> {
  const asked = await receive(exchange, options);
  const content = { keyId: asked.principal.keyId, body: asked.body };
  return answerOnce(exchange, content, options.replays, (recorded) => generate(recorded, asked, options));
}

async function receive(exchange: Exchange, options: Pick<PipelineOptions, "admit">): Promise<Asked> {
  // Who asks is settled before a body is read: strangers cost no parsing.
  const principal = await admit(exchange, options.admit);
  return { principal, body: hold(await parse(exchange)) };
}

/** A failure that the client saw nothing of is tried again elsewhere; each attempt is a call of its own. */
async function generate(exchange: Exchange, asked: Asked, options: PipelineOptions): Promise<number> {
  const { upstreams } = options;
  const prepared = await prepare(exchange, asked, options);
  const { request, said, tokens } = prepared;
  const blocks = Math.ceil(tokens.total / PREFIX_BLOCK_TOKENS);
  const load = { promptTokens: tokens.total, newTokens: tokens.newTokens, blocks, streams: request.stream };
  const tried = new Set<Replica>();
  const wanted = { model: request.model, promptTokens: tokens.total, readIds: () => said.get().ids, tried };
  for (let retry = 0; ; retry++) {
    const chosen = await route(exchange, upstreams, wanted, (found) => ({
      flight: found.replica.begin(load),
      ...found,
    }));
    tried.add(chosen.replica);
    const mayRetry = (): boolean =>
      !said.isGone() &&
      retry < upstreams.retries &&
      tried.size < upstreams.replicas.length &&
      !exchange.sink.gone.happened &&
      upstreams.canServe(Object.assign({}, wanted, readWishes(exchange)));
    const sentBytes = await attempt(exchange, asked.principal, { retry, mayRetry, ...prepared, ...chosen }, options);
    if (sentBytes !== null) return sentBytes;
    await pause(exchange, Math.random() * FIRST_PAUSE_MS * 2 ** retry);
  }
}

/** What was set aside for a call, and its place in the replica's queue, end with it: both do so once. */
async function attempt(
  exchange: Exchange,
  principal: Principal,
  input: ChatInput,
  options: PipelineOptions,
): Promise<number | null> {
  try {
    const reserved = await reserve(exchange, principal, input, options.reserve);
    try {
      // A check that is already through with the request spares the upstream a refused one.
      if (!input.safety.isDone()) await nextTurn();
      const refusal = input.safety.refusal();
      if (refusal) throw refusal;
      const onUsage = (used: Used): void => {
        input.onUsage(used);
        reserved.settle(used);
      };
      return await chat(exchange, { ...input, onUsage });
    } finally {
      reserved.release();
    }
  } finally {
    input.flight.end("left");
  }
}

/** Before another server is asked; half of it on average, so that clients of one that failed don't come together. */
const FIRST_PAUSE_MS = 100;

/** Nobody waits longer than the client does. */
async function pause({ sink }: Exchange, ms: number): Promise<void> {
  const left = new AbortController();
  const stopListening = sink.gone.listen(() => left.abort());
  await sleep(ms, undefined, { signal: left.signal }).catch(() => undefined);
  stopListening();
}

/** All that can be done before anything is generated: the request that follows finds its tokens and its checks done. */
export async function warmUp(exchange: Exchange, options: PipelineOptions): Promise<RequestFacts> {
  const { request, safety } = await prepare(exchange, await receive(exchange, options), options);
  const refusal = await safety.verdict;
  if (refusal) throw refusal;
  return request;
}

/** As Codex names its prompts' cache: by the conversation. Others give all prompts with one beginning the same key. */
const CONVERSATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function prepare(exchange: Exchange, asked: Asked, options: PipelineOptions): Promise<Prepared> {
  const { workspace, keyId } = asked.principal;
  const { body, changes: arranged } = arrangeForCache(exchange, asked.body.get());
  const changes = { "centspan.cpu.weight": options.fleet?.weight(), ...arranged };
  const { conversation, ...request } = await validate(exchange, body.json);
  if (exchange.identity["gen_ai.conversation.id"] === undefined && CONVERSATION_ID.test(request.cacheKey)) {
    identify(exchange, { "gen_ai.conversation.id": request.cacheKey });
  }
  const policy = exchange.rules.safety ?? options.upstreams.safetyFor(request.model) ?? options.safety.policy;
  const safety = checkSafety(exchange, body.json, { ...options.safety, policy });
  const prompt = { workspace, keyId, model: request.model, conversation };
  const { tokens, ...tokenized } = await tokenize(exchange, options.tokenizers, prompt);
  const said = hold<Said>({ body, conversation, ...tokenized });
  asked.body.letGo();
  const prefix = watchPrefix(exchange, said, { keyId, ...request }, options.prefixes);
  const { tokensPerMinute } = exchange.rules;
  const onUsage = ({ tokens: spent }: Used): void => {
    if (tokensPerMinute !== undefined) options.admit.tokens.spend(keyId, tokensPerMinute, spent);
  };
  return { request, said, tokens, safety, prefix, changes, onUsage };
}
