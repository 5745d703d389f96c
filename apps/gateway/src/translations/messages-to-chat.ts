/**
 * Messages requests for servers that speak Chat Completions: vLLM, SGLang, llama.cpp, Ollama. What a model thinks is not
 * shown: a client would send it back as thinking that somebody signed.
 */
import { createId } from "@centspan/base";
import { createMessagesWriter, type MessagesStop, type ResponsesUsage, writeAnthropicError } from "@centspan/model";
import chat from "../protocols/chat-completions.ts";
import { readRefusal } from "../upstream/read-refusal.ts";
import { type AnswerWriter, type ChatEnd, createChatAnswerTranslator } from "./chat-answer.ts";
import { leaveOut } from "./chat-parts.ts";
import { writeMessagesAsChat } from "./messages-request.ts";
import type { Translation } from "./translation.ts";

export default {
  from: "anthropic-messages",
  to: chat,
  translate(json, promptTokens) {
    const { request, dropped, messages } = writeMessagesAsChat(json);
    const id = createId("msg");
    const writer = writeAnswer(id, messages.model, promptTokens, dropped);
    const answer = { ...createChatAnswerTranslator({ id, writer }), writeRefusal };
    return { json: request, dropped, answer };
  },
} satisfies Translation;

function writeAnswer(id: string, model: string, promptTokens: number, dropped: string[]): AnswerWriter {
  const writer = createMessagesWriter({ id, model });
  const counted: ResponsesUsage = { inputTokens: promptTokens, cachedTokens: 0, outputTokens: 1, reasoningTokens: 0 };
  let isHidden = false;
  let hasCalls = false;
  let shownBytes = 0;
  return {
    // What the server counts it says at the end; clients look at the window that is left from the start.
    start: () => writer.start(counted),
    open(part) {
      isHidden = part.kind === "reasoning";
      if (part.kind === "reasoning") {
        leaveOut(dropped, "answer: reasoning");
        return "";
      }
      if (part.kind === "text") return writer.open(part);
      hasCalls = true;
      return writer.open({ ...part, kind: "call" });
    },
    append(text) {
      if (isHidden) return "";
      shownBytes += Buffer.byteLength(text);
      return writer.append(text);
    },
    finish(usage, end) {
      const estimated = { ...counted, outputTokens: Math.ceil(shownBytes / BYTES_A_TOKEN) };
      return writer.finish(usage ?? estimated, readStop(end, hasCalls));
    },
    result: () => writer.result(),
  };
}

/** A message has to have its usage. The call's span has only what was reported. */
const BYTES_A_TOKEN = 4;

function readStop({ reason, stopText }: ChatEnd, hasCalls: boolean): MessagesStop {
  if (reason === "length") return { reason: "max_tokens" };
  if (reason === "content_filter") return { reason: "refusal" };
  // Some servers say of calls that they just stopped.
  if (hasCalls) return { reason: "tool_use" };
  return stopText === undefined ? { reason: "end_turn" } : { reason: "stop_sequence", sequence: stopText };
}

const writeRefusal = (json: unknown, statusCode: number): object =>
  writeAnthropicError(statusCode, readRefusal(json, statusCode));
