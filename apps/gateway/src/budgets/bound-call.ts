/** How many tokens a call may come to before it is made. Never the whole of what is left: each part has a bound of its own. */
import { regionOf } from "@centspan/dialects";
import type { Conversation } from "@centspan/model";
import type { Exchange } from "../exchange.ts";
import type { Held, Said } from "../held.ts";
import type { RequestFacts } from "../protocols/protocol.ts";
import { listImages } from "../semantics/list-images.ts";
import type { PromptTokens } from "../stages/tokenize.ts";
import type { Replica } from "../upstream/replica.ts";
import { boundAttached } from "./bound-attached.ts";
import { findOutputBound } from "./output-bounds.ts";
import type { Bound } from "./price-usage.ts";

export type BoundedCall = { request: RequestFacts; said: Held<Said>; tokens: PromptTokens; replica: Replica };

/** What another server's own tokenizer and its format of messages and tools may make more of it. */
const MARGIN = 1.25;
const TOKENS_BESIDE = 8;
/** More than any provider's largest tiling of one. */
const IMAGE_TOKENS = 3_000;

export function boundCall({ protocol }: Exchange, { request, said, tokens, replica }: BoundedCall): Bound {
  const { upstream, traits } = replica;
  const { body, conversation } = said.get();
  const json = Object(body.json);
  const items = protocol.layout?.items;
  const images = items === undefined ? 0 : listImages(json[items], items).length;
  const counted = tokens.total;
  const inputTokens = upstream.takesTokenIds
    ? counted
    : Math.ceil(counted * MARGIN) + TOKENS_BESIDE * countPieces(conversation) + IMAGE_TOKENS * images;
  // Embeddings have no layout: theirs is the member that Responses have, too.
  const attached = boundAttached(json, items ?? "input", traits.maxContextTokens);
  const outputTokens = protocol.operation === "chat" ? boundOutput(request, traits.maxContextTokens - counted) : 0;
  return {
    inputTokens: inputTokens + attached,
    outputTokens,
    webSearches: boundSearches(json),
    serviceTiers: listNames(json.service_tier, json.speed),
    regions: listNames(json.inference_geo, regionOf(upstream.origin)),
    cachesForAnHour: body.bytes.includes('"1h"'),
  };
}

/** The request's own limit, or else the model's; of each of its answers. */
function boundOutput({ model, maxOutputTokens, answers }: RequestFacts, roomTokens: number): number {
  const each = Math.min(maxOutputTokens ?? findOutputBound(model), Math.max(0, roomTokens));
  return each * answers;
}

/** Of a tool that names no limit of its own. Who serves it may search more often. */
const OTHER_SEARCHES = 10;

/** What all tools that search the web may be used for together, and all tools of a Responses request. */
function boundSearches({ tools, max_tool_calls: most }: { tools?: unknown; max_tool_calls?: unknown }): number {
  const uses = (Array.isArray(tools) ? tools : []).map(readMostSearches);
  return Math.min(readCount(most, Number.MAX_SAFE_INTEGER), sum(uses));
}

const readMostSearches = (tool: unknown): number => {
  const { type, max_uses: uses } = Object(tool);
  return typeof type === "string" && type.startsWith("web_search") ? readCount(uses, OTHER_SEARCHES) : 0;
};

const readCount = (value: unknown, other: number): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : other;

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const countPieces = ({ items, tools }: Conversation): number => items.length + tools.length + 1;

/** What is asked for need not be what is served. */
const listNames = (...asked: unknown[]): string[] => [
  "",
  ...asked.filter((name) => typeof name === "string").filter((name) => name !== ""),
];
