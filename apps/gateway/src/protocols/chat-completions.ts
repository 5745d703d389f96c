/** OpenAI's Chat Completions: POST /v1/chat/completions, plain or as server-sent events. */
import { apiShapes } from "@centspan/dialects";
import { chatRequestSchema, readChatConversation, toOpenAiError } from "@centspan/model";
import { openAiCacheMs } from "@centspan/pricing";
import { z } from "zod";
import { placeOpenAiBreakpoint } from "../cache-help/place-openai-breakpoint.ts";
import chatOutput from "../content/read-chat-output.ts";
import { type CallFacts, defineProtocol, noteSaid, noteUsage, parseJson, saidName } from "./protocol.ts";

/** The same shape serves whole answers (`message`) and chunks (`delta`). */
const completionSchema = z.looseObject({
  id: saidName,
  model: saidName,
  error: z.unknown().optional(),
  choices: z
    .array(
      z.looseObject({
        finish_reason: saidName,
        delta: z.record(z.string(), z.unknown()).nullish().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
  usage: z.unknown().optional(),
});

function readCompletion(completion: z.infer<typeof completionSchema>, facts: CallFacts): void {
  facts.responseId = completion.id ?? facts.responseId;
  facts.model = completion.model ?? facts.model;
  noteUsage(facts, apiShapes.chat, completion);
  for (const choice of completion.choices ?? []) {
    if (typeof choice.finish_reason === "string") facts.finishReasons.push(choice.finish_reason);
    noteSaid(facts, choice.delta ?? choice.message);
  }
  if (facts.finishReasons.length >= facts.answers) facts.generated = true;
  if (completion.error !== undefined && completion.error !== null) facts.failed = true;
}

/** A delta that says more than whose turn it is. */
const hasOutput = (delta: Record<string, unknown> | null | undefined): boolean =>
  Object.entries(delta ?? {}).some(([key, value]) => key !== "role" && value !== null && value !== "");

const requestSchema = chatRequestSchema.transform((request) => {
  const asksUsage = request.stream === true && request.stream_options?.include_usage !== true;
  return {
    model: request.model,
    stream: request.stream === true,
    effort: request.reasoning_effort ?? "",
    cacheKey: typeof request.prompt_cache_key === "string" ? request.prompt_cache_key : "",
    conversation: readChatConversation(request),
    // Servers go by the one or the other.
    maxOutputTokens: Math.max(request.max_completion_tokens ?? 0, request.max_tokens ?? 0) || null,
    answers: typeof request.n === "number" && request.n > 1 ? request.n : 1,
    additions: asksUsage ? { stream_options: { ...request.stream_options, include_usage: true } } : {},
    hidesUsageChunk: asksUsage,
  };
});

export default defineProtocol({
  id: "openai-chat",
  describe: "OpenAI Chat Completions over HTTP",
  operation: "chat",
  route: "/v1/chat/completions",
  layout: { system: null, tools: "tools", items: "messages", cacheMs: openAiCacheMs },
  readRequest: (body) => requestSchema.safeParse(body),
  members: new Set(Object.keys(chatRequestSchema.shape)),
  output: chatOutput,
  placeBreakpoints: (members, json, model) =>
    placeOpenAiBreakpoint(members, json, model, { items: "messages", textType: "text" }),
  effortField: "reasoning_effort",
  writeEffort: (_body, effort) => ({ reasoning_effort: effort }),
  writeOutputLimit: (tokens) => ({ max_completion_tokens: tokens }),
  readEvent(data, facts) {
    if (data === "[DONE]") {
      facts.generated = true;
      return { output: false, usageOnly: false };
    }
    const chunk = completionSchema.safeParse(parseJson(data)).data;
    if (!chunk) return { output: false, usageOnly: false };
    readCompletion(chunk, facts);
    return {
      output: chunk.choices?.some((choice) => hasOutput(choice.delta)) ?? false,
      usageOnly: chunk.choices?.length === 0 && typeof chunk.usage === "object" && chunk.usage !== null,
    };
  },
  readAnswer(body, facts) {
    const completion = completionSchema.safeParse(body).data;
    if (completion) readCompletion(completion, facts);
  },
  writeError: toOpenAiError,
  writeStreamError: ({ message, code }) =>
    `data: ${JSON.stringify({ error: { message, type: "server_error", code } })}\n\n`,
});
