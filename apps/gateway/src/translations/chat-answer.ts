/** Chat Completions answers, streamed or whole → Responses answers. */
import { CentspanError, createId } from "@centspan/base";
import { createResponsesWriter, type ResponsesPart, type ResponsesRequest, type ResponsesUsage } from "@centspan/model";
import { z } from "zod";
import { parseJson } from "../protocols/protocol.ts";
import { createCallTeller } from "./tell-calls-apart.ts";
import type { AnswerTranslator } from "./translation.ts";

const count = z.int().nonnegative();
const toolCallSchema = z.looseObject({
  index: z.int().optional(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});
/** A delta of a stream and the message of a whole answer have the same shape. */
const saidSchema = z.looseObject({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  /** Two names for the same: vLLM's and SGLang's older one, and what came after. */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
});
const usageSchema = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count.nullish() }).nullish(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: count.nullish() }).nullish(),
});
const chunkSchema = z.looseObject({
  model: z.string().optional().catch(undefined),
  error: z.looseObject({ message: z.string().optional() }).optional().catch(undefined),
  choices: z
    .array(
      z.looseObject({
        index: z.int().optional(),
        delta: saidSchema.nullish(),
        message: saidSchema.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: usageSchema.nullish().catch(undefined),
});
type Chunk = z.infer<typeof chunkSchema>;

export function createChatAnswerTranslator(
  request: ResponsesRequest,
  customTools: ReadonlySet<string>,
): AnswerTranslator {
  const id = createId("resp");
  const writer = createResponsesWriter({
    id,
    model: request.model,
    createdAtS: Math.floor(Date.now() / 1000),
    request,
  });
  let begun = false;
  let open = "";
  let usage: ResponsesUsage | null = null;
  let finishReason: string | null = null;
  const tellCalls = createCallTeller();
  /** A call of a tool that takes free text: its input is known when all of its arguments are. */
  let held: { text: string } | null = null;

  const flush = (): string => {
    if (held === null) return "";
    const { text } = held;
    held = null;
    return writer.append(readInput(text));
  };
  /** Opens another item where `key` is not the open one's. */
  const openAs = (key: string, part: () => ResponsesPart): string => {
    if (open === key) return "";
    open = key;
    return flush() + writer.open(part());
  };

  const write = (chunk: Chunk): string => {
    let events = begun ? "" : writer.start();
    begun = true;
    // Of several choices the first is the answer: Responses has no others.
    const choice = chunk.choices.find(({ index = 0 }) => index === 0);
    const said = choice?.delta ?? choice?.message;
    const thought = said?.reasoning_content ?? said?.reasoning;
    if (thought) events += openAs("reasoning", () => ({ kind: "reasoning", hidden: false })) + writer.append(thought);
    const text = said?.content ?? said?.refusal;
    if (text) events += openAs("text", () => ({ kind: "text" })) + writer.append(text);
    const pieces = said?.tool_calls ?? [];
    for (const [place, number] of tellCalls(pieces).entries()) {
      const piece = pieces[place];
      if (piece !== undefined) events += writeCall(piece, number);
    }
    finishReason = choice?.finish_reason ?? finishReason;
    if (chunk.usage) usage = readUsage(chunk.usage);
    return events;
  };

  const writeCall = (call: z.infer<typeof toolCallSchema>, number: number): string => {
    const name = call.function?.name ?? "";
    const text = call.function?.arguments ?? "";
    const isCustom = customTools.has(name);
    const callId = call.id ?? undefined;
    let events = openAs(`call ${number}`, () => ({
      kind: isCustom ? "custom_call" : "call",
      name,
      ...(callId !== undefined && { callId }),
    }));
    if (events !== "" && isCustom) held = { text: "" };
    if (held !== null) held.text += text;
    else events += writer.append(text);
    return events;
  };

  const finish = (): string => {
    if (finishReason === null) throw new CentspanError("upstream_failed", "the model server ended before it was done");
    return flush() + writer.finish(usage, CUT[finishReason]);
  };

  return {
    id,
    whole(json) {
      const answer = chunkSchema.safeParse(json).data;
      if (answer === undefined) throw new CentspanError("upstream_failed", "the model server's answer can't be read");
      write(answer);
      finish();
      return writer.result();
    },
    event(data) {
      if (data === "[DONE]") return "";
      const chunk = chunkSchema.safeParse(parseJson(data)).data;
      if (chunk === undefined) return "";
      if (chunk.error === undefined) return write(chunk);
      throw new CentspanError(
        "upstream_failed",
        `the model server failed: ${chunk.error.message ?? "it says no more"}`,
      );
    },
    end: finish,
  };
}

const CUT: Partial<Record<string, "max_output_tokens" | "content_filter">> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

const readUsage = (usage: z.infer<typeof usageSchema>): ResponsesUsage => ({
  inputTokens: usage.prompt_tokens,
  cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
  outputTokens: usage.completion_tokens,
  reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
});

/** A model that did not keep to the one argument is taken at its word. */
function readInput(text: string): string {
  const parsed = z.looseObject({ input: z.string() }).safeParse(parseJson(text));
  return parsed.success ? parsed.data.input : text;
}
