/** OpenAI's Responses API: POST /v1/responses, plain or as server-sent events. */
import { apiShapes } from "@centspan/dialects";
import { readResponsesConversation, responsesRequestSchema, toOpenAiError } from "@centspan/model";
import { openAiCacheMs } from "@centspan/pricing";
import { z } from "zod";
import { placeOpenAiBreakpoint } from "../cache-help/place-openai-breakpoint.ts";
import responsesOutput from "../content/read-responses-output.ts";
import { type CallFacts, defineProtocol, noteSaid, noteUsage, parseJson, saidName } from "./protocol.ts";

const responseSchema = z.looseObject({
  id: saidName,
  model: saidName,
  status: saidName,
  incomplete_details: z.looseObject({ reason: saidName }).nullish().catch(undefined),
  output: z.array(z.looseObject({ type: z.string().optional() })).catch([]),
});

const eventSchema = z.looseObject({ type: z.string(), response: responseSchema.optional().catch(undefined) });

const TERMINAL_EVENTS = new Set(["response.completed", "response.incomplete", "response.failed"]);
const isCall = (type: string | undefined): boolean => type?.endsWith("_call") ?? false;

function readResponse(response: z.infer<typeof responseSchema>, facts: CallFacts): void {
  facts.responseId = response.id ?? facts.responseId;
  facts.model = response.model ?? facts.model;
  noteUsage(facts, apiShapes.responses, response);
  if (response.status === "completed") {
    facts.finishReasons = [response.output.some((item) => isCall(item.type)) ? "tool_calls" : "stop"];
  } else if (response.status === "incomplete") {
    facts.finishReasons = [response.incomplete_details?.reason ?? "incomplete"];
  } else if (response.status === "failed") {
    facts.finishReasons = ["error"];
    facts.failed = true;
  } else return;
  facts.generated = true;
}

const requestSchema = responsesRequestSchema.transform((request) => ({
  model: request.model,
  stream: request.stream === true,
  effort: request.reasoning?.effort ?? "",
  cacheKey: request.prompt_cache_key ?? "",
  conversation: readResponsesConversation(request),
  maxOutputTokens: request.max_output_tokens ?? null,
  answers: 1,
  additions: {},
  hidesUsageChunk: false,
}));

export default defineProtocol({
  id: "openai-responses",
  describe: "OpenAI Responses over HTTP",
  operation: "chat",
  route: "/v1/responses",
  layout: { system: "instructions", tools: "tools", items: "input", cacheMs: openAiCacheMs },
  readRequest: (body) => requestSchema.safeParse(body),
  members: new Set(Object.keys(responsesRequestSchema.shape)),
  output: responsesOutput,
  placeBreakpoints: (members, json, model) =>
    placeOpenAiBreakpoint(members, json, model, { items: "input", textType: "input_text" }),
  effortField: "reasoning.effort",
  writeEffort: (body, effort) => ({ reasoning: { ...Object(Object(body).reasoning), effort } }),
  writeOutputLimit: (tokens) => ({ max_output_tokens: tokens }),
  readEvent(data, facts) {
    const event = eventSchema.safeParse(parseJson(data)).data;
    if (!event) return { output: false, usageOnly: false };
    if (event.response) readResponse(event.response, facts);
    if (event.type === "error" || event.type === "response.failed") facts.failed = true;
    if (TERMINAL_EVENTS.has(event.type)) facts.generated = true;
    const continues = event.type.endsWith(".delta");
    if (continues) noteSaid(facts, event.delta);
    return { output: continues || event.type === "response.output_item.done", usageOnly: false };
  },
  readAnswer(body, facts) {
    const response = responseSchema.safeParse(body).data;
    if (!response) return;
    readResponse(response, facts);
    noteSaid(facts, response.output);
  },
  writeError: toOpenAiError,
  writeStreamError: ({ message, code }) =>
    `event: error\ndata: ${JSON.stringify({ type: "error", code, message, param: null })}\n\n`,
});
