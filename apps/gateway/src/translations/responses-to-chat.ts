/** Responses requests for servers that speak Chat Completions: vLLM, SGLang, llama.cpp, Ollama. */
import { createId } from "@centspan/base";
import { createResponsesWriter, type ResponsesRequest } from "@centspan/model";
import chat from "../protocols/chat-completions.ts";
import { type AnswerWriter, createChatAnswerTranslator } from "./chat-answer.ts";
import { writeResponsesAsChat } from "./responses-request.ts";
import type { ChatTools } from "./responses-tools.ts";
import type { Translation } from "./translation.ts";

export default {
  from: "openai-responses",
  to: chat,
  translate(json) {
    const { request, tools, dropped, responses } = writeResponsesAsChat(json);
    const id = createId("resp");
    // An answer repeats the settings, and nothing of what was said.
    const writer = writeAnswer(id, { ...responses, input: [] }, tools);
    return { json: request, dropped, answer: createChatAnswerTranslator({ id, writer, kindOf: tools.kindOf }) };
  },
} satisfies Translation;

const CUT: Partial<Record<string, "max_output_tokens" | "content_filter">> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

function writeAnswer(id: string, request: ResponsesRequest, tools: ChatTools): AnswerWriter {
  const createdAtS = Math.floor(Date.now() / 1000);
  const writer = createResponsesWriter({ id, model: request.model, createdAtS, request });
  return {
    ...writer,
    open: (part) => writer.open("name" in part ? { ...part, ...tools.find(part.name) } : part),
    finish: (usage, { reason }) => writer.finish(usage, CUT[reason]),
  };
}
