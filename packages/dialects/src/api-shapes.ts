/**
 * Where the answers of inference APIs tell their usage, and what their counts include: one entry for each shape, data
 * and no code. Providers that speak another's API have its shape; where they count otherwise, their totals prove it
 * (`splitCounts`). Places are paths from the object that carries the usage: the whole answer, or an event of its stream.
 */
import type { CountField, Counting } from "@centspan/model";

/** A path; or the members of a list with these values, whose `value` is added up, or which are counted without one. */
export type PayloadPlace = string | { list: string; where: Readonly<Record<string, string>>; value?: string };

/** A path; or one that only tells something where its text is this one. */
export type TextPlace = string | { path: string; where: string };

export type ApiShape = Counting & {
  /** Where the usage stands: without it none was reported, whatever else the answer says. */
  usage: string;
  counts: Partial<Record<CountField, readonly PayloadPlace[]>>;
  serviceTier?: readonly TextPlace[];
  region?: readonly TextPlace[];
  /** The provider's own figure, and how many decimal places it was shifted to be whole. */
  cost?: { path: string; shift: number }[];
  /** Whether what a later report leaves out is as an earlier one of the same answer said. Otherwise the last one is all. */
  cumulative?: true;
};

const chat: ApiShape = {
  inputIncludesCached: true,
  outputIncludesReasoning: true,
  usage: "usage",
  counts: {
    input: ["usage.prompt_tokens"],
    output: ["usage.completion_tokens"],
    cacheRead: ["usage.prompt_tokens_details.cached_tokens", "usage.prompt_cache_hit_tokens"],
    cacheMiss: ["usage.prompt_cache_miss_tokens"],
    cacheWrite: ["usage.prompt_tokens_details.cache_write_tokens"],
    reasoning: ["usage.completion_tokens_details.reasoning_tokens"],
    audioInput: ["usage.prompt_tokens_details.audio_tokens"],
    audioOutput: ["usage.completion_tokens_details.audio_tokens"],
    total: ["usage.total_tokens"],
  },
  serviceTier: ["service_tier"],
  cost: [
    { path: "usage.cost", shift: 0 },
    // xAI: ticks of 1e-10 USD.
    { path: "usage.cost_in_usd_ticks", shift: 10 },
  ],
};

const responses: ApiShape = {
  inputIncludesCached: true,
  outputIncludesReasoning: true,
  usage: "usage",
  counts: {
    input: ["usage.input_tokens"],
    output: ["usage.output_tokens"],
    cacheRead: ["usage.input_tokens_details.cached_tokens"],
    cacheWrite: ["usage.input_tokens_details.cache_write_tokens"],
    reasoning: ["usage.output_tokens_details.reasoning_tokens"],
    total: ["usage.total_tokens"],
    // Opening a page that a search found, or looking in it, is not charged.
    webSearches: [{ list: "output", where: { type: "web_search_call", "action.type": "search" } }],
  },
  serviceTier: ["service_tier"],
};

const messages: ApiShape = {
  inputIncludesCached: false,
  outputIncludesReasoning: true,
  usage: "usage",
  counts: {
    input: ["usage.input_tokens"],
    output: ["usage.output_tokens"],
    cacheRead: ["usage.cache_read_input_tokens"],
    cacheWrite: ["usage.cache_creation_input_tokens"],
    cacheWrite5m: ["usage.cache_creation.ephemeral_5m_input_tokens"],
    cacheWrite1h: ["usage.cache_creation.ephemeral_1h_input_tokens"],
    reasoning: ["usage.output_tokens_details.thinking_tokens"],
    webSearches: ["usage.server_tool_use.web_search_requests"],
  },
  serviceTier: [{ path: "usage.speed", where: "fast" }, "usage.service_tier"],
  region: ["usage.inference_geo"],
  cumulative: true,
};

const generateContent: ApiShape = {
  inputIncludesCached: true,
  outputIncludesReasoning: false,
  usage: "usageMetadata",
  counts: {
    input: ["usageMetadata.promptTokenCount"],
    inputBeside: ["usageMetadata.toolUsePromptTokenCount"],
    output: ["usageMetadata.candidatesTokenCount"],
    cacheRead: ["usageMetadata.cachedContentTokenCount"],
    reasoning: ["usageMetadata.thoughtsTokenCount"],
    audioInput: [{ list: "usageMetadata.promptTokensDetails", where: { modality: "AUDIO" }, value: "tokenCount" }],
    audioOutput: [{ list: "usageMetadata.candidatesTokensDetails", where: { modality: "AUDIO" }, value: "tokenCount" }],
    total: ["usageMetadata.totalTokenCount"],
  },
};

const converse: ApiShape = {
  inputIncludesCached: false,
  outputIncludesReasoning: true,
  usage: "usage",
  counts: {
    input: ["usage.inputTokens"],
    output: ["usage.outputTokens"],
    cacheRead: ["usage.cacheReadInputTokens"],
    cacheWrite: ["usage.cacheWriteInputTokens"],
    cacheWrite5m: [{ list: "usage.cacheDetails", where: { ttl: "5m" }, value: "inputTokens" }],
    cacheWrite1h: [{ list: "usage.cacheDetails", where: { ttl: "1h" }, value: "inputTokens" }],
    total: ["usage.totalTokens"],
  },
};

export const apiShapes = { chat, responses, messages, generateContent, converse };
