/** Chat Completions answers, streamed or whole → whatever a writer of another protocol makes of them. */
import { CentspanError } from "@centspan/base";
import type { ResponsesPart, ResponsesUsage } from "@centspan/model";
import { z } from "zod";
import { parseJson } from "../protocols/protocol.ts";
import type { AnswerTranslator } from "./translation.ts";
import { createCallsWriter, type ItemWriter, type TellKind, toolCallSchema } from "./write-calls.ts";

const count = z.int().nonnegative();
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
        /** Which of the request's texts it stopped at: vLLM's name and SGLang's. Tokens have numbers. */
        stop_reason: z.union([z.string(), z.number()]).nullish().catch(undefined),
        matched_stop: z.union([z.string(), z.number()]).nullish().catch(undefined),
      }),
    )
    .default([]),
  usage: usageSchema.nullish().catch(undefined),
});
type Chunk = z.infer<typeof chunkSchema>;

/** Says an answer in the client's protocol. All but `result` return server-sent events. */
export type AnswerWriter = ItemWriter & {
  start(): string;
  /** Null usage was not reported. */
  finish(usage: ResponsesUsage | null, end: ChatEnd): string;
  result(): unknown;
};

/** Why it ended, in the words of Chat Completions, and the text it stopped at where the server tells. */
export type ChatEnd = { reason: string; stopText?: string };

type TranslatorOptions = { id: string; writer: AnswerWriter; kindOf?: TellKind };

export function createChatAnswerTranslator({ id, writer, kindOf = () => "call" }: TranslatorOptions): AnswerTranslator {
  let begun = false;
  let open = "";
  let usage: ResponsesUsage | null = null;
  let ended: ChatEnd | null = null;
  const calls = createCallsWriter(writer, kindOf);

  /** Opens another item where `key` is not the open one's. */
  const openAs = (key: string, part: () => ResponsesPart): string => {
    if (open === key) return "";
    open = key;
    return calls.end() + writer.open(part());
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
    if (said?.tool_calls?.length) {
      open = "calls";
      events += calls.add(said.tool_calls);
    }
    if (choice?.finish_reason != null) ended = readEnd(choice);
    if (chunk.usage) usage = readUsage(chunk.usage);
    return events;
  };

  const finish = (): string => {
    if (ended === null) throw new CentspanError("upstream_failed", "the model server ended before it was done");
    return calls.end() + writer.finish(usage, ended);
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

function readEnd({ finish_reason, stop_reason, matched_stop }: Chunk["choices"][number]): ChatEnd {
  const stopText = [stop_reason, matched_stop].find((said) => typeof said === "string");
  return { reason: finish_reason ?? "", ...(typeof stopText === "string" && { stopText }) };
}

const readUsage = (usage: z.infer<typeof usageSchema>): ResponsesUsage => ({
  inputTokens: usage.prompt_tokens,
  cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
  outputTokens: usage.completion_tokens,
  reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
});
