/** How many tokens a call may come to before it is made. Never the whole of what is left: each part has a bound of its own. */
import type { Conversation } from "@centspan/model";
import type { Exchange } from "../exchange.ts";
import type { InferenceRequest } from "../protocols/protocol.ts";
import { listImages } from "../semantics/list-images.ts";
import type { ParsedBody } from "../stages/parse.ts";
import type { PromptTokens } from "../stages/tokenize.ts";
import type { Replica } from "../upstream/replica.ts";
import { findOutputBound } from "./output-bounds.ts";
import type { Bound } from "./price-usage.ts";

export type BoundedCall = { request: InferenceRequest; body: ParsedBody; tokens: PromptTokens; replica: Replica };

/** What another server's own tokenizer and its format of messages and tools may make more of it. */
const MARGIN = 1.25;
const TOKENS_BESIDE = 8;
/** More than any provider's largest tiling of one. */
const IMAGE_TOKENS = 3_000;

export function boundCall({ protocol }: Exchange, { request, body, tokens, replica }: BoundedCall): Bound {
  const { upstream, traits } = replica;
  const json = Object(body.json);
  const items = protocol.layout?.items;
  const images = items === undefined ? 0 : listImages(json[items], items).length;
  const counted = tokens.ids.length;
  const inputTokens = upstream.takesTokenIds
    ? counted
    : Math.ceil(counted * MARGIN) + TOKENS_BESIDE * countPieces(request.conversation) + IMAGE_TOKENS * images;
  const outputTokens = protocol.operation === "chat" ? boundOutput(request, traits.maxContextTokens - counted) : 0;
  return {
    inputTokens,
    outputTokens,
    serviceTiers: listNames(json.service_tier),
    regions: listNames(json.inference_geo),
    cachesForAnHour: body.bytes.includes('"1h"'),
  };
}

/** The request's own limit, or else the model's; of each of its answers. */
function boundOutput({ model, maxOutputTokens, answers }: InferenceRequest, roomTokens: number): number {
  const each = Math.min(maxOutputTokens ?? findOutputBound(model), Math.max(0, roomTokens));
  return each * answers;
}

const countPieces = ({ items, tools }: Conversation): number => items.length + tools.length + 1;

/** What is asked for need not be what is served. */
const listNames = (asked: unknown): string[] => (typeof asked === "string" && asked !== "" ? ["", asked] : [""]);
